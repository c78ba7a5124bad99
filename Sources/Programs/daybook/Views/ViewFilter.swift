import ArgumentParser
import CommandSupport
import Daybook

/// Which tasks of a view are shown, and how many.
struct ViewFilter: ParsableArguments {
    @Option(help: .list) var list: String?
    @Option(help: ArgumentHelp("Only tasks of this category.", valueName: "category")) var category: String?
    @Option(help: .region) var region: TaskRegion?
    @Flag(help: "Only tasks whose due time is over.") var overdue = false
    @Flag(help: "Only tasks that are not completed.") var open = false
    @OptionGroup var paging: PagingOptions

    /// Whether all tasks of a view are shown.
    private var isAll: Bool {
        list == nil && category == nil && region == nil && !overdue && !open && paging.limit == nil
            && paging.after == nil
    }

    /// Reads the tasks of a view that are shown, and the place after them; nil at the end.
    func tasks(
        of view: TaskView, in transaction: ReadTransaction
    ) throws -> (tasks: [TaskItem], next: PageToken?) {
        if isAll { return (try transaction.tasks.tasks(in: view), nil) }
        let list = try list.map { try transaction.list(named: $0).id }
        let (zone, now) = (transaction.tasks.zone, transaction.tasks.now)
        // Categories are compared as `categories` and `find` compare them: without case and diacritics.
        let category = category.map(TextKey.init)
        let page = try transaction.tasks.page(of: view, after: paging.token, limit: paging.limit ?? .max) { task in
            (list == nil || task.listID == list) && (category == nil || task.category.map(TextKey.init) == category)
                && (region == nil || task.region == region) && (!open || !task.isCompleted)
                && (!overdue || task.isOverdue(at: now, in: zone))
        }
        return (page.records, page.next)
    }

    /// Returns the tasks as they are shown. `all` are those of whole days, or all of the Inbox.
    func shown(_ tasks: [TaskItem], in transaction: ReadTransaction) throws -> [ShownTask] {
        isAll ? try transaction.shown(container: tasks) : try transaction.shown(tasks)
    }

    /// Returns days of tasks as they are shown.
    func shown(days: [[TaskItem]], in transaction: ReadTransaction) throws -> [[ShownTask]] {
        if isAll { return try transaction.shown(days: days) }
        var rest = try transaction.shown(days.flatMap { $0 })[...]
        return days.map { day in
            defer { rest = rest.dropFirst(day.count) }
            return Array(rest.prefix(day.count))
        }
    }
}

/// Tasks of several days, in the order of a view.
struct DaysOfTasks {
    let days: [(day: Day, tasks: [ShownTask])]
    let next: PageToken?

    /// The view is sorted by day, so each run of one day is all of that day that is shown.
    init(of view: TaskView, _ filter: ViewFilter, in transaction: ReadTransaction) throws {
        let (tasks, next) = try filter.tasks(of: view, in: transaction)
        var days: [(day: Day, tasks: [TaskItem])] = []
        for task in tasks {
            guard let day = task.scheduledDate else { continue }
            if days.last?.day != day { days.append((day, [])) }
            days[days.count - 1].tasks.append(task)
        }
        self.days = zip(days.map(\.day), try filter.shown(days: days.map(\.tasks), in: transaction)).map { ($0, $1) }
        self.next = next
    }
}
