import CivilTime
import FoundationEssentials

extension TaskList {
    /// Makes a task recur from its day on, or no longer. A task without a day gets the first day of the rule from today on.
    /// Completing an occurrence creates the next one in the same transaction, so that undo takes back both.
    ///
    ///     try await tasks.repeat(id, by: RecurrenceRule(phrase: "monthly on 31", today: today))
    @discardableResult
    public func `repeat`(_ id: UUID, by rule: RecurrenceRule?) async throws(TaskError) -> TaskItem {
        try await write(.setRecurrence) { try $0.repeat(id, by: rule) }
    }

    /// Makes tasks recur by one rule, or no longer. Returns them in the given order.
    @discardableResult
    public func `repeat`(_ ids: [UUID], by rule: RecurrenceRule?) async throws(TaskError) -> [TaskItem] {
        try await change(ids, .setRecurrence) { try $0.repeat($1, by: rule) }
    }

    /// Drops one occurrence of each of several recurring tasks. Returns them in the given order.
    @discardableResult
    public func skip(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await change(ids, .skip) { try $0.skip($1) }
    }

    /// Drops one occurrence of a recurring task: the task moves to the next day of its rule. After the last one it is
    /// deleted. To move one occurrence, schedule it on another day: the next one follows from the rule all the same.
    @discardableResult
    public func skip(_ id: UUID) async throws(TaskError) -> TaskItem {
        try await write(.skip) { try $0.skip(id) }
    }
}
