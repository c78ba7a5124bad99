import FoundationEssentials
import Records

/// The operations that a screen with the tasks of a list needs. An application that names this protocol instead of `TaskList`
/// can test its screens without a store: the product `Simulation` has `MemoryTaskRepository`, and a suite of checks that both
/// pass (Documentation/Testing.md).
///
/// Every error is a `TaskError`: `noSuchTask`, `noSuchList`, `emptyText`.
public protocol TaskRepository: Sendable {
    /// Returns the tasks of a list in its order, completed ones as well; for nil, those in no list.
    func fetchTasks(in list: UUID?) async throws -> [TaskItem]
    /// Creates a task at the end of a list, or in none.
    func createTask(_ title: String, in list: UUID?) async throws -> TaskItem
    /// Changes the text, the notes or other details of a task.
    func updateTask(_ id: UUID, _ change: @escaping @Sendable (inout TaskItem) -> Void) async throws -> TaskItem
    /// Deletes a task.
    func deleteTask(_ id: UUID) async throws
    /// Completes a task; a completed one stays as it is.
    func completeTask(_ id: UUID) async throws -> TaskItem
}

extension TaskList: TaskRepository {
    /// Returns the tasks of a list in its order, completed ones as well; for nil, those in no list. A list that does not exist
    /// has none.
    public func fetchTasks(in list: UUID?) async throws -> [TaskItem] { try tasks(inList: list) }

    /// Creates a task at the end of a list, or in none.
    ///
    /// - Throws: `TaskError`: `emptyText`, `unusableText`, `noSuchList`.
    public func createTask(_ title: String, in list: UUID?) async throws -> TaskItem {
        var new = NewTask(title)
        new.list = list
        return try await create([new])[0]
    }

    /// Changes the text, the notes or other details of a task. Throws like `edit`.
    public func updateTask(
        _ id: UUID, _ change: @escaping @Sendable (inout TaskItem) -> Void
    ) async throws -> TaskItem { try await edit(id, change) }

    /// Deletes a task. A tombstone stays, and its completion stays in the statistics.
    public func deleteTask(_ id: UUID) async throws { try await delete(id) }

    /// Completes a task; a completed one stays as it is.
    public func completeTask(_ id: UUID) async throws -> TaskItem { try await complete(id) }
}
