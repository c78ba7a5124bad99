import CivilTime
import FoundationEssentials
import Records
import Tasks

/// The task list of a store, read as a program reads it, in the words of the model.
struct TaskRecords {
    private let reading: TaskReading
    private let context: Context
    /// All tasks, also archived ones, by their numbers.
    private let all: [TaskItem]
    private let tombstones: [Tombstone]

    init(_ transaction: ReadTransaction, for sections: [TasksPack.Section]) throws {
        reading = transaction.tasks
        context = transaction.context
        // Days are compared by their views alone, so that a report shows what is missing in them: a walk through all tasks would only
        // fail where an index has lost one.
        guard sections != [.daysWithTimes] else {
            (all, tombstones) = ([], [])
            return
        }
        var tasks: [UUID: TaskItem] = [:]
        try reading.forEach { task, _ in tasks[task.id] = task }
        all = TasksPack.inOrder(tasks.keys).compactMap { tasks[$0] }
        var tombstones: [Tombstone] = []
        try reading.forEachTombstone { tombstones.append($0) }
        self.tombstones = tombstones
    }

    func lines(of section: TasksPack.Section) throws -> [String] {
        switch section {
        case .days, .daysWithTimes: try linesOfDays(section)
        case .lists: try linesOfLists()
        case .planner: try linesOfPlanner()
        case .recurrence: try linesOfRecurrence()
        case .people: try linesOfPeople()
        }
    }

    /// What no operation of the pack leads to.
    func problems(of section: TasksPack.Section) throws -> [String] {
        switch section {
        case .lists: try problemsOfLists()
        case .planner: try problemsOfPlanner()
        case .days, .daysWithTimes, .recurrence, .people: []
        }
    }

    /// Two ways to the same tasks differ.
    private struct LookUpsDisagree: Error, CustomStringConvertible {
        var description: String { "Two ways to look up the same tasks or lists differ." }
    }

    private func check(_ isTrue: Bool) throws {
        if !isTrue { throw LookUpsDisagree() }
    }

    private func linesOfDays(_ section: TasksPack.Section) throws -> [String] {
        let listed = try reading.past() + reading.today().tasks + reading.upcoming().flatMap(\.tasks)
        let lines = try (reading.inbox() + listed).map { task in
            // Each task is also read by id, which takes another path than the views.
            try check(reading.get(task.id) == task)
            return section.line(
                ofDay: task.id, task.scheduledDate, task.state, at: task.completedAt,
                noteLength: task.notes?.utf8.count ?? 0)
        }
        return lines + ["completions \(try reading.statistics().today)"]
    }

    // MARK: Lists

    private func linesOfLists() throws -> [String] {
        func shown(in list: UUID?) throws -> [String] { try reading.tasks(inList: list).map(text) }
        let overdue = try reading.overdue()
        try check(pages { try reading.overduePage(after: $0, limit: 3) } == overdue)
        var lines = ["overdue: \(names(overdue))"]
        let overview = try reading.lists()
        for summary in overview.lists {
            let list = summary.list
            try check(reading.findList(list.name) == list)
            let isRed = list.color != CustomList.defaultColor
            lines.append(
                TasksPack.Section.line(ofList: list.name, isRed: isRed, open: summary.open, try shown(in: list.id)))
        }
        lines.append(
            TasksPack.Section.line(ofList: "unlisted", isRed: false, open: overview.unlisted, try shown(in: nil)))
        for category in try reading.categories() {
            let all = try pages { try reading.tasks(inCategory: category.name, after: $0, limit: 3) }
            let open = try pages {
                try reading.tasks(inCategory: category.name, openOnly: true, after: $0, limit: 3)
            }
            try check(all.count == category.all && open.count == category.open)
            let name = category.name.lowercased() == "home" ? "home" : "büro"
            lines.append("category \(name): \(names(open)) of \(names(all))")
        }
        lines.append("blocked: \(names(try reading.blockedTasks()))")
        for task in all {
            let blockers = try reading.blockers(of: task.id)
            if !blockers.isEmpty { lines.append("\(TasksPack.name(task.id)) waits for \(names(blockers))") }
        }
        for (text, searched) in TasksPack.searches {
            let found = try pages { try reading.search(text, after: $0, limit: 3) }
            try checkOrder(of: found, searched)
            lines.append("\(text): \(names(found))")
        }
        lines += all.filter { $0.archivedAt != nil }.map { "archived: \(text($0))" }
        return lines + ["completions: \(try completions())"]
    }

    private func text(_ task: TaskItem) -> String {
        TasksPack.Section.text(
            task.text, note: task.notes, category: task.category, task.due(in: context.zone),
            isCompleted: task.isCompleted)
    }

    private func names(_ tasks: [TaskItem]) -> String { TasksPack.names(tasks.map(\.id)) }

    /// All pages of a query, one after the other.
    private func pages(_ page: (PageToken?) throws -> Page<TaskItem>) throws -> [TaskItem] {
        var found: [TaskItem] = []
        var token: PageToken?
        while true {
            let next = try page(token)
            found += next.records
            guard let following = next.next else { return found }
            token = following
        }
    }

