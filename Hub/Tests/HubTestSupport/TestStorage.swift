import Daybook
import EmbeddedHub
import FoundationEssentials
import Glibc
import HubCore
import Postgres
import PostgresHub
import Sync
import Synchronization

/// A storage that a test runs against.
package enum TestStorage: Sendable, Hashable, CustomStringConvertible {
    /// A Daybook store in a temporary folder.
    case embedded
    /// Tables of its own in the PostgreSQL that Scripts/hub has started.
    case postgres(PostgresIsolation)

    /// All that can run here.
    package static var all: [TestStorage] {
        [.embedded] + (database == nil ? [] : PostgresIsolation.allCases.map { .postgres($0) })
    }

    /// Those in PostgreSQL.
    package static var databases: [TestStorage] { all.filter { $0 != .embedded } }

    /// The URI of the database; nil when none runs.
    package static var database: String? { environment("DAYBOOK_HUB_TEST_DATABASE") }

    /// Whether a missing database is a failure.
    package static var isDatabaseRequired: Bool { environment("DAYBOOK_REQUIRE_POSTGRES") != nil }

    package var description: String {
        switch self {
        case .embedded: "embedded"
        case .postgres(let isolation): "PostgreSQL, \(isolation.rawValue.lowercased())"
        }
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Runs a test with an empty storage, which is removed afterwards.
    @discardableResult
    package func with<Result>(
        faults: PostgresProbe? = nil, connections: Int = 3, _ body: (any HubStorage) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .embedded:
            let folder = "/tmp/daybook-hub-test-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let storage = try EmbeddedStorage(folder: folder)
            do {
                let result = try await body(storage)
                await storage.close()
                return result
            } catch {
                await storage.close()
                throw error
            }
        case .postgres(let isolation):
            guard let url = Self.database else { throw SyncRefusal.unavailable }
            return try await Self.withSchema(of: url) { url in
                var configuration = PostgresConfiguration(url: url)
                configuration.isolation = isolation
                let plain = PostgresStorage(configuration)
                _ = try await plain.migrate()
                await plain.close()
                configuration.connections = connections
                configuration.probe = faults
                if faults != nil {
                    configuration.attempts = 10_000
                    configuration.deadline = .seconds(120)
                    configuration.pause = { _ in }
                }
                let storage = PostgresStorage(configuration)
                do {
                    let result = try await body(storage)
                    await storage.close()
                    return result
                } catch {
                    await storage.close()
                    throw error
                }
            }
        }
    }

    /// Lends the URI of a schema that is removed afterwards.
    package static func withSchema<Result>(
        of url: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let name = "t" + UUID().uuidString.replacing("-", with: "").lowercased()
        var configuration = PostgresConfiguration(url: url)
        configuration.connections = 1
        let pool = PostgresPool(configuration)
        func define(_ text: String) async throws {
            try await pool.transaction { _ = try $0.run([PostgresStatement(unprepared: text)]) }
        }
        try await define("CREATE SCHEMA \(name)")
        do {
            let result = try await body(url + "?options=-csearch_path%3D\(name)")
            try await define("DROP SCHEMA \(name) CASCADE")
            pool.close()
            return result
        } catch {
            try? await define("DROP SCHEMA \(name) CASCADE")
            pool.close()
            throw error
        }
    }
}

/// Faults at statements, by a seed.
package final class FaultPlan: Sendable {
    private let random: SeededRandomSource
    private let serializationPercent: UInt64
    private let unknownPercent: UInt64
    private let counts = Mutex<(conflicts: Int, unknown: Int)>((0, 0))

    package init(seed: UInt64, serializationPercent: UInt64 = 20, unknownPercent: UInt64 = 5) {
        random = SeededRandomSource(seed: seed)
        self.serializationPercent = serializationPercent
        self.unknownPercent = unknownPercent
    }

    /// How many of each kind were injected.
    package var injected: (conflicts: Int, unknown: Int) { counts.withLock { $0 } }

    package var probe: PostgresProbe {
        { [self] text in
            // The end of what has failed already.
            guard text != "ROLLBACK" else { return nil }
            let value = random.next() % 100
            if value < serializationPercent {
                counts.withLock { $0.conflicts += 1 }
                return .before(state: "40001")
            }
            guard value < serializationPercent + unknownPercent else { return nil }
            counts.withLock { $0.unknown += 1 }
            guard text == "COMMIT" else { return .before(state: "40003") }
            // A commit whose outcome is unknown has happened or not, and the connection is there or not.
            let faults: [PostgresFault] = [
                .before(state: "40003"), .after(state: "40003"), .disconnectBefore, .disconnectAfter,
            ]
            return faults[Int(random.next() % 4)]
        }
    }
}
