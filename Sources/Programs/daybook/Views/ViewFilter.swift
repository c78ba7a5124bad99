import ArgumentParser
import CommandSupport
import Daybook

/// Tags and a priority that tasks must have.
struct KindFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only tasks with this tag; given again, only those with all of them.", valueName: "tag"))
    var tag: [String] = []
    @Option(help: ArgumentHelp("Only tasks of this priority.", valueName: "priority")) var priority: TaskPriority?

    var isEmpty: Bool { tag.isEmpty && priority == nil }

    /// Whether a task has all of them.
    func includes(_ task: TaskItem) -> Bool {
        (priority == nil || task.priority == priority) && tag.allSatisfy { task.hasTag($0) }
    }
}

/// Which tasks of a view are shown, and how many.
struct ViewFilter: ParsableArguments {
    @Option(help: .list) var list: String?
    @Option(help: ArgumentHelp("Only tasks of this category.", valueName: "category")) var category: String?
    @Option(help: .region) var region: TaskRegion?
    @Flag(help: "Only tasks whose due time is over.") var overdue = false
    @Flag(help: "Only tasks that are not completed.") var open = false
    @OptionGroup var kind: KindFilter
    @OptionGroup var paging: PagingOptions

    /// Whether all tasks of a view are shown.
    private var isAll: Bool {
        list == nil && category == nil && region == nil && !overdue && !open && paging.limit == nil
            && paging.after == nil && kind.isEmpty
    }

    /// The conditions, with what all tasks are compared to read once.
    private func condition(in transaction: ReadTransaction) throws -> (TaskItem) -> Bool {
        let list = try list.map { try transaction.list(named: $0).id }
        let (zone, now) = (transaction.tasks.zone, transaction.tasks.now)
        // Categories are compared as `categories` and `find` compare them: without case and diacritics.
        let category = category.map(TextKey.init)
        return { task in
            (list == nil || task.listID == list) && (category == nil || task.category.map(TextKey.init) == category)
                && (region == nil || task.region == region) && (!open || !task.isCompleted)
                && (!overdue || task.isOverdue(at: now, in: zone)) && kind.includes(task)
        }
    }

    /// Returns those of some tasks that are shown, as they are shown.
    func shown(of tasks: [TaskItem], in transaction: ReadTransaction) throws -> [ShownTask] {
        try transaction.shown(tasks.filter(condition(in: transaction)))
    }

    /// Reads the tasks of a view that are shown, and the place after them; nil at the end.
    func tasks(
        of view: TaskView, in transaction: ReadTransaction
    ) throws -> (tasks: [TaskItem], next: PageToken?) {
        if isAll { return (try transaction.tasks.tasks(in: view), nil) }
        let page = try transaction.tasks.page(
            of: view, after: paging.token, limit: paging.limit ?? .max, where: condition(in: transaction))
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
    private(set) var days: [(day: Day, tasks: [ShownTask], due: [ShownTask])]
    let next: PageToken?

    /// The view is sorted by day, so each run of one day is all of that day that is shown.
    ///
    /// - Parameter hasDue: Whether the days have tasks that are due on them and not planned for them; only the days of a page do.
    init(of view: TaskView, _ filter: ViewFilter, in transaction: ReadTransaction, withDue hasDue: Bool = false) throws
    {
        let (tasks, next) = try filter.tasks(of: view, in: transaction)
        var days: [(day: Day, tasks: [TaskItem])] = []
        for task in tasks {
            guard let day = task.scheduledDate else { continue }
            if days.last?.day != day { days.append((day, [])) }
            days[days.count - 1].tasks.append(task)
        }
        self.days = zip(days.map(\.day), try filter.shown(days: days.map(\.tasks), in: transaction))
            .map { ($0, $1, []) }
        self.next = next
        guard hasDue else { return }
        let isPage = filter.paging.limit != nil || filter.paging.after != nil
        for (day, tasks) in try transaction.tasks.dueAfterToday() {
            let due = try filter.shown(of: tasks, in: transaction)
            if due.isEmpty { continue }
            if let place = self.days.firstIndex(where: { $0.day == day }) {
                self.days[place].due = due
            } else if !isPage {
                self.days.append((day, [], due))
            }
        }
        self.days.sort { $0.day < $1.day }
    }
}
