import CSQLitePeer
import Daybook
import FoundationEssentials
import Synchronization

/// SQLite through its C API, from a program in C: one connection, each statement prepared once.
final class SQLitePeer: Peer {
    /// One thread at a time uses the connection: calls that several threads may make lock in C.
    private struct Connection: @unchecked Sendable {
        let peer: OpaquePointer
    }

    private let connection: Connection
    private let time: PeerTime

    private var peer: OpaquePointer { connection.peer }

    static func path(_ folder: String) -> String { "\(folder)/tasks.sqlite" }

    init(folder: String, now: Instant) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let isNew = !FileManager.default.fileExists(atPath: Self.path(folder))
        guard let peer = sqlite_peer_open(Self.path(folder), isNew ? TaskTable.schema : nil) else {
            throw PeerFailure("cannot open SQLite in \(folder)")
        }
        connection = Connection(peer: peer)
        time = try PeerTime(now)
    }

    /// Adds an index of words, which inserts keep from now on.
    func indexWords() throws { try check(sqlite_peer_execute(peer, TaskTable.wordIndex)) }

    func close() { sqlite_peer_close(peer) }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw PeerFailure("SQLite: \(String(cString: sqlite_peer_message(peer)))") }
    }

    private func count(_ count: Int32) throws -> Int {
        guard count >= 0 else { throw PeerFailure("SQLite: \(String(cString: sqlite_peer_message(peer)))") }
        return Int(count)
    }

    // MARK: Views

    func today() throws -> Int { try count(sqlite_peer_day(peer, Int64(time.day))) }

    func upcoming() throws -> Int { try count(sqlite_peer_from_day(peer, Int64(time.day) + 1)) }

    func ids(of view: PeerView) throws -> [UUID] {
        let count = view == .today ? try today() : try upcoming()
        var bytes = [UInt8](repeating: 0, count: 16 * count)
        sqlite_peer_ids(peer, &bytes)
        return (0..<count).map { UUID(bytes: bytes[(16 * $0)..<(16 * $0 + 16)]) }
    }

    // MARK: Statistics

    func counts() throws -> [Int] { try time.periods.ranges.map(count) }

    func count(of month: Month) throws -> Int { try count(time.zone.range(of: month.days)) }

    private func count(_ range: Range<Instant>) throws -> Int {
        let number = sqlite_peer_count(
            peer, range.lowerBound.microsecondsSince1970, range.upperBound.microsecondsSince1970)
        guard number >= 0 else { throw PeerFailure("SQLite cannot count") }
        return Int(number)
    }

    func counts(of month: Month) throws -> [Int] {
        let month = try MonthRange(month, zone: time.zone)
        var days = [Int64](repeating: 0, count: month.dayCount)
        let code = sqlite_peer_count_days(
            peer, month.range.lowerBound.microsecondsSince1970, month.range.upperBound.microsecondsSince1970,
            month.offset, &days, Int64(days.count))
        try check(code)
        return days.map(Int.init) + [try count(month.previous)]
    }

    // MARK: Writes

    func create(_ text: String, on day: Day) throws {
        try check(
            sqlite_peer_create(
                peer, time.identifiers.make().bytes, text, Int64(day.daysSince1970), time.now.microsecondsSince1970,
                Moments.gap))
    }

    func setState(_ id: UUID, to state: TaskState) throws {
        let isCompleted = state == .completed
        try check(
            sqlite_peer_set_state(
                peer, id.bytes, Int64(state.rank), time.now.microsecondsSince1970,
                isCompleted ? time.zone.identifier : nil,
                isCompleted ? Int64(time.zone.offsetSeconds(at: time.now)) : Int64.min))
    }

    func reorder(_ id: UUID, after other: UUID) throws {
        try check(sqlite_peer_reorder(peer, id.bytes, other.bytes, time.now.microsecondsSince1970, Moments.gap))
    }

    // MARK: Files

    func add(_ tasks: [TaskItem]) throws {
        try check(sqlite_peer_begin(peer))
        for task in tasks { try insert(task) }
        try check(sqlite_peer_commit(peer))
    }

    /// Inserts a task inside the current transaction.
    func insert(_ task: TaskItem) throws {
        let none = Int64.min
        try check(
            sqlite_peer_insert(
                peer, task.id.bytes, task.text, Int64(task.state.rank), task.createdAt.microsecondsSince1970,
                task.updatedAt.microsecondsSince1970, task.completedAt?.microsecondsSince1970 ?? none,
                task.completedZone, task.completedOffsetSeconds.map(Int64.init) ?? none,
                (task.scheduledDate?.daysSince1970).map(Int64.init) ?? none, task.position, task.notes))
    }

    func begin() throws { try check(sqlite_peer_begin(peer)) }
    func commit() throws { try check(sqlite_peer_commit(peer)) }

    func export(to path: String) throws { try check(sqlite_peer_export(peer, path)) }
}
