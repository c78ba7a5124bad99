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
        let links: ImportedTask.Links
    }

    private static let batchLimit = 1000

    private var statements: [Statement] = []
    /// The days that a series leaves out, because another task is for them or because its rule says so.
    private var daysLeftOut: [UUID: [Day]] = [:]
    /// The tasks by the names that the file has for them. The first of a name has it.
    private var ids: [String: UUID] = [:]

    /// Notes what a record says.
    mutating func add(_ record: TaskRecord) {
        guard case .task(let task) = record else { return }
        if let series = task.parentRecurringID, let day = task.occurrenceDay, task.recurringPattern == nil {
            daysLeftOut[series, default: []].append(day)
        } else if task.task.recurrence?.exceptions.isEmpty == false {
            daysLeftOut[task.id, default: []] += []
        }
        let links = task.gaps.links
        if let label = links.label, ids[label] == nil { ids[label] = task.id }
        if task.blockedBy.isEmpty, links.blockers.isEmpty, links.blocked.isEmpty, links.parent == nil,
            links.parts.isEmpty
        {
            return
        }
        statements.append(
            Statement(
                id: task.id, updatedAt: max(task.createdAt, task.updatedAt), isUndated: task.isUndated,
                blockers: task.blockedBy, links: links))
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
            _ = try await tasks.import(continuing: first) { [ids] transaction in
                for statement in batch {
                    guard let task = try transaction.reading.get(statement.id),
                        statement.isUndated || task.updatedAt <= statement.updatedAt
                    else { continue }
                    try Self.write(statement, of: task, ids, in: transaction)
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

    private static func write(
        _ statement: Statement, of task: TaskItem, _ ids: [String: UUID], in transaction: TaskTransaction
    ) throws {
        var open = OpenLinks(of: ImportedTask(task)) ?? OpenLinks()
        // What the file does not speak of stays.
        if !statement.blockers.isEmpty || !statement.links.blockers.isEmpty { open.blockers = [] }
        if !statement.links.blocked.isEmpty { open.blocked = [] }
        for name in statement.blockers.map(\.lowercased) + statement.links.blockers {
            let blocker = UUID(strict: name) ?? ids[name]
            if let blocker, try transaction.link(task.id, to: blocker) { continue }
            // A task that was deleted here is not missed.
            if let blocker, try transaction.reading.tombstone(of: blocker) != nil { continue }
            open.blockers.append(name)
        }
        for name in statement.links.blocked {
            guard let blocked = UUID(strict: name) ?? ids[name] else { continue }
            if try transaction.link(blocked, to: task.id) { continue }
            // A name stays a word of the text.
            if UUID(strict: name) != nil, try transaction.reading.tombstone(of: blocked) == nil {
                open.blocked.append(name)
            }
        }
        if let parent = statement.links.parent.flatMap({ UUID(strict: $0) ?? ids[$0] }) {
            try transaction.link(task.id, under: parent)
        }
        for name in statement.links.parts {
            if let part = UUID(strict: name) ?? ids[name] { try transaction.link(part, under: task.id) }
        }
        if !statement.links.blockers.isEmpty { open.areNamed = true }
        let extra = open.extra(of: ImportedTask(task))
        if extra != task.extra { try transaction.setExtra(extra, of: task) }
    }
}
