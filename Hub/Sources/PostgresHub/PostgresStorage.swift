import FoundationEssentials
import HubCore
import Postgres
import Sync

/// A hub's storage in a database that speaks PostgreSQL's protocol. Any number of hubs may share it.
public struct PostgresStorage: HubStorage {
    private let pool: PostgresPool

    /// A storage whose connections begin with their first use.
    public init(_ configuration: PostgresConfiguration) {
        pool = PostgresPool(configuration)
    }

    /// True: other hubs may push.
    public var isShared: Bool { true }

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

    /// Brings the tables to this version's definition: one definition in a transaction, and each at most once.
    ///
    /// - Returns: How many definitions were carried out.
    @discardableResult
    public func migrate() async throws -> Int {
        try await refusing {
            try await define(Statements.versionTable)
            let done = try await version()
            guard done <= Statements.migrations.count else { throw NewerTables() }
            for (number, migration) in Statements.migrations.enumerated().dropFirst(done) {
                try await define(migration)
                try await pool.transaction { transaction in
                    let versions = try transaction.run([PostgresStatement(Statements.versions)])[0].rows
                    // Another hub may have migrated at the same time.
                    guard try !versions.contains(where: { try $0.integer(0) == Int64(number + 1) }) else { return }
                    _ = try transaction.run([PostgresStatement(Statements.insertVersion, [.int8(Int64(number + 1))])])
                }
            }
            return Statements.migrations.count - done
        }
    }

    /// Whether the tables are what this version needs.
    public func check() async throws -> Bool {
        do {
            return try await refusing(knows: ["42P01"]) { try await version() == Statements.migrations.count }
        } catch PostgresError.server {
            // The table of versions is missing.
            return false
        }
    }

    /// The tables are of a newer version of the hub.
    public struct NewerTables: Error, CustomStringConvertible {
        /// What to do.
        public var description: String { "The tables were made by a newer version of the hub. Update this one." }
    }

    private func version() async throws -> Int {
        try await pool.read { transaction in
            try transaction.run([PostgresStatement(Statements.versions)])[0].rows.map { Int(try $0.integer(0)) }.max()
                ?? 0
        }
    }

    private func define(_ definition: String) async throws {
        try await pool.transaction { _ = try $0.run([PostgresStatement(unprepared: definition)]) }
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
