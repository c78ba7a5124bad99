import CivilTime
import FoundationEssentials
import Records

// The operations on several tasks, for one of them.
extension TaskList {
    /// Sets the reminder of a task; nil removes it.
    @discardableResult
    public func remind(_ id: UUID, _ reminder: TaskReminder?) async throws(TaskError) -> TaskItem {
        try await change(id, .remind) { try $0.remind($1, reminder) }
    }

    /// Sets when a task is due; nil for no time.
    @discardableResult
    public func due(_ id: UUID, _ due: TaskDue?) async throws(TaskError) -> TaskItem {
        try await change(id, .due) { try $0.due($1, due) }
    }

    /// Carries an open task of a past day to the end of another day; any other stays.
    @discardableResult
    public func carry(_ id: UUID, to when: TaskDay) async throws(TaskError) -> TaskItem? {
        try await carry([id], to: when).first
    }

    /// Moves a task to the end of a list, or out of any list.
    @discardableResult
    public func move(_ id: UUID, toList list: UUID?) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.move) { (try $0.move(id, toList: list), .movedToList) }
    }

    /// Makes a task a subtask of another one, at its end, or of none.
    @discardableResult
    public func move(_ id: UUID, under parent: UUID?) async throws(TaskError) -> TaskItem {
        try await change(id, .setParent) { try $0.move($1, under: parent) }
    }

    /// Gives a task tags beside those that it has.
    @discardableResult
    public func tag(_ id: UUID, _ names: [String]) async throws(TaskError) -> TaskItem {
        try await change(id, .tag) { try $0.tag($1, names) }
    }

    /// Takes tags from a task.
    @discardableResult
    public func untag(_ id: UUID, _ names: [String]) async throws(TaskError) -> TaskItem {
        try await change(id, .tag) { try $0.untag($1, names) }
    }

    /// Sets how important a task is.
    @discardableResult
    public func setPriority(_ id: UUID, to priority: TaskPriority) async throws(TaskError) -> TaskItem {
        try await change(id, .setPriority) { try $0.setPriority($1, to: priority) }
    }

    /// Hides a task until a day; nil shows it at once.
    @discardableResult
    public func wait(_ id: UUID, until day: Day?) async throws(TaskError) -> TaskItem {
        try await change(id, .wait) { try $0.wait($1, until: day) }
    }

    /// Shows a task before the others of its bucket, or no longer.
    @discardableResult
    public func setSticky(_ id: UUID, to isSticky: Bool) async throws(TaskError) -> TaskItem {
        try await change(id, .setSticky) { try $0.setSticky($1, to: isSticky) }
    }

    /// Lets `rollOver` carry a task to today, or no longer.
    @discardableResult
    public func setAutoCarry(_ id: UUID, to autoCarry: Bool) async throws(TaskError) -> TaskItem {
        try await change(id, .setAutoCarry) { try $0.setAutoCarry($1, to: autoCarry) }
    }

    /// Sets the instant after which `archiveExpired` archives a task; nil removes it.
    @discardableResult
    public func setExpiry(_ id: UUID, to moment: Instant?) async throws(TaskError) -> TaskItem {
        try await change(id, .setExpiry) { try $0.setExpiry($1, to: moment) }
    }

    /// Takes a task out of the archive. One that is not archived stays as it is.
    @discardableResult
    public func unarchive(_ id: UUID) async throws(TaskError) -> TaskItem {
        try await change(id, .unarchive) { try $0.unarchive($1) }
    }
}
