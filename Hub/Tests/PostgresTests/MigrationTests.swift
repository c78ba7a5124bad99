import HubTestSupport
import Postgres
import Sync
import Testing

@testable import PostgresHub

@Suite("Migrations")
struct MigrationTests {
    /// A definition that shows how often it was carried out: it fails when its table exists.
    private static func once(_ number: Int, oldest: Int = 1) -> Migration {
        Migration(oldest: oldest, "CREATE TABLE made_\(number) (id int8 PRIMARY KEY)")
    }

    private static func migrations(_ count: Int, oldest: [Int: Int] = [:]) -> [Migration] {
        (1...count).map { once($0, oldest: oldest[$0] ?? 1) }
    }

    /// Lends a schema, and what opens hubs of different versions on it.
    private static func withHubs(
        _ kind: TestStorage, _ body: (([Migration], PostgresProbe?) -> PostgresStorage) async throws -> Void
    ) async throws {
        guard let url = TestStorage.database, case .postgres(let isolation) = kind else { return }
        try await TestStorage.withSchema(of: url) { url in
            var hubs: [PostgresStorage] = []
            func open(_ migrations: [Migration], _ probe: PostgresProbe?) -> PostgresStorage {
                var configuration = PostgresConfiguration(url: url)
                configuration.isolation = isolation
                configuration.connections = 1
                configuration.probe = probe
                hubs.append(PostgresStorage(configuration, migrations: migrations))
                return hubs[hubs.count - 1]
            }
            do {
                try await body(open)
            } catch {
                for hub in hubs { await hub.close() }
                throw error
            }
            for hub in hubs { await hub.close() }
        }
    }

    @Test("Hubs that migrate at the same time carry out each definition once", arguments: TestStorage.databases)
    func atOnce(_ kind: TestStorage) async throws {
        for _ in 0..<4 {
            try await Self.withHubs(kind) { open in
                let hubs = (0..<6).map { _ in open(Self.migrations(5), nil) }
                #expect(try await hubs[0].check() == false)
                let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                    for hub in hubs { group.addTask { try await hub.migrate() } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counts.reduce(0, +) == 5)
                for hub in hubs {
                    #expect(try await hub.check())
                    #expect(try await hub.migrate() == 0)
                }
            }
        }
    }

    @Test(
        "A table of versions that another hub creates at the same moment is used",
        arguments: ["42P07", "42710", "23505"])
    func createdMeanwhile(_ state: String) async throws {
        guard let kind = TestStorage.databases.first else { return }
        try await Self.withHubs(kind) { open in
            let attempts = Counter()
            let probe: PostgresProbe = { text in
                text == Statements.versionTable && attempts.next() == 1 ? .after(state: state) : nil
            }
            let count = try await open(Self.migrations(2), probe).migrate()
            #expect(count == 2 && attempts.value == 2)
        }
    }

    @Test(
        "A definition whose transaction fails leaves neither its table nor its version",
        arguments: TestStorage.databases)
    func failedTransaction(_ kind: TestStorage) async throws {
        for fault: PostgresFault in [.before(state: "53100"), .disconnectBefore, .disconnectAfter] {
            try await Self.withHubs(kind) { open in
                let commits = Counter()
                let migrations = Self.migrations(2)
                // The table of versions and its column come first.
                let probe: PostgresProbe = { text in
                    text == "COMMIT" && commits.next() == 4 ? fault : nil
                }
                let hub = open(migrations, probe)
                await #expect(throws: SyncRefusal.self) { try await hub.migrate() }
                let other = open(migrations, nil)
                try await other.migrate()
                #expect(try await other.check())
                #expect(try await hub.check())
            }
        }
    }

    @Test(
        "A hub works with newer tables if each newer version allows it", arguments: TestStorage.databases.prefix(1))
    func newerTables(_ kind: TestStorage) async throws {
        // Every way in which three later versions allow one that knows two.
        for first in 1...3 {
            for second in 1...4 {
                for third in 1...5 {
                    try await Self.withHubs(kind) { open in
                        let newer = open(Self.migrations(5, oldest: [3: first, 4: second, 5: third]), nil)
                        try await newer.migrate()
                        for known in 1...5 {
                            let hub = open(Self.migrations(known), nil)
                            let isAllowed = zip(3...5, [first, second, third]).allSatisfy { $0 <= known || $1 <= known }
                            if isAllowed {
                                #expect(try await hub.check(), "\(known) of \(first), \(second), \(third)")
                                #expect(try await hub.migrate() == 0)
                            } else {
                                let error = PostgresStorage.NewerTables(version: 5, known: known)
                                await #expect(throws: error) { try await hub.check() }
                                await #expect(throws: error) { try await hub.migrate() }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("Tables of before versions said who can use them are used by hubs that know them, and by no older one")
    func withoutRequirements() async throws {
        guard let kind = TestStorage.databases.first else { return }
        try await Self.withHubs(kind) { open in
            let pool = open([], nil).pool
            try await pool.transaction { transaction in
                for definition in [Statements.versionTable] + Self.migrations(3).map(\.definition) {
                    _ = try transaction.run([PostgresStatement(unprepared: definition)])
                }
                for version in 1...3 {
                    _ = try transaction.run([
                        PostgresStatement(unprepared: "INSERT INTO schema_versions (version) VALUES (\(version))")
                    ])
                }
            }
            let old = open(Self.migrations(2), nil)
            await #expect(throws: PostgresStorage.NewerTables(version: 3, known: 2)) { try await old.check() }
            let same = open(Self.migrations(3), nil)
            #expect(try await same.check())
            let new = open(Self.migrations(4), nil)
            #expect(try await new.check() == false)
            #expect(try await new.migrate() == 1)
            // The rows of before say nothing, so that nothing older may start; the hub of before the migration may.
            await #expect(throws: PostgresStorage.NewerTables(version: 4, known: 2)) { try await old.check() }
            #expect(try await same.check())
        }
    }

    @Test("Each definition of this version names a version up to its own")
    func oldestVersions() {
        for (number, migration) in Statements.migrations.enumerated() {
            #expect(1...(number + 1) ~= migration.oldest)
        }
    }
}
