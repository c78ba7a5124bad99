import Daybook

/// A store of tasks with the same views and changes as Daybook's, implemented in its best documented way.
///
/// Queries return the number of tasks shown, so that none can be skipped; every write is durable when it returns.
protocol Peer: AnyObject, Sendable {
    /// Opens the store in a folder, or creates it. Views are queried at the given moment.
    init(folder: String, now: Instant) throws
    /// Closes the store; later use fails.
    func close() throws

    /// Reads Today, every task completely decoded.
    func today() throws -> Int
    /// Reads the days after today by day, every task completely decoded.
    func upcoming() throws -> Int
    /// Returns the ids of a view in its order.
    func ids(of view: PeerView) throws -> [UUID]

    /// Counts the tasks completed today, this week, this month and last month.
    func counts() throws -> [Int]
    /// Counts the tasks completed on each day of a month, and in the month before.
    func counts(of month: Month) throws -> [Int]

    /// Creates a task at the end of a day.
    func create(_ text: String, on day: Day) throws
    /// Creates tasks by the given number of concurrent writers, each the given number of tasks in sequence.
    func create(writers: Int, each: Int, on day: Day) async throws
    /// Changes the state of a task.
    func setState(_ id: UUID, to state: TaskState) throws
    /// Moves a task after another one of its day.
    func reorder(_ id: UUID, after other: UUID) throws
    /// Imports tasks from another store; none of them exists here.
    func add(_ tasks: [TaskItem]) async throws
    /// Exports every task to a JSON file.
    func export(to path: String) throws
}
