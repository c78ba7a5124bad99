import Daybook
import KeyValue
import Measuring
import Synchronization
import TestSupport
import Testing

@testable import Workloads

@Suite struct BudgetTests {
    private let folder = TemporaryFolder()

    private func store(taskCount: Int) async throws -> BenchStore {
        try await BenchStore.make(at: folder.file("store"), .history(taskCount: taskCount, seed: 1))
        return try BenchStore(at: folder.file("store"))
    }

    private static let empty = BenchReport(
        machine: Machine(processor: "any", cores: 1, memory: 1, kernel: "any", disk: "any"),
        date: "2026-01-01T00:00:00Z", program: "test", size: 1000)

    @Test("A report has a row for every requested operation, with the requested number of runs")
    func report() async throws {
        var plan = BenchRun.Plan(taskCount: 300, largest: 1000)
        plan.mostRounds = 3
        (plan.journalSize.threads, plan.journalSize.entries) = (3, 5)
        let run = BenchRun(in: folder.path, plan, memory: { _ in MemoryRun() })
        let report = try await run.run(machine: Self.empty.machine, date: "2026-01-01T00:00:00Z", program: "test")
        #expect(report.size == 300)
        #expect(report.budgets.map(\.operation) == Operation.all.map(\.name))
        for (row, operation) in zip(report.budgets, Operation.all) {
            #expect(row.timings.runs == 3, "\(row.operation)")
            #expect(row.timings.median > 0 && row.timings.median <= row.timings.longest, "\(row.operation)")
            #expect(row.budget == operation.budget(forTasks: 300), "\(row.operation)")
            #expect(row.requirements == operation.requirements, "\(row.operation)")
            #expect((row.floor != nil) == (operation.floor != .none), "\(row.operation)")
        }
        #expect(
            report.sizes.first { $0.name == "snapshot" }.map { $0.measured.byteCount > 0 && $0.holds == true } == true)
        #expect(report.sizes.map(\.name) == ["disk", "snapshot", "memory-resident"])
        #expect(report.sizes.map(\.requirement) == ["C-NFR11", "S-32", "C-NFR9"])
        let rows = Dictionary(
            report.scale.map { ($0.operation, $0.points.map(\.rows)) }, uniquingKeysWith: { first, _ in first })
        #expect(rows["today"] == [50])
        #expect(rows["list-500"] == [500])
        #expect(rows["order-preview"] == [500])
        #expect(rows["past-100"] == [100])
    }

    @Test("An operation over its budget is measured three times and reported, one within it once")
    func budgets() async throws {
        let store = try await store(taskCount: 100)
        defer { store.close() }
        let budgets = try BudgetRun(in: store, taskCount: 100)
        let runs = Atomic(0)
        func operation(budget: Int64) -> Workloads.Operation {
            Operation(
                name: "wait", title: "wait for two milliseconds", budget: budget, floor: .none, rounds: 5,
                isSteady: true,
                body: .question(at: .plannedDay) { _ in
                    runs.add(1, ordering: .relaxed)
                    let start = ContinuousClock.now
                    while ContinuousClock.now - start < .milliseconds(2) {}
                    return 1
                })
        }
        let within = try await budgets.measure(operation(budget: .milliseconds(60_000)))
        #expect(within.holds && within.timings.median >= .milliseconds(2))
        // Five runs after three that warm up.
        #expect(runs.load(ordering: .relaxed) == 8)
        let over = try await budgets.measure(operation(budget: .milliseconds(1)))
        #expect(!over.holds && over.timesUnder < 1)
        #expect(runs.load(ordering: .relaxed) == 8 + 3 * 8)
        var report = Self.empty
        report.budgets = [within, over]
        #expect(Gate.findings(in: report).map(\.verdict) == [.worse])
    }

    @Test("A planted slowdown breaks a budget [S-69]")
    func slowdown() async throws {
        let store = try await store(taskCount: 100)
        defer { store.close() }
        let operation = Operation(
            name: "nothing", title: "nothing", budget: .milliseconds(20), floor: .none, rounds: 2, isSteady: true,
            body: .question(at: .plannedDay) { _ in 1 })
        let slowed = try BudgetRun(in: store, taskCount: 100, delay: .milliseconds(21))
        var report = Self.empty
        report.budgets = [try await slowed.measure(operation)]
        #expect(Gate.findings(in: report).map(\.verdict) == [.worse])
    }

    @Test("The store after a kill has a long commit log, and shows its tasks once it is opened [C-NFR1]")
    func killedStore() async throws {
        let store = try await store(taskCount: 100)
        defer { store.close() }
        // Opening one removes its log, and the next one has it again.
        for _ in 0..<2 {
            try store.leaveKilledStore()
            let state = try #require(try CommitLogState(ofStore: store.killedPath))
            #expect(state.recordCount > 50)
            let opened = try DaybookStore.open(
                at: store.killedPath, context: BenchStore.context(at: BenchStore.plannedMoment))
            #expect(try opened.tasks.today().tasks.count > BenchStore.todayLength + 50)
            opened.close()
        }
        #expect(try store.daybook.tasks.today().tasks.count == BenchStore.todayLength)
    }

    @Test("The other stores have the size that their budgets are for [C-S7.6] [J-PF1]")
    func otherStores() async throws {
        let path = folder.path + "/store"
        try await BenchStore.make(at: path, .history(taskCount: 1, seed: 1))
        var size = BenchStore.JournalSize()
        #expect(size.threads == 100 && size.entries == 1000)
        (size.threads, size.entries) = (4, 3)
        let store = try BenchStore(at: path, journalSize: size)
        defer { store.close() }
        let context = BenchStore.context(at: BenchStore.plannedMoment)
        for count in [10, 500] {
            try await store.makeSmallStoreIfMissing(taskCount: count)
            let small = try DaybookStore.open(at: store.smallPath(taskCount: count), context: context)
            defer { small.close() }
            #expect(try small.tasks.read { try $0.count() } == count)
        }
        try store.makeJournalIfMissing()
        let journal = try DaybookStore.open(at: store.journalPath, context: context)
        defer { journal.close() }
        let threads = try journal.journals.threads()
        #expect(threads.count == 4)
        for thread in threads { #expect(try journal.journals.entries(of: thread.thread.id).count == 3) }
    }

    @Test("Floors read the same tasks as the operations")
    func floors() async throws {
        let store = try await store(taskCount: 1000)
        defer { store.close() }
        let raw = try RawStore(at: store.path)
        for operation in Operation.all {
            guard case .scan(let scan) = operation.floor, scan.limit != 1 else { continue }
            // The floor of an operation on a complete store reads every task.
            let rows =
                operation.isSteady ? try operation.rows(in: store) : try store.daybook.tasks.read { try $0.count() }
            #expect(try raw.read(scan) == rows, "\(operation.name)")
        }
    }
}

@Suite struct RecordCodecTests {
    @Test("Encoded records decode to equal records")
    func roundTrip() throws {
        let end = Instant(secondsSince1970: 1_770_739_200)
        let tasks = History(taskCount: 300, seed: 3, endingAt: end, in: .utc).map(\.task)
        var read: [TaskItem] = []
        for task in tasks {
            var key = KeyBytes()
            task.id.encode(into: &key)
            try TaskItem.append(decoding: key.bytes, RecordCodec.encode(task).span.bytes, to: &read)
        }
        #expect(read == tasks)
        #expect(tasks.count == 300)
    }
}
