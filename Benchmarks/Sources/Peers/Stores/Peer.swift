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

extension Peer {
    func create(writers: Int, each: Int, on day: Day) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { [self] in
                    for number in 0..<each { try create(Sentences.create(writer: writer, number), on: day) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The views whose order is compared.
enum PeerView: CaseIterable {
    case today, upcoming
}

/// A failure of a peer or of the comparison.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The peers that a child process can open.
enum PeerKind: String, CaseIterable {
    case daybook, grdb, sqlite, json

    var name: String {
        switch self {
        case .daybook: Contestants.daybook
        case .grdb: Contestants.grdb
        case .sqlite: Contestants.sqlite
        case .json: Contestants.json
        }
    }

    var type: any Peer.Type {
        switch self {
        case .daybook: DaybookPeer.self
        case .grdb: GRDBPeer.self
        case .sqlite: SQLitePeer.self
        case .json: JSONPeer.self
        }
    }

    var store: Dataset.RecordStore {
        switch self {
        case .daybook: .daybook
        case .grdb: .grdb
        case .sqlite: .sqlite
        case .json: .json
        }
    }
}
