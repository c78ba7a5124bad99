import CivilTime
import FoundationEssentials
import Tasks

/// The dependencies that a file states. They are written after all of its tasks, since a task can be stated before those that
/// it waits for.
struct ImportedLinks: Sendable {
    private struct Statement: Sendable {
        let id: UUID
        let updatedAt: Instant
        let isUndated: Bool
        let blockers: [UUID]
    }

    private static let batchLimit = 1000

    private var statements: [Statement] = []

    /// Notes what a record says.
    mutating func add(_ record: TaskRecord) {
        guard case .task(let task) = record, !task.blockedBy.isEmpty else { return }
        statements.append(
            Statement(
                id: task.id, updatedAt: max(task.createdAt, task.updatedAt), isUndated: task.isUndated,
                blockers: task.blockedBy))
    }

    /// Writes the links of tasks that are stored as the file has them. Newer tasks say themselves what they wait for.
    ///
    /// - Parameter first: The sequence number of the import's first transaction, so that all are undone as one.
    func write(to tasks: TaskList, continuing first: UInt64?) async throws {
        var rest = statements[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(batch.count)
            _ = try await tasks.import(continuing: first) { transaction in
                for statement in batch {
                    guard let task = try transaction.reading.get(statement.id),
                        statement.isUndated || task.updatedAt <= statement.updatedAt
                    else { continue }
                    try transaction.link(task.id, to: statement.blockers)
                }
            }
        }
    }
}
