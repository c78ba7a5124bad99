import Daybook
import Simulation
import TestSupport
import Testing

/// One suite of checks for everything that offers the operations on the tasks of lists.
@Suite struct TaskRepositoryTests {
    @Test("A store and the mock pass the same checks [L-PR5, C-AD12]", arguments: TestBudget.range(4, long: 40))
    func conformance(seed: UInt64) async throws {
        let folder = TemporaryFolder()
        let store = try DaybookStore.open(at: "\(folder.path)/store")
        defer { store.close() }
        let lists = [try await store.tasks.createList("home").id, try await store.tasks.createList("work").id]
        var suite = TaskRepositoryConformance(lists: lists)
        suite.seed = seed
        try await suite.check(store.tasks)
        try await suite.check(MemoryTaskRepository(lists: lists))
        #expect(try store.verify().problems == [])
    }

    /// Creates tasks at the beginning of a list.
    private struct Backwards: TaskRepository {
        let tasks: MemoryTaskRepository

        func fetchTasks(in list: UUID?) async throws -> [TaskItem] { await tasks.fetchTasks(in: list).reversed() }
        func createTask(_ title: String, in list: UUID?) async throws -> TaskItem {
            try await tasks.createTask(title, in: list)
        }
        func updateTask(
            _ id: UUID, _ change: @escaping @Sendable (inout TaskItem) -> Void
        ) async throws -> TaskItem { try await tasks.updateTask(id, change) }
        func deleteTask(_ id: UUID) async throws { try await tasks.deleteTask(id) }
        func completeTask(_ id: UUID) async throws -> TaskItem { try await tasks.completeTask(id) }
    }

    @Test("A repository with another order of tasks fails the checks, which name the operation [L-PR5]")
    func negative() async throws {
        let list = UUID()
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await TaskRepositoryConformance(lists: [list]).check(
                Backwards(tasks: MemoryTaskRepository(lists: [list])))
        }
        #expect(failure?.step.hasPrefix("createTask, operation ") == true)
        #expect(failure?.description.contains("expected") == true)
    }
}
