import CivilTime
import Records

/// The number of open tasks at the end of each of the last days; of today, until now.
public struct OpenTaskHistory: Sendable, Equatable {
    /// The open tasks at the end of one day.
    public struct DayCount: Sendable, Equatable {
        /// The day.
        public let day: Day
        /// The number of tasks that were neither completed nor archived when it ended.
        public let open: Int
    }

    /// The zone that determines the days.
    public let zone: Zone
    /// The days, the last of which is today. They are fewer than were asked for if more was created or completed in these than the
    /// limit allows to read.
    public let days: [DayCount]
}

extension TaskReading {
    /// Returns the number of completions from each instant to the next one. The instants ascend.
    ///
    /// - Complexity: a small read for each day of UTC that has completions, if the instants are at full quarters of an hour; no task
    ///   is read.
    public func completions(between instants: [Instant]) throws -> [Int] {
        try transaction[TaskItem.completions].counts(between: instants)
    }

    /// Returns the number of open tasks at the end of each of the last days. Deleted tasks are not counted on any of them; a task that
    /// was reopened counts as open all along; one that is older than these days and was archived while it was open is not counted.
    ///
    /// - Parameters:
    ///   - count: The number of days, today included.
    ///   - limit: The number of creations, and of completions, that are read at most.
    /// - Complexity: a step and a look-up for each task that was created or completed in these days, up to the limit, and a step for
    ///   each list.
    public func openHistory(days count: Int, limit: Int = 100_000) throws -> OpenTaskHistory {
        let zone = transaction.context.zone
        let today = currentDay
        var first = max(today.advanced(by: 1 - max(count, 1)), .first)
        // The latest first: a day that is not read to its beginning is left out.
        var created: [TaskItem] = []
        try transaction[TaskItem.byCreation].forEach(in: .keys(from: zone.start(of: first)), backwards: true) { task in
            guard created.count < limit else {
                first = max(first, min(zone.day(of: task.createdAt).advanced(by: 1), today))
                return false
            }
            created.append(task)
            return true
        }
        var steps = 0
        var older: [Instant] = []
        let start = zone.start(of: first)
        try transaction[TaskItem.byCompletion].forEachKey(from: start, backwards: true) { completed, id in
            guard steps < limit else {
                first = max(first, min(zone.day(of: completed).advanced(by: 1), today))
                return false
            }
            steps += 1
            // The index has the completions of deleted tasks as well.
            if let task = try transaction[TaskItem.self].get(id), task.createdAt < start {
                older.append(min(completed, task.archivedAt ?? completed))
            }
            return true
        }
        var open = 0
        try transaction[TaskItem.openPerList].forEach { _, count, _ in
            open += count
            return true
        }
        // How the number at the end of each day differs from that of now.
        let days = Array(first..<today) + [today]
        var changes = [Int](repeating: 0, count: days.count + 1)
        func add(_ change: Int, from: Instant?, to: Instant) {
            let begin = from.map { max(first.distance(to: zone.day(of: $0)), 0) } ?? 0
            let end = min(first.distance(to: zone.day(of: to)), days.count - 1)
            guard begin < end else { return }
            changes[begin] += change
            changes[end] -= change
        }
        for task in created {
            let closed = [task.completedAt, task.archivedAt].compactMap(\.self).min()
            if let closed {
                add(1, from: task.createdAt, to: closed)
            } else {
                add(-1, from: nil, to: task.createdAt)
            }
        }
        for closed in older { add(1, from: nil, to: closed) }
        var difference = 0
        return OpenTaskHistory(
            zone: zone,
            days: zip(days, changes).map { day, change in
                difference += change
                return OpenTaskHistory.DayCount(day: day, open: open + difference)
            })
    }
}
