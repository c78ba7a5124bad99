import Daybook
import FoundationEssentials
import GRDB

/// GRDB with a pool in WAL, every commit flushed, statements cached where GRDB caches them, records by Codable.
final class GRDBPeer: Peer {
    let pool: DatabasePool
    private let time: PeerTime

    static func path(_ folder: String) -> String { "\(folder)/tasks.sqlite" }

    init(folder: String, now: Instant) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let isNew = !FileManager.default.fileExists(atPath: Self.path(folder))
        pool = try DatabasePool(path: Self.path(folder))
        time = try PeerTime(now)
        // A pool sets NORMAL when it opens, which does not flush a commit. It has one connection that writes.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw PeerFailure("GRDB's commits would not be durable: synchronous is not FULL")
            }
            if isNew { try database.execute(sql: TaskTable.schema) }
        }
    }

    /// Adds an index of words, which inserts keep from now on.
    func indexWords() throws {
        try pool.write { try $0.execute(sql: TaskTable.wordIndex) }
    }

    func close() throws { try pool.close() }

    // MARK: Views

    private static let dayView = "day = ? AND archivedAt IS NULL ORDER BY state, position"
    private static let upcomingView = "day > ? AND archivedAt IS NULL ORDER BY day, state, position"

    private func fetch(_ condition: String) throws -> [TaskFields] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT * FROM task WHERE \(condition)")
            return try TaskFields.fetchAll(statement, arguments: [time.day])
        }
    }

    private func fetchNumbered(_ condition: String) throws -> [NumberedTask] {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(NumberedTask.columns) FROM task WHERE \(condition)")
            return try NumberedTask.fetchAll(statement, arguments: [time.day])
        }
    }

    func today() throws -> Int { try fetch(Self.dayView).count }
    func upcoming() throws -> Int {
        try DayGroup.groups(of: fetch(Self.upcomingView)).reduce(0) { $0 + $1.tasks.count }
    }

    /// Reads the same by numbered columns.
    func todayNumbered() throws -> Int { try fetchNumbered(Self.dayView).count }
    func upcomingNumbered() throws -> Int {
        try DayGroup.groups(of: fetchNumbered(Self.upcomingView).map(\.task)).reduce(0) { $0 + $1.tasks.count }
    }

    func ids(of view: PeerView) throws -> [UUID] {
        let condition = view == .today ? Self.dayView : Self.upcomingView
        let ids = try fetch(condition).map(\.id)
        guard try fetchNumbered(condition).map(\.task.id) == ids else {
            throw PeerFailure("GRDB's two ways to read a record differ")
        }
        return ids
    }

    // MARK: Statistics

    func counts() throws -> [Int] {
        try pool.read { database in try time.periods.ranges.map { try count($0, database) } }
    }

    /// Returns one number: `count(*)` over an index of completions.
    func count(of month: Month) throws -> Int {
        let range = time.zone.range(of: month.days)
        return try pool.read { try count(range, $0) }
    }

    private func count(_ range: Range<Instant>, _ database: Database) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT count(*) FROM task WHERE completedAt >= ? AND completedAt < ?")
        return try Int.fetchOne(
            statement, arguments: [range.lowerBound.microsecondsSince1970, range.upperBound.microsecondsSince1970]) ?? 0
    }

    func counts(of month: Month) throws -> [Int] {
        let month = try MonthRange(month, zone: time.zone)
        let from = month.range.lowerBound.microsecondsSince1970
        return try pool.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT (completedAt + ?3) / 86400000000 AS d, count(*) FROM task
                    WHERE completedAt >= ?1 AND completedAt < ?2 GROUP BY d
                    """)
            let first = (from + month.offset) / 86_400_000_000
            var days = [Int](repeating: 0, count: month.dayCount)
            let rows = try Row.fetchCursor(
                statement, arguments: [from, month.range.upperBound.microsecondsSince1970, month.offset])
            while let row = try rows.next() {
                let day: Int64 = row[0]
                days[Int(day - first)] = row[1]
            }
            return days + [try count(month.previous, database)]
        }
    }

    // MARK: Writes

    func create(_ text: String, on day: Day) throws {
        try pool.write { try insert(text, Int(day.daysSince1970), $0) }
    }

    private func insert(_ text: String, _ day: Int, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: Self.last)
        let last = try Int64.fetchOne(statement, arguments: [day])
        try TaskFields(
            id: time.identifiers.make(), text: text, day: day, position: last.map { $0 + Moments.gap } ?? 0,
            now: time.now
        ).insert(database)
    }

    private static let last = TaskTable.edge("max")
    private static let next = TaskTable.edge("min", where: " AND position > ?2 AND id <> ?3")

    /// Creates tasks by asynchronous writes, which GRDB runs one after the other, each in a separate transaction.
    func create(writers: Int, each: Int, on day: Day) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { [self] in
                    for number in 0..<each {
                        let text = Sentences.create(writer: writer, number)
                        try await pool.write { try self.insert(text, Int(day.daysSince1970), $0) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func setState(_ id: UUID, to state: TaskState) throws {
        try pool.write { database in
            guard var task = try TaskFields.fetchOne(database, key: id) else { throw PeerFailure("no such task") }
            try task.updateChanges(database) { $0.set(state, at: time.now, in: time.zone) }
        }
    }

    func reorder(_ id: UUID, after other: UUID) throws {
        try pool.write { database in
            guard var task = try TaskFields.fetchOne(database, key: id),
                let before = try TaskFields.fetchOne(database, key: other)
            else { throw PeerFailure("no such task") }
            let statement = try database.cachedStatement(sql: Self.next)
            let next = try Int64.fetchOne(statement, arguments: [before.day, before.position, id])
            let place = next.map { before.position + ($0 - before.position) / 2 } ?? before.position + Moments.gap
            guard place != before.position else { throw PeerFailure("the gaps are used up") }
            try task.updateChanges(database) {
                $0.position = place
                $0.updatedAt = time.now.microsecondsSince1970
            }
        }
    }

    // MARK: Files

    func add(_ tasks: [TaskItem]) async throws {
        try await pool.write { database in
            for task in tasks { try TaskFields(task).insert(database) }
        }
    }

    func export(to path: String) throws {
        let tasks = try pool.read { database in
            try NumberedTask.fetchAll(
                database.cachedStatement(sql: "SELECT \(NumberedTask.columns) FROM task ORDER BY day, position")
            ).map(\.task)
        }
        try JSONFile.write(ExportedTasks(tasks: tasks), to: path, isDurable: false)
    }
}
