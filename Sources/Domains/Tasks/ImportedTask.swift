import CivilTime
import FoundationEssentials
import Records

/// A task as a file describes it: every field can be set, also those that only operations change otherwise.
public struct ImportedTask: Sendable, Hashable {
    /// The task.
    public private(set) var task: TaskItem
    /// The place that the file gives it within its day.
    public var sortOrder = 0
    /// How many records of the file come before it: between equal places it decides.
    public var number = 0

    /// A task of given identity, text and times.
    public init(id: UUID, text: String, createdAt: Instant, updatedAt: Instant, scheduledDate: Day?) {
        task = TaskItem(id: id, text: text, createdAt: createdAt)
        task.updatedAt = max(createdAt, updatedAt)
        task.scheduledDate = scheduledDate
    }

    /// Sets the state, with the completion it needs.
    public mutating func set(
        _ state: TaskState, completedAt: Instant?, zone: String?, offsetSeconds: Int32?, epoch: UInt32 = 0
    ) {
        task.state = state
        task.completionEpoch = epoch
        task.completedAt = state == .completed ? completedAt ?? task.updatedAt : nil
        task.completedZone = state == .completed ? zone : nil
        task.completedOffsetSeconds = state == .completed ? offsetSeconds : nil
    }

    /// Sets what carrying over has left.
    public mutating func setCarried(from day: Day?, count: UInt32) {
        task.carriedFromDay = day
        task.carryCount = count
    }

    /// Sets fields that anyone may change.
    public mutating func edit(_ change: (inout TaskItem) -> Void) {
        change(&task)
    }
}

extension TaskList {
    /// Writes tasks and tombstones as a file describes them, in one transaction.
    ///
    /// - Returns: how many were written, and the change's sequence number, 0 when none was.
    public func merge(
        _ tasks: [ImportedTask], _ tombstones: [Tombstone], continuing first: UInt64?
    ) async throws(TaskError) -> (written: Int, sequence: UInt64) {
        let (written, sequence) = try await `import`(continuing: first) { transaction in
            try tasks.count { try transaction.merge($0) } + tombstones.count { try transaction.merge($0) }
        }
        return (written, sequence)
    }

    /// One transaction of an import.
    ///
    /// - Parameter first: the sequence number of the import's first transaction, so that undo takes all back as one.
    /// - Returns: what the closure returns, and the change's sequence number, 0 when nothing was changed.
    public func `import`<Result: Sendable>(
        continuing first: UInt64?, _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> (result: Result, sequence: UInt64) {
        try await writeNumbered(.importing, continuing: first, body)
    }
}
