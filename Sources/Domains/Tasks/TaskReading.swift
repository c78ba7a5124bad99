import CivilTime
import FoundationEssentials
import Records

/// The views and counts of the tasks in one read transaction. Gotten from a transaction: `transaction.taskViews`.
public struct TaskReading {
    let transaction: ReadTransaction

    private var currentDay: Day { transaction.context.today }

    /// The task of an id, nil when there is none. Cost: one look-up.
    public func get(_ id: UUID) throws(TaskError) -> TaskItem? {
        try rethrowing { try transaction[TaskItem.self].get(id) }
    }

    /// The task of an id or of the beginning of one, 4 characters or more.
    public func find(_ text: String) throws(TaskError) -> TaskItem {
        // A whole id is the longest prefix; UUID's own parser would take things that are not ids.
        guard let prefix = IdentifierPrefix(text) else { throw .notAnID(text) }
        let candidates = try rethrowing {
            try prefix.beginnings.flatMap { try transaction[TaskItem.self].ids(beginning: $0, limit: 11) }
        }
        guard let first = candidates.first else { throw .noSuchTask(id: text.lowercased()) }
        guard candidates.count == 1 else {
            throw .ambiguous(prefix: text.lowercased(), candidates: candidates.prefix(10).map(\.lowercased))
        }
        guard let task = try get(first) else { throw .noSuchTask(id: text.lowercased()) }
        return task
    }

    /// The Inbox. Cost: a step and a look-up for each task it shows, as for every view.
    public func inbox(limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try rethrowing { try transaction[TaskItem.byDay].prefix(DayPart(day: nil), limit: limit) }
    }

    /// The tasks of one day.
    public func tasks(on day: Day) throws(TaskError) -> [TaskItem] {
        try rethrowing { try transaction[TaskItem.byDay].prefix(DayPart(day: day)) }
    }

    /// Today, by the clock and the zone at this moment.
    public func today() throws(TaskError) -> TodayView {
        let zone = transaction.context.zone
        let day = zone.day(of: transaction.context.clock.wall)
        return TodayView(day: day, zone: zone, validUntil: zone.end(of: day), tasks: try tasks(on: day))
    }

    /// The days after today that have tasks.
    public func upcoming() throws(TaskError) -> [UpcomingDay] { try upcoming(today: currentDay) }

    private func upcoming(today: Day) throws(TaskError) -> [UpcomingDay] {
        let tasks = try rethrowing {
            try transaction[TaskItem.byDay].range(
                from: DayKey(day: today.advanced(by: 1), rank: 0, position: .min))
        }
        var days: [UpcomingDay] = []
        for task in tasks {
            guard let day = task.scheduledDate, day > today else { continue }
            if days.last?.day == day {
                days[days.count - 1].tasks.append(task)
            } else {
                days.append(UpcomingDay(day: day, label: UpcomingDay.label(of: day, today: today), tasks: [task]))
            }
        }
        return days
    }

    /// The tasks of days before today, the oldest day first.
    ///
    /// - Parameter openOnly: only those that are not completed: what can be carried over. Cost: a step for each day.
    public func past(openOnly: Bool = false, limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try past(today: currentDay, openOnly: openOnly, limit: limit)
    }

    private func past(today: Day, openOnly: Bool = false, limit: Int = .max) throws(TaskError) -> [TaskItem] {
        let first = DayKey(day: .first, rank: 0, position: .min)
        let end = DayKey(day: today, rank: 0, position: .min)
        guard openOnly else {
            return try rethrowing { try transaction[TaskItem.byDay].range(from: first, to: end, limit: limit) }
        }
        return try rethrowing {
            var tasks: [TaskItem] = []
            var start: DayKey? = first
            while let from = start, tasks.count < limit {
                start = nil
                var found: DayKey?
                try transaction[TaskItem.byDay].forEachKey(from: from, to: end) { key, _ in
                    found = key
                    return false
                }
                guard let day = found?.day else { break }
                // The open groups of that day, then straight on to the next day.
                tasks += try transaction[TaskItem.byDay].range(
                    from: DayKey(day: day, rank: 0, position: .min),
                    to: DayKey(day: day, rank: TaskState.completed.rank, position: .min), limit: limit - tasks.count)
                start = DayKey(day: day.advanced(by: 1), rank: 0, position: .min)
            }
            return tasks
        }
    }

    /// One view as a plain list.
    public func tasks(in view: TaskView) throws(TaskError) -> [TaskItem] { try tasks(in: view, today: currentDay) }

