import CivilTime
import FoundationEssentials
import Tasks

/// What a file states of several tasks together: dependencies, and occurrences that became tasks of their own. It is written after
/// all of its tasks, since a task can be stated before those that it waits for, and an occurrence before its series.
struct ImportedLinks: Sendable {
    private struct Statement: Sendable {
        let id: UUID
        let updatedAt: Instant
        let isUndated: Bool
        let blockers: [UUID]
    }

    private static let batchLimit = 1000

    private var statements: [Statement] = []
    /// The days that a series leaves out, because another task is for them or because its rule says so.
    private var daysLeftOut: [UUID: [Day]] = [:]

    /// Notes what a record says.
    mutating func add(_ record: TaskRecord) {
        guard case .task(let task) = record else { return }
        if let series = task.parentRecurringID, let day = task.occurrenceDay, task.recurringPattern == nil {
            daysLeftOut[series, default: []].append(day)
        } else if task.task.recurrence?.exceptions.isEmpty == false {
            daysLeftOut[task.id, default: []] += []
        }
        guard !task.blockedBy.isEmpty else { return }
        statements.append(
            Statement(
                id: task.id, updatedAt: max(task.createdAt, task.updatedAt), isUndated: task.isUndated,
                blockers: task.blockedBy))
    }

    /// Writes the links of tasks that are stored as the file has them. Newer tasks say themselves what they wait for.
    ///
    /// - Parameter first: The sequence number of the import's first transaction, so that all are undone as one.
    func write(to tasks: TaskList, continuing first: UInt64?) async throws {
        try await leaveOut(in: tasks, continuing: first)
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

    private func leaveOut(in tasks: TaskList, continuing first: UInt64?) async throws {
        var rest = daysLeftOut.sorted { $0.key.lowercased < $1.key.lowercased }[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(batch.count)
            _ = try await tasks.import(continuing: first) { transaction in
                for (series, days) in batch { try transaction.leaveOut(days, ofSeries: series) }
            }
        }
    }
}
