import HubCore
import HubTestSupport
import Postgres
import Synchronization
import Testing

@testable import PostgresHub

@Suite("Rolling upgrade")
struct UpgradeTests {
    private static let version = Statements.migrations.count

    /// What a next version could do to the tables without excluding this one's hubs.
    private static let compatible = [
        Migration(oldest: version, "ALTER TABLE units ADD COLUMN note bytea"),
        Migration(oldest: version, "CREATE INDEX units_by_device ON units (space, device)"),
        Migration(oldest: version, "ALTER TABLE devices ADD COLUMN seen int8 NOT NULL DEFAULT 0"),
    ]

    /// Two hubs behind a balancer that takes turns.
    private struct TakingTurns: HubStorage {
        let hubs: [PostgresStorage]
        let turn = Counter()
        let isShared = true

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any HubReading) throws -> Result
        ) async throws -> Result {
            try await hubs[turn.next() % hubs.count].read(body)
        }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any HubWriting) throws -> Result
        ) async throws -> Result {
            try await hubs[turn.next() % hubs.count].write(body)
        }

        func close() async { for hub in hubs { await hub.close() } }
    }

    private static func open(_ url: String, _ isolation: PostgresIsolation, _ migrations: [Migration])
        -> PostgresStorage
    {
        var configuration = PostgresConfiguration(url: url)
        configuration.isolation = isolation
        configuration.connections = 3
        return PostgresStorage(configuration, migrations: migrations)
    }

    @Test(
        "Hubs of two versions serve devices on one database before, during and after its migration",
        arguments: TestStorage.databases)
    func underLoad(_ kind: TestStorage) async throws {
        guard let url = TestStorage.database, case .postgres(let isolation) = kind else { return }
        try await TestStorage.withSchema(of: url) { url in
            let older = Self.open(url, isolation, Statements.migrations)
            let newer = Self.open(url, isolation, Statements.migrations + Self.compatible)
            let both = TakingTurns(hubs: [older, newer])
            do {
                try await older.migrate()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let steps = Counter()
                    for seed in UInt64(1)...4 {
                        group.addTask {
                            var run = RandomRun(TestHub(both, seed: seed), seed: seed, isFaulty: true)
                            try await run.hub.createSpace(devices: 1...3)
                            for _ in 0..<60 {
                                try await run.step()
                                // In the midst of all.
                                if steps.next() == 100 { #expect(try await newer.migrate() == Self.compatible.count) }
                            }
                            try await run.checkConvergence(isAlone: false)
                        }
                    }
                    try await group.waitForAll()
                }
                let fitting = FittingHubs(tables: Self.version + 3, oldest: Self.version, own: Self.version)
                #expect(try await older.fittingHubs() == fitting)
                #expect(try await older.check())
                #expect(try await newer.check())
            } catch {
                await both.close()
                throw error
            }
            await both.close()
        }
    }

    @Test(
        "A migration that excludes this version's hubs is reported by check", arguments: TestStorage.databases.prefix(1)
    )
    func excluding(_ kind: TestStorage) async throws {
        guard let url = TestStorage.database, case .postgres(let isolation) = kind else { return }
        try await TestStorage.withSchema(of: url) { url in
            let next = Self.version + 1
            let newer = Self.open(
                url, isolation,
                Statements.migrations + [Migration(oldest: next, "ALTER TABLE units RENAME COLUMN body TO contents")])
            let older = Self.open(url, isolation, Statements.migrations)
            #expect(
                try await older.fittingHubs().description.hasPrefix(
                    "Tables: none. This hub: version \(Self.version). After"))
            try await older.migrate()
            // Before it happens.
            let warning = try await newer.fittingHubs()
            #expect(
                warning == FittingHubs(tables: Self.version, oldest: 1, own: next, oldestAfterMigration: next))
            try await newer.migrate()
            let fitting = try await newer.fittingHubs()
            #expect(fitting == FittingHubs(tables: next, oldest: next, own: next))
            #expect(
                fitting.description
                    == "Tables: version \(next), for hubs of version \(next). This hub: version \(next).")
            await #expect(throws: PostgresStorage.NewerTables(version: next, known: Self.version)) {
                try await older.check()
            }
            await newer.close()
            await older.close()
        }
    }
}