    /// The same by a day that the caller has computed, so that what else it computes by it fits.
    func tasks(in view: TaskView, today: Day) throws(TaskError) -> [TaskItem] {
        switch view {
        case .inbox: try inbox()
        case .today: try tasks(on: today)
        case .upcoming: try upcoming(today: today).flatMap(\.tasks)
        case .past: try past(today: today)
        }
    }

    /// The tasks still to be done whose reminders lie in a range of instants, in the order of time. Cost: a step and a
    /// look-up for each, nothing for others.
    public func reminders(in range: Range<Instant>) throws(TaskError) -> [TaskItem] {
        try rethrowing {
            try transaction[TaskItem.byReminder].range(from: range.lowerBound, to: range.upperBound)
        }
    }

    /// The tasks still to be done whose reminders have come by the wall clock, in the order of time. They stay due until
    /// they are completed, archived or given another reminder.
    public func dueReminders() throws(TaskError) -> [TaskItem] {
        let end = transaction.context.clock.wall.advanced(byMicroseconds: 1)
        return try rethrowing { try transaction[TaskItem.byReminder].range(to: end) }
    }

    /// The view that a task is in; nil when it is archived.
    public func view(of task: TaskItem) -> TaskView? {
        task.archivedAt == nil ? .holding(task.scheduledDate, today: currentDay) : nil
    }

    /// The place of a task within its day or the Inbox as a number from 0 without gaps. Cost: a step for each task
    /// before it.
    public func sortOrder(of task: TaskItem) throws(TaskError) -> Int {
        guard task.archivedAt == nil else { return 0 }
        return try rethrowing {
            try DayPositions(transaction: transaction, day: task.scheduledDate).rank(of: task.position)
        }
    }

    /// Calls a closure with every task and its `sortOrder`: the Inbox, then each day in order, then what is archived.
    /// Memory holds one task, and the places of one day. What the closure throws comes out as it is. Throws when it was not
    /// every task, since the index has lost some.
    public func forEach(_ body: (TaskItem, _ sortOrder: Int) throws -> Void) throws {
        do {
            var count = 0
            var start: DayKey?
            while let places = try places(from: start) {
                let orders = TaskItem.sortOrders(of: places.positions)
                var index = 0
                try transaction[TaskItem.byDay].forEach(prefix: DayPart(day: places.day)) { task in
                    try body(task, orders[index])
                    index += 1
                    return true
                }
                count += index
                start = DayKey(day: places.day?.advanced(by: 1) ?? .first, rank: 0, position: .min)
                if places.day == .last { break }
            }
            try transaction[TaskItem.self].forEach { task in
                if task.archivedAt != nil {
                    try body(task, 0)
                    count += 1
                }
                return true
            }
            guard try count == transaction[TaskItem.self].count() else {
                throw RecordsError.damagedEntry(table: TaskItem.byDay.tableName, key: "of a task")
            }
        } catch let error as RecordsError {
            throw TaskError(error)
        }
    }

    /// The positions of the next day that has tasks, or of the Inbox, in the order of the index; nil when there is none.
    private func places(from start: DayKey?) throws -> (day: Day?, positions: [Int64])? {
        var places: (day: Day?, positions: [Int64])?
        try transaction[TaskItem.byDay].forEachKey(from: start) { key, _ in
            if places == nil { places = (key.day, []) }
            guard places?.day == key.day else { return false }
            places?.positions.append(key.position)
            return true
        }
        return places
    }

    /// Calls a closure with every tombstone, in the order of the ids. What the closure throws comes out as it is.
    public func forEachTombstone(_ body: (Tombstone) throws -> Void) throws {
        do {
            try transaction[Tombstone.self].forEach { tombstone in
                try body(tombstone)
                return true
            }
        } catch let error as RecordsError {
            throw TaskError(error)
        }
    }

    /// How many tasks there are, archived ones included. Cost: one look-up.
    public func count() throws(TaskError) -> Int {
        try rethrowing { try transaction[TaskItem.self].count() }
    }

    /// How many tasks have a state. Cost: a step for each.
    public func count(in state: TaskState) throws(TaskError) -> Int {
        try rethrowing {
            var count = 0
            try transaction[TaskItem.byState].forEachKey(prefix: state.rank) { _, _ in
                count += 1
                return true
            }
            return count
        }
    }
}

extension TaskItem {
    /// The `sortOrder` of each task of one day or the Inbox, given in any order: its place by position, over all groups.
    public static func sortOrders(of container: [TaskItem]) -> [Int] {
        sortOrders(of: container.map(\.position))
    }

    static func sortOrders(of positions: [Int64]) -> [Int] {
        var orders = [Int](repeating: 0, count: positions.count)
        let sorted = positions.indices.sorted { positions[$0] < positions[$1] }
        for (order, index) in sorted.enumerated() { orders[index] = order }
        return orders
    }
}
