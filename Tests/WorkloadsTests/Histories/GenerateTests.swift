import Daybook
import Synchronization
import TestSupport
import Testing
import Workloads

@Suite struct GenerateTests {
    private let now = Instant(secondsSince1970: 1_770_739_200)

    @Test("Equal seeds produce equal exports, whatever the clock and the random source")
    func equalSeeds() async throws {
        let first = try await export(seed: 5, random: 1)
        #expect(try await export(seed: 5, random: 2) == first)
        #expect(try await export(seed: 6, random: 1) != first)
        #expect(first.count > 100_000)
    }

    @Test("A generated store passes verification")
    func leavesAStoreThatIsSound() async throws {
        try await withStore(random: 1) { (daybook) throws in
            #expect(try await daybook.generate(taskCount: 2500, seed: 1) == 2500)
            #expect(try daybook.tasks.read { try $0.count() } == 2500)
            #expect(try daybook.verify().problems == [])
            #expect(try daybook.tasks.statistics().hasHistory)
        }
    }

    @Test("Far more tasks than the design is made for are listed, counted, found and verified [C-AD16]")
    func manyTasks() async throws {
        let count = TestBudget.count(20_000, long: 100_000, quick: 10_000)
        try await withStore(random: 1) { (daybook) throws in
            #expect(try await daybook.generate(taskCount: count, seed: 1) == count)
            #expect(try daybook.tasks.read { try $0.count() } == count)
            let pastTasks = try daybook.tasks.past(limit: 100)
            #expect(pastTasks.count == 100)
            let task = try await daybook.tasks.create("x", in: .today)
            #expect(try daybook.tasks.today().tasks.map(\.id).contains(task.id))
            try await daybook.tasks.complete(task.id)
            #expect(try daybook.tasks.statistics().today >= 1)
            #expect(try daybook.verify().problems == [])
        }
    }

    @Test("Generating a history is undone in one step")
    func isUndoneAsOne() async throws {
        try await withStore(random: 1) { (daybook) throws in
            try await daybook.generate(taskCount: 2500, seed: 1)
            try await daybook.tasks.undo()
            #expect(try daybook.tasks.read { try $0.count() } == 0)
        }
    }

    @Test("Generating into a store with tasks is refused and changes nothing")
    func storeWithTasks() async throws {
        try await withStore(random: 1) { (daybook) throws in
            try await daybook.tasks.create("Mine")
            await #expect(throws: HistoryError.notEmpty(taskCount: 1)) {
                try await daybook.generate(taskCount: 10, seed: 1)
            }
            #expect(try daybook.tasks.inbox().map(\.text) == ["Mine"])
        }
    }

    private func export(seed: UInt64, random: UInt64) async throws -> [UInt8] {
        try await withStore(random: random) { (daybook) throws in
            try await daybook.generate(taskCount: 1500, seed: seed)
            let bytes = Mutex<[UInt8]>([])
            try daybook.files.export(as: .ndjson) { chunk in bytes.withLock { $0 += chunk } }
            return bytes.withLock { $0 }
        }
    }

    private func withStore<Result>(random: UInt64, _ body: (DaybookStore) async throws -> Result) async throws -> Result
    {
        let folder = TemporaryFolder()
        let context = Context(
            clock: SettableClock(now), random: SeededRandomSource(seed: random), currentZone: { .utc },
            weekStart: .monday)
        let daybook = try DaybookStore.open(at: folder.file("store"), context: context)
        defer { daybook.close() }
        return try await body(daybook)
    }
}
