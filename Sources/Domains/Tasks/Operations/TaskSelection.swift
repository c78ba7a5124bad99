import FoundationEssentials

/// The tasks that an operation of ``TaskList`` changes: one by its id, or several by an array of ids, in one transaction.
public protocol TaskSelection: Sendable {
    /// The result of the operation: the task, or the tasks in the given order.
    associatedtype Tasks: Sendable

    /// Calls a closure with each id once, in the given order, and returns its results.
    func mapIDs(_ body: (UUID) throws -> TaskItem) throws -> Tasks
}

extension UUID: TaskSelection {
    /// Calls a closure with this id, and returns its result.
    public func mapIDs(_ body: (UUID) throws -> TaskItem) throws -> TaskItem { try body(self) }
}

extension Array: TaskSelection where Element == UUID {
    /// Calls a closure with each id once, in the given order, and returns its results.
    public func mapIDs(_ body: (UUID) throws -> TaskItem) throws -> [TaskItem] { try withoutRepetition.map(body) }
}
