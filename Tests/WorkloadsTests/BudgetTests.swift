import Daybook
import FoundationEssentials
import Testing

@testable import Workloads

@Suite struct BudgetTests {
    @Test("Measures every operation that it is asked for")
    func measuresEveryOperationThatItIsAskedFor() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/daybook-budget-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var plan = BenchRun.Plan(taskCount: 300, largest: 1000)
        plan.mostRounds = 3
        let run = BenchRun(in: folder, plan)
        let machine = Machine(processor: "any", cores: 1, memory: 1, kernel: "any", disk: "any")
        let report = try await run.run(machine: machine, date: "2026-01-01T00:00:00Z", program: "test")
        #expect(report.taskCount == 300)
        #expect(report.budgets.map(\.operation) == Operation.all.map(\.name))
        #expect(report.budgets.allSatisfy { $0.timings.runs > 0 && $0.timings.median <= $0.timings.longest })
        #expect(report.sizes.first { $0.name == "snapshot" }.map { $0.bytes > 0 && $0.holds } == true)
        let rows = Dictionary(
            report.scale.map { ($0.operation, $0.points.map(\.rows)) }, uniquingKeysWith: { first, _ in first })
        #expect(rows["today"] == [50])
        #expect(rows["list-500"] == [500])
        #expect(rows["past-100"] == [100])
    }

    @Test("Reads the same tasks as the floor beside it")
    func readsTheSameTasksAsTheFloorBesideIt() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/daybook-floor-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await BenchStore.make(at: path, .history(taskCount: 1000, seed: 1))
        let store = try BenchStore(at: path)
        defer { store.close() }
        let raw = try RawStore(at: path)
        for operation in Operation.all {
            guard case .scan(let scan) = operation.floor, scan.limit != 1 else { continue }
            // A whole store is no question: its floor reads every task.
            let rows =
                operation.isSteady ? try operation.rows(in: store) : try store.daybook.tasks.read { try $0.count() }
            #expect(try raw.read(scan) == rows, "\(operation.name)")
        }
    }
}
