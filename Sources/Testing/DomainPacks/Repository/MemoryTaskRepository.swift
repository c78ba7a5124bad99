import CivilTime
import FoundationEssentials
import Tasks

/// A `TaskRepository` in memory, for tests of screens: plain arrays, no store, no files.
///
/// ```swift
/// let home = UUID()
/// let screen = ListScreen(tasks: MemoryTaskRepository(lists: [home]), list: home)
/// ```
///
/// It behaves as a store does in what the protocol offers; a recurring task gets no next occurrence.
public actor MemoryTaskRepository: TaskRepository {
    private let lists: Set<UUID>
    private let clock: any TimeSource
    private var tasks: [UUID: TaskItem] = [:]
    /// The tasks of each list, and of none, in their order.
    private var orders: [UUID?: [UUID]] = [:]
    /// How many tasks were created: their ids follow from it.
    private var created: UInt64 = 0

    /// Creates a repository without tasks.
    ///
    /// - Parameters:
    ///   - lists: the lists that tasks can be created in.
    ///   - clock: the time of the tasks; by default one that stands still.
    public init(lists: [UUID] = [], clock: any TimeSource = SettableClock(Instant(secondsSince1970: 0))) {
        self.lists = Set(lists)
        self.clock = clock
    }

    /// Returns the tasks of a list in its order; for nil, those in no list.
    public func fetchTasks(in list: UUID?) -> [TaskItem] { orders[list, default: []].compactMap { tasks[$0] } }

    /// Creates a task at the end of a list, or in none.
    public func createTask(_ title: String, in list: UUID?) throws -> TaskItem {
        try check(title)
        if let list, !lists.contains(list) { throw TaskError.noSuchList }
        created += 1
        let id = UUID(high: 0x7000, low: 0x8000_0000_0000_0000 | created)
        var task = TaskItem(id: id, text: title, createdAt: clock.wall)
        task.listID = list
        tasks[task.id] = task
        orders[list, default: []].append(task.id)
        return task
    }

    /// Changes the text, the notes or other details of a task.
    public func updateTask(_ id: UUID, _ change: @Sendable (inout TaskItem) -> Void) throws -> TaskItem {
        var task = try task(id)
        change(&task)
        task.id = id
        try check(task.text)
        return save(task)
    }

    /// Deletes a task.
    public func deleteTask(_ id: UUID) throws {
        let task = try task(id)
        tasks[id] = nil
        orders[task.listID]?.removeAll { $0 == id }
    }

    /// Completes a task; a completed one stays as it is.
    public func completeTask(_ id: UUID) throws -> TaskItem {
        var task = try task(id)
        guard !task.isCompleted else { return task }
        task.state = .completed
        task.completedAt = clock.wall
        return save(task)
    }

    private func task(_ id: UUID) throws -> TaskItem {
        guard let task = tasks[id] else { throw TaskError.noSuchTask(id: id.lowercased) }
        return task
    }

    private func check(_ text: String) throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw TaskError.emptyText }
    }

    private func save(_ task: TaskItem) -> TaskItem {
        var task = task
        task.updatedAt = max(clock.wall, task.updatedAt.advanced(byMicroseconds: 1))
        tasks[task.id] = task
        return task
    }
}
