import Daybook
import Synchronization
import TestSupport
import Testing

@testable import Workloads

@Suite struct BudgetTests {
    @Test("A report has a row for every requested operation, with the requested number of runs")
    func report() async throws {
        let folder = try TemporaryFolder()
        var plan = BenchRun.Plan(taskCount: 300, largest: 1000)
        plan.mostRounds = 3
        let run = BenchRun(in: folder.path, plan)
        let machine = Machine(processor: "any", cores: 1, memory: 1, kernel: "any", disk: "any")
        let report = try await run.run(machine: machine, date: "2026-01-01T00:00:00Z", program: "test")
        #expect(report.taskCount == 300)
        #expect(report.budgets.map(\.operation) == Operation.all.map(\.name))
        for (row, operation) in zip(report.budgets, Operation.all) {
            #expect(row.timings.runs == 3, "\(row.operation)")
            #expect(row.timings.median > 0 && row.timings.median <= row.timings.longest, "\(row.operation)")
            #expect(row.budget == operation.budget(forTasks: 300), "\(row.operation)")
            #expect((row.floor != nil) == (operation.floor != .none), "\(row.operation)")
        }
        #expect(report.sizes.first { $0.name == "snapshot" }.map { $0.bytes > 0 && $0.holds } == true)
        let rows = Dictionary(
            report.scale.map { ($0.operation, $0.points.map(\.rows)) }, uniquingKeysWith: { first, _ in first })
        #expect(rows["today"] == [50])
        #expect(rows["list-500"] == [500])
        #expect(rows["past-100"] == [100])
    }

    @Test("An operation over its budget is measured three times and reported, one within it once")
    func budgets() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store"
        try await BenchStore.make(at: path, .history(taskCount: 100, seed: 1))
        let store = try BenchStore(at: path)
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
        let machine = Machine(processor: "any", cores: 1, memory: 1, kernel: "any", disk: "any")
        var report = BenchReport(machine: machine, date: "2026-01-01T00:00:00Z", program: "test", taskCount: 100)
        report.budgets = [within, over]
        #expect(Gate.findings(in: report).map(\.verdict) == [.worse])
    }

    @Test("Floors read the same tasks as the operations")
    func floors() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store"
        try await BenchStore.make(at: path, .history(taskCount: 1000, seed: 1))
        let store = try BenchStore(at: path)
        defer { store.close() }
        let raw = try RawStore(at: path)
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