    /// Whole words come before beginnings of words, and within both kinds the newest first.
    private func checkOrder(of found: [TaskItem], _ searched: [String]) throws {
        guard searched.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else { return }
        let ranks = found.map { task in
            let words = TasksPack.folded(task.text) + TasksPack.folded(task.notes ?? "")
            return (searched.allSatisfy(words.contains) ? 0 : 1, -task.createdAt.microsecondsSince1970)
        }
        try check(zip(ranks, ranks.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// The completions of all months that have any, also of deleted tasks.
    private func completions() throws -> Int {
        let instants = all.compactMap(\.completedAt) + tombstones.compactMap(\.completedAt)
        let months = Set(instants.map { Zone.utc.day(of: $0).monthOfYear })
        // A month of the zone may begin in the month before or after.
        let near = months.union(months.compactMap(\.previous)).union(months.compactMap(\.next))
        return try near.reduce(0) { try $0 + reading.statistics(of: $1).days.reduce(0) { $0 + $1.completed } }
    }

    private func problemsOfLists() throws -> [String] {
        let lists = try reading.lists().lists.map(\.list.id) + [nil]
        let isBroken = try lists.contains { list in
            let positions = try reading.tasks(inList: list).map(\.listOrder)
            return Set(positions).count < positions.count
        }
        return isBroken ? ["two tasks of a list have one position"] : []
    }

    // MARK: The planner

    /// The days that have a task.
    private var days: [Day] { Set(all.filter { $0.archivedAt == nil }.compactMap(\.scheduledDate)).sorted() }

    private func linesOfPlanner() throws -> [String] {
        var lines: [String] = []
        for day in days {
            let counts = try reading.planCounts(on: day)
            for region in try reading.plan(on: day).regions {
                for bucket in region.buckets {
                    lines += bucket.tasks.map {
                        TasksPack.Section.line(
                            ofPlan: $0.id, day, region.region, bucket.bucket, $0.isCompleted, $0.isSticky, $0.carryCount
                        )
                    }
                    // From the tally, not from the tasks.
                    let open = counts.used(in: region.region, bucket.bucket)
                    if open > 0 { lines.append("\(day) \(region.region.name) \(bucket.bucket.name): \(open)") }
                }
            }
        }
        return lines + ["archived \(all.count { $0.archivedAt != nil })"]
    }

    private func problemsOfPlanner() throws -> [String] {
        var problems: [String] = []
        for day in days {
            for bucket in try reading.plan(on: day).regions.flatMap(\.buckets) {
                let tasks = bucket.tasks.filter { $0.region != .backlog || $0.bucket != .none }
                if Set(tasks.map(\.planOrder)).count < tasks.count {
                    problems.append("two tasks of a bucket have one position")
                }
                // Files may overfill a bucket, as the tasks do that may be carried and were not.
                let placed = tasks.count { !$0.isCompleted && !($0.autoCarry && $0.carryCount == 0) }
                if let cap = bucket.cap, placed > cap { problems.append("a bucket is overfull") }
            }
        }
        return problems
    }

    // MARK: Recurrence

    private func linesOfRecurrence() throws -> [String] {
        let lines = all.sorted { $0.id < $1.id }.map { task in
            TasksPack.Section.line(
                ofSeries: task.id, task.text, task.scheduledDate, task.recurrence?.phrase(), task.occurrenceDay,
                task.parentRecurringID, task.due(in: context.zone), task.reminderAt, isCompleted: task.isCompleted)
        }
        let (due, next) = try reading.undelivered(at: context.clock.wall)
        return lines + tombstones.map(\.id).sorted().map { "deleted \($0.lowercased)" }
            + TasksPack.Section.lines(ofReminders: due.map(\.task.id), next: next)
    }

    // MARK: Tags and subtasks

    private func linesOfPeople() throws -> [String] {
        var lines = try all.sorted { $0.id < $1.id }.map { item in
            let task = TasksPack.Task(item, in: context.zone)
            let parts = try reading.subtasks(of: item.id)
            let progress = try reading.subtaskProgress(of: item.id)
            try check(progress?.ids ?? [] == parts.map(\.id))
            try check(progress?.completed ?? 0 == parts.count(where: \.isCompleted))
            return TasksPack.Section.line(ofPerson: item.id, task, tags: item.tags, parts.map(\.id))
        }
        lines += try reading.tags().map { TasksPack.Section.line(ofTag: $0.name, open: $0.open, $0.all) }.sorted()
        lines += tombstones.map(\.id).sorted().map { "deleted \($0.lowercased)" }
        lines.append("completions: \(all.count(where: \.isCompleted) + tombstones.count { $0.completedAt != nil })")
        let inbox = try reading.inbox()
        try check(pages { try reading.page(of: .inbox, after: $0, limit: 3) } == inbox)
        return try lines
            + TasksPack.Section.lines(ofWaiting: reading.waiting().map(\.id), inbox: inbox.map(\.id))
    }
}
