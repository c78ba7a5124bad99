import CivilTime
import FoundationEssentials
import Records

extension TaskItem {
    /// Whether it is hidden on a day: it is open, and waits for a day later than that one and than the day on which it is scheduled.
    ///
    /// A task that waits until Friday is in no view before Friday. One that is scheduled on a later day than that is shown on its
    /// day all the time. At midnight it comes back by itself: nothing is written.
    public func isWaiting(on day: Day) -> Bool {
        guard let waitUntil, !isCompleted, archivedAt == nil else { return false }
        return waitUntil > max(day, scheduledDate ?? day)
    }
}

extension TaskReading {
    /// Returns the tasks that are hidden today, in the order of the days on which they come back.
    ///
    /// - Complexity: a step and a look-up for each that waits for a later day.
    public func waiting() throws -> [TaskItem] { try waiting(on: currentDay) }

    func waiting(on day: Day) throws -> [TaskItem] {
        var tasks: [TaskItem] = []
        try readDetails { details in
            let next = Int64(day.daysSince1970) + 1
            try details.forEach(
                in: .keys(from: Placed(lane: .waiting, position: next), to: Placed(lane: .waiting, position: .max))
            ) { task in
                if task.isWaiting(on: day) { tasks.append(task) }
                return true
            }
        }
        return tasks
    }

    /// Returns the records of a range of an index that are not hidden today.
    ///
    /// - Complexity: a step and a look-up for each task of the range, also those that are hidden.
    func visible<Key: OrderedKey>(
        _ index: Index<TaskItem, Key>, in range: IndexRange<TaskItem, Key>, today: Day, limit: Int = .max
    ) throws -> [TaskItem] {
        let tasks = try transaction[index].records(in: range, limit: limit)
        guard tasks.contains(where: { $0.isWaiting(on: today) }) else { return tasks }
        if limit == .max { return tasks.filter { !$0.isWaiting(on: today) } }
        var shown: [TaskItem] = []
        try transaction[index].forEach(in: range) { task in
            if !task.isWaiting(on: today) { shown.append(task) }
            return shown.count < limit
        }
        return shown
    }
}

extension TaskTransaction {
    /// Hides a task until a day; nil shows it at once. The same day changes nothing.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `pastDay`.
    @discardableResult
    public func wait(_ id: UUID, until day: Day?) throws -> TaskItem {
        if let day, day < today { throw TaskError.pastDay(day) }
        return try change(id) { $0.waitUntil = day }
    }
}

extension TaskList {
    /// Returns the tasks that are hidden today, in the order of the days on which they come back.
    public func waiting() throws(TaskError) -> [TaskItem] { try view { try $0.waiting() } }
}
