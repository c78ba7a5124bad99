import Daybook

/// A store of tasks that shows the same views and takes the same changes as Daybook's, in its own best documented way.
///
/// What reads gives back how many tasks it showed, so that none can be skipped; every write is durable when it returns.
protocol Peer: AnyObject, Sendable {
    /// Opens the store in a folder, and creates it when there is none. The moment is the one at which views are asked for.
    init(folder: String, now: Instant) throws
    /// Closes it; a later use fails.
    func close() throws

    /// Today, every task decoded whole.
    func today() throws -> Int
    /// The days after today, every task decoded whole, one part a day.
    func upcoming() throws -> Int
    /// The ids of a view in the order in which it shows them.
    func ids(of view: PeerView) throws -> [UUID]

    /// Completed today, this week, this month, last month.
    func counts() throws -> [Int]
    /// Completed on each day of a month, and in the month before.
    func counts(of month: Month) throws -> [Int]

    /// Creates a task at the end of a day.
    func create(_ text: String, on day: Day) throws
    /// The same by so many writers at once, each so many times, one after another.
    func create(writers: Int, each: Int, on day: Day) async throws
    /// Gives a task another state.
    func setState(_ id: UUID, to state: TaskState) throws
    /// Gives a task the place after another of its day.
    func reorder(_ id: UUID, after other: UUID) throws
    /// Takes tasks in that another store had; none of them is here already.
    func add(_ tasks: [TaskItem]) async throws
    /// Writes every task to a file, as JSON.
    func export(to path: String) throws
}
