import CivilTime
import FoundationEssentials
import Records

extension TaskTransaction {
    /// Postpones the reminder of a task by minutes: from now, or from its time if that is still to come. A task without a
    /// reminder gets one.
    ///
    /// - Parameter minutes: from 1 to 1,000,000; other numbers count as the nearest of these.
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func snooze(_ id: UUID, minutes: Int) throws -> TaskItem {
        let start = max(now, try get(id).reminderAt ?? now)
        let minutes = min(max(minutes, 1), 1_000_000)
        return try snooze(id, until: start.advanced(bySeconds: Int64(minutes) * 60))
    }

    /// Postpones the reminder of a task to an instant. The next occurrence of a recurring task is reminded of at the time of
    /// day that was given for it, not at that of the snooze.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func snooze(_ id: UUID, until moment: Instant) throws -> TaskItem {
        try change(id) { $0.reminderAt = moment }
    }
}
