import CivilTime
import FoundationEssentials
import Records

/// How many open tasks of each list are due.
public struct DueCounts: Sendable, Equatable {
    /// The numbers of one list.
    public struct Count: Sendable, Hashable {
        /// The tasks whose due time is over.
        public internal(set) var overdue = 0
        /// The tasks that are due later today.
        public internal(set) var today = 0
    }

    /// Whether every due task was counted: there were no more than the limit.
    public internal(set) var isComplete = true
    private var counts: [UUID?: Count] = [:]

    /// The numbers of a list; nil for the tasks without a list.
    public internal(set) subscript(list: UUID?) -> Count {
        get { counts[list] ?? Count() }
        set { counts[list] = newValue }
    }
}

extension TaskReading {
    /// Counts the open tasks that are overdue or due today, by list, without hidden ones.
    ///
    /// - Parameter limit: How many tasks are looked at, the earliest due first.
    /// - Complexity: a step and a look-up for each task that is overdue or due by 16 hours after the end of today, up to the limit.
    public func dueCounts(limit: Int = 10_000) throws -> DueCounts {
        let (now, zone, today) = (transaction.context.clock.wall, transaction.context.zone, currentDay)
        var (counts, seen) = (DueCounts(), 0)
        try transaction[TaskItem.byDue].forEach(in: .dueBefore(zone.end(of: today))) { task in
            guard seen < limit else {
                counts.isComplete = false
                return false
            }
            seen += 1
            guard let due = task.due(in: zone)?.day(in: zone), due <= today, !task.isWaiting(on: today) else {
                return true
            }
            if task.isOverdue(at: now, in: zone) {
                counts[task.listID].overdue += 1
            } else {
                counts[task.listID].today += 1
            }
            return true
        }
        return counts
    }
}
