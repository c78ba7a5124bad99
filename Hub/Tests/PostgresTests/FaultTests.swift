import Foundation
import HubCore
import HubTestSupport
import Postgres
import PostgresHub
import Sync
import Synchronization
import Testing

@Suite("Faults of the database")
struct FaultTests {
    @Test("A database runs where one is required")
    func databaseIsThere() {
        #expect(!TestStorage.isDatabaseRequired || TestStorage.database != nil)
    }

    @Test(
        "With 20 % serialization failures and 5 % unknown outcomes at each statement everything still converges",
        arguments: TestStorage.databases)
    func injectedFaults(_ kind: TestStorage) async throws {
        for seed: UInt64 in 1...3 {
            let plan = FaultPlan(seed: seed)
            try await kind.with(faults: plan.probe) { storage in
                var run = RandomRun(TestHub(storage, seed: seed), seed: seed, isFaulty: true)
                try await run.hub.createSpace(devices: 1...3)
                for _ in 0..<40 { try await run.step() }
                try await run.checkConvergence()
            }
            let injected = plan.injected
            #expect(injected.conflicts > 50 && injected.unknown > 10, "seed \(seed)")
        }
    }

    @Test("Devices that push at the same time converge under faults", arguments: TestStorage.databases)
    func concurrentFaults(_ kind: TestStorage) async throws {
        let plan = FaultPlan(seed: 9, serializationPercent: 10)
        try await kind.with(faults: plan.probe, connections: 4) { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...3)
            let model = await withTaskGroup(of: [SyncUnit].self) { group in
                for device: UInt64 in 1...3 {
                    group.addTask {
                        var pushed: [SyncUnit] = []
                        for number: UInt64 in 1...12 {
                            let units = (0..<4).map { hub.unit(number % 3 * 4 + $0, at: Int64(number), by: device) }
                            let answer = try? await hub.push(units, number: number, by: device)
                            #expect(answer != nil)
                            pushed += units
                        }
                        return pushed
                    }
                }
                var model = UnitModel()
                for await units in group { for unit in units { model.merge(unit) } }
                return model
            }
            let all = try await hub.all()
            #expect(Set(all.units.map(\.unit)) == Set(model.units.values))
            #expect(all.last.digest == model.digest)
        }
    }

    @Test("An unknown outcome is reported and not repeated by the hub", arguments: TestStorage.databases)
    func unknownOutcome(_ kind: TestStorage) async throws {
        for fault: PostgresFault in [
            .before(state: "40003"), .after(state: "40003"), .after(state: "57P01"), .after(state: "08006"),
            .disconnectBefore, .disconnectAfter,
        ] {
            let commits = Counter()
            let isArmed = Counter()
            let probe: PostgresProbe = { text in
                guard text == "COMMIT", isArmed.value == 1 else { return nil }
                return commits.next() == 1 ? fault : nil
            }
            try await kind.with(faults: probe) { storage in
                let hub = TestHub(storage)
                try await hub.createSpace()
                isArmed.next()
                let request = SyncRequest(epoch: nil, pushNumber: 1, after: 0, units: [hub.unit(1)])
                await #expect(throws: SyncRefusal.unavailable) {
                    try await hub.hub.sync(request, space: hub.space, device: 1)
                }
                #expect(commits.value == 1)
                // The device pushes again, whatever has happened.
                let answer = try await hub.hub.sync(request, space: hub.space, device: 1)
                #expect(answer.results == [.accepted] && answer.head == 1)
                #expect(storage.counters["outcome_unknown"] == 1)
            }
        }
    }

    @Test("A space whose head is not what was read is not changed", arguments: TestStorage.databases)
    func movedHead(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            try await hub.push([hub.unit(1)], number: 1)
            await #expect(throws: SyncRefusal.unavailable) {
                try await storage.write { [space = hub.space] rows in
                    guard let read = try rows.lock(space, device: 1, records: []).space else { return }
                    var (old, new) = (read, read)
                    old.head += 1
                    new.head += 2
                    try rows.update(old, to: new)
                }
            }
            #expect(try await hub.pull().head == 1)
            #expect(storage.counters["head_moved", default: 0] > 1)
        }
    }

    @Test("A connection that is lost before the commit is replaced", arguments: TestStorage.databases)
    func lostConnection(_ kind: TestStorage) async throws {
        let statements = Counter()
        let probe: PostgresProbe = { text in
            text.hasPrefix("BEGIN") && statements.next() % 3 == 1 ? .disconnectBefore : nil
        }
        try await kind.with(faults: probe) { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            for number: UInt64 in 1...5 {
                let request = SyncRequest(epoch: nil, pushNumber: number, after: 0, units: [hub.unit(number)])
                #expect(try await hub.hub.sync(request, space: hub.space, device: 1).head == Int64(number))
            }
        }
    }

    @Test("A lock that is held too long ends with the deadline", arguments: TestStorage.databases.prefix(1))
    func deadline(_ kind: TestStorage) async throws {
        guard let url = TestStorage.database else { return }
        var configuration = PostgresConfiguration(url: url)
        configuration.connections = 1
        configuration.deadline = .milliseconds(600)
        let pool = PostgresPool(configuration)
        let start = ContinuousClock.now
        await #expect(throws: PostgresError.connectionLost) {
            try await pool.read { _ = try $0.run([PostgresStatement("SELECT CAST(pg_sleep(20) AS text)")]) }
        }
        #expect(ContinuousClock.now - start < .seconds(5))
        // The next one has a new connection.
        let one = try await pool.read {
            try $0.run([PostgresStatement("SELECT CAST(1 AS int8)")])[0].rows[0].integer(0)
        }
        #expect(one == 1)
        pool.close()
        await #expect(throws: PostgresError.closed) { try await pool.read { _ in } }
    }

    @Test("A server that is not there, or an unknown table, is an error without a text")
    func noServer() async throws {
        let storage = PostgresStorage(PostgresConfiguration(url: "postgresql://hub@127.0.0.1:1/none"))
        await #expect(throws: SyncRefusal.unavailable) { try await storage.check() }
        await storage.close()
        guard let url = TestStorage.database else { return }
        let pool = PostgresPool(PostgresConfiguration(url: url))
        await #expect(throws: PostgresError.server(state: "42P01")) {
            try await pool.read { _ = try $0.run([PostgresStatement("SELECT 1 FROM missing")]) }
        }
        pool.close()
    }

    @Test("Values of every type come back as they were", arguments: TestStorage.databases.prefix(1))
    func values(_ kind: TestStorage) async throws {
        guard let url = TestStorage.database else { return }
        let pool = PostgresPool(PostgresConfiguration(url: url))
        let id = [UInt8](0..<16)
        let row = try await pool.read { transaction in
            try transaction.run([
                PostgresStatement(
                    "SELECT $1, $2, $3, $4, $5, $6, $7, $4 = ANY($8)",
                    [
                        .int2(-2), .int8(.min), .bytes([]), .uuid(id), .bool(true), .text("a\u{0301}"), .int8(nil),
                        .uuids([id, [UInt8](repeating: 1, count: 16)]),
                    ])
            ])[0].rows[0]
        }
        #expect(try row.integer(0) == -2 && row.integer(1) == .min)
        #expect(try row.bytes(2).isEmpty && row.bytes(3) == id && row.bytes(5) == Array("a\u{0301}".utf8))
        #expect(try row.bool(4) && row.optionalInteger(6) == nil && row.bool(7))
        #expect(throws: PostgresError.unexpectedValue) { try row.integer(6) }
        pool.close()
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
