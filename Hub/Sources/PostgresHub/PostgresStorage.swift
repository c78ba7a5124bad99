import FoundationEssentials
import HubCore
import Postgres
import Sync

/// A hub's storage in a database that speaks PostgreSQL's protocol. Any number of hubs may share it.
public struct PostgresStorage: HubStorage {
    let pool: PostgresPool
    private let heads: HeadAnnouncements
    private let migrations: [Migration]

    /// A storage whose connections begin with their first use.
    public init(_ configuration: PostgresConfiguration) {
        self.init(configuration, migrations: Statements.migrations)
    }

    /// A storage of another version of the hub: for tests.
    init(_ configuration: PostgresConfiguration, migrations: [Migration]) {
        pool = PostgresPool(configuration)
        heads = HeadAnnouncements(pool)
        self.migrations = migrations
    }

    /// True: other hubs may push.
    public var isShared: Bool { true }

    /// Whether the database has `LISTEN`, and its notifications arrive.
    public var isListening: Bool { heads.isListening }

    /// Notifies all hubs that listen.
    public func announce(_ head: SpaceHead) { heads.announce(head) }

    /// Begins to listen.
    public func announcements() -> AsyncStream<SpaceHead> { heads.announcements() }

    /// Retries by SQLSTATE, lost connections, unknown outcomes.
    public var counters: [String: Int64] { pool.counters }

    /// Reads with single statements, each of which sees what is committed.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any HubReading) throws -> Result
    ) async throws -> Result {
        try await refusing { try await pool.read { try body(PostgresRows($0)) } }
    }

    /// Writes in one transaction, which runs again while it loses against others.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any HubWriting) throws -> Result
    ) async throws -> Result {
        try await refusing {
            try await pool.transaction(retrying: { $0 is StorageConflict }) { transaction in
                let rows = PostgresRows(transaction)
                let result = try body(rows)
                try rows.flush()
                return result
            }
        }
    }

    /// Ends all connections.
    public func close() async { pool.close() }

    /// Brings the tables to this version's definition. Each definition and the row that records it are one transaction, and the
    /// row's key makes other hubs that migrate wait for it: each is carried out once, however many do so at the same time.
    ///
    /// - Returns: How many definitions were carried out.
    /// - Throws: `NewerTables`; `SyncRefusal.unavailable`, and then it can be called again.
    @discardableResult
    public func migrate() async throws -> Int {
        try await refusing {
            try await define(Statements.versionTable)
            try await define(Statements.oldestColumn)
            let done = try await version()
            guard done <= migrations.count else {
                try await checkNewer(version: done)
                return 0
            }
            var count = 0
            for (number, migration) in migrations.enumerated().dropFirst(done)
            where try await perform(migration, version: Int64(number + 1)) {
                count += 1
            }
            return count
        }
    }

    /// Whether the tables are what this version needs. Those of a newer version are, if that one allows it.
    ///
    /// - Throws: `NewerTables`; `SyncRefusal.unavailable`.
    public func check() async throws -> Bool {
        do {
            return try await refusing(knows: ["42P01"]) {
                let done = try await version()
                if done > migrations.count { try await checkNewer(version: done) }
                return done >= migrations.count
            }
        } catch PostgresError.server {
            // The table of versions is missing.
            return false
        }
    }

    /// Which hubs can work with the tables.
    ///
    /// - Throws: `SyncRefusal.unavailable`.
    public func fittingHubs() async throws -> FittingHubs {
        let present = try await refusing { try await requirements() }
        let tables = present.map(\.version).max() ?? 0
        let pending = migrations.enumerated().dropFirst(tables).map {
            Requirement(version: $0.offset + 1, oldest: $0.element.oldest)
        }
        func oldest(_ requirements: [Requirement]) -> Int {
            (1...max(1, tables, migrations.count)).first { known in requirements.allSatisfy { $0.permits(known) } }
                ?? tables
        }
        return FittingHubs(
            tables: tables, oldest: oldest(present), own: migrations.count,
            oldestAfterMigration: pending.isEmpty ? nil : oldest(present + pending))
    }

    /// The tables are of a newer version of the hub, which does not allow this one to work with them.
    public struct NewerTables: Error, Hashable, CustomStringConvertible {
        /// The version of the tables.
        public let version: Int
        /// The last version that this hub supports.
        public let known: Int

        /// What to do.
        public var description: String {
            """
            The tables are of version \(version), made by a newer hub. This hub knows version \(known), and cannot work with \
            them. Install the newer hub again, or restore a backup of the database from before its migration.
            """
        }
    }

    private func version() async throws -> Int {
        try await pool.read { transaction in
            try transaction.run([PostgresStatement(Statements.versions)])[0].rows.map { Int(try $0.integer(0)) }.max()
                ?? 0
        }
    }

    /// Checks that each version that this hub does not know allows it.
    private func checkNewer(version: Int) async throws {
        let known = migrations.count
        guard try await requirements().allSatisfy({ $0.permits(known) }) else {
            throw NewerTables(version: version, known: known)
        }
    }

    /// What each version of the tables requires of a hub.
    private func requirements() async throws -> [Requirement] {
        do {
            return try await pool.read { transaction in
                try transaction.run([PostgresStatement(Statements.requirements)])[0].rows.map { row in
                    Requirement(version: Int(try row.integer(0)), oldest: try row.optionalInteger(1).map { Int($0) })
                }
            }
        } catch PostgresError.server(state: "42703") {
            // The column is missing.
            return [Requirement(version: try await version(), oldest: nil)]
        } catch PostgresError.server(state: "42P01") {
            // The table is missing.
            return []
        }
    }

    private struct Requirement {
        let version: Int
        /// The first version whose hubs can work with the tables; nil when it was not recorded.
        let oldest: Int?

        /// Whether a hub that knows so many versions can work with the tables.
        func permits(_ known: Int) -> Bool { version <= known || oldest.map { $0 <= known } == true }
    }

    /// - Returns: false if it was done before, or by another hub meanwhile.
    private func perform(_ migration: Migration, version: Int64) async throws -> Bool {
        try await pool.transaction { transaction in
            let versions = try transaction.run([PostgresStatement(Statements.versions)])[0].rows
            if try versions.contains(where: { try $0.integer(0) == version }) { return false }
            // The row first: a hub that inserts the same one waits here, fails, and then sees that there is nothing to do.
            _ = try transaction.run([
                PostgresStatement(Statements.insertVersion, [.int8(version), .int8(Int64(migration.oldest))]),
                PostgresStatement(unprepared: migration.definition),
            ])
            return true
        }
    }

    private func define(_ definition: String) async throws {
        // Another hub may create the table, or the type of its rows, after this one has looked for it.
        let isDone: @Sendable (any Error) -> Bool = { error in
            ["42P07", "42710"].contains { error as? PostgresError == .server(state: $0) }
        }
        try await pool.transaction(retrying: isDone) {
            _ = try $0.run([PostgresStatement(unprepared: definition)])
        }
    }

    private func refusing<Result>(
        knows states: Set<String> = [], _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError {
            switch error {
            case .server(let state) where states.contains(state): throw error
            // Disk full.
            case .server(state: "53100"): throw SyncRefusal.full
            default: throw SyncRefusal.unavailable
            }
        } catch is StorageConflict {
            throw SyncRefusal.unavailable
        }
    }
}
