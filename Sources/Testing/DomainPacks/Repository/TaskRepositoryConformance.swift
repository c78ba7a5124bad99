import CivilTime
import FoundationEssentials
import Tasks

/// Checks that a `TaskRepository` behaves as all of them do: seeded random operations on it and on a `MemoryTaskRepository`,
/// compared after each, refusals included.
///
/// ```swift
/// try await TaskRepositoryConformance(lists: [home, work]).check(repository)
/// ```
public struct TaskRepositoryConformance: Sendable {
    /// Lists that the repository has, without tasks.
    public var lists: [UUID]
    /// Determines the operations.
    public var seed: UInt64 = 1
    /// The number of operations.
    public var steps = 200

    /// Creates a suite of checks on a repository with some lists.
    public init(lists: [UUID]) {
        self.lists = lists
    }

    /// Performs the operations on a repository that has no tasks yet.
    ///
    /// - Throws: ``ConformanceFailure`` at the first difference.
    public func check(
        _ repository: some TaskRepository, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let model = MemoryTaskRepository(lists: lists)
        let draws = SeededRandomSource(seed: seed)
        // The tasks that were created, deleted ones as well: their ids there, and in the model.
        let unknown = UUID(high: 0x7001, low: 0x8000_0000_0000_0000)
        var ids = [(found: unknown, expected: unknown)]
        for number in 1...max(1, steps) {
            let (choice, draw) = (draws.next() % 10, Int(draws.next() % 1 << 20))
            let place = (lists.map(Optional.some) + [nil])[draw % (lists.count + 1)]
            let id = ids[draw % ids.count]
            let step: String
            let (expected, found): (String, String)
            switch choice {
            case 0...3:
                // Now and then a list that there is not, or no text.
                let list = draw % 23 == 7 ? unknown : place
                let title = draw % 29 == 3 ? " " : "task \(number)"
                step = "createTask"
                var (one, other): (TaskItem?, TaskItem?)
                expected = try await answer { one = try await model.createTask(title, in: list) }
                found = try await answer { other = try await repository.createTask(title, in: list) }
                if let one, let other { ids.append((other.id, one.id)) }
            case 4, 5:
                let text = draw % 31 == 5 ? "" : "changed \(number)"
                let change = { @Sendable (task: inout TaskItem) in (task.text, task.notes) = (text, "note \(number)") }
                step = "updateTask"
                expected = try await answer { _ = try await model.updateTask(id.expected, change) }
                found = try await answer { _ = try await repository.updateTask(id.found, change) }
            case 6:
                step = "deleteTask"
                expected = try await answer { try await model.deleteTask(id.expected) }
                found = try await answer { try await repository.deleteTask(id.found) }
            default:
                step = "completeTask"
                expected = try await answer { _ = try await model.completeTask(id.expected) }
                found = try await answer { _ = try await repository.completeTask(id.found) }
            }
            try compare([expected], [found], after: "\(step), operation \(number)")
            for list in lists.map(Optional.some) + [nil, unknown] {
                try compare(
                    await model.fetchTasks(in: list).map(Self.words),
                    try await repository.fetchTasks(in: list).map(Self.words),
                    after: "\(step), operation \(number)")
            }
        }
    }

    /// The code of a refusal; any other error ends the check.
    private func answer(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
    ) async throws -> String {
        do {
            try await work()
            return "done"
        } catch let error as TaskError {
            return error.code
        }
    }

    private func compare(_ expected: [String], _ found: [String], after step: String) throws {
        guard expected != found else { return }
        throw ConformanceFailure(step: step, expected: expected, found: found)
    }

    private static func words(_ task: TaskItem) -> String {
        "\(task.text)\(task.isCompleted ? " done" : "")\(task.notes.map { ": \($0)" } ?? "")"
            + (task.isCompleted == (task.completedAt != nil) ? "" : " without a time of completion")
    }
}

/// A difference between a repository and what all of them do.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The operation after which they differ.
    public let step: String
    /// What a repository should have or answer.
    public let expected: [String]
    /// What this one has.
    public let found: [String]

    /// The difference in one line.
    public var description: String { "after \(step): expected \(expected), found \(found)" }
}
