import Daybook
import FoundationEssentials
import Testing
import Workloads

@Suite struct BudgetTests {
    @Test func `counts what an operation writes`() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/daybook-budget-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try await BudgetMeasurement(in: folder, context: .system).run(.history(taskCount: 100, seed: 1))
        #expect(report.taskCount == 100)
        let rows = Dictionary(report.rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // The record, its index entries, its count, the row of the change log; completions and their roll-up besides.
        #expect(rows["create a task"]?.counters.puts == 5)
        #expect(rows["move a task in a list of 500"]?.counters.puts == 4)
        #expect((rows["change a task's state"]?.counters.puts ?? .max) <= 7)
        #expect(rows["fetch a list of 500"]?.counters.gets ?? .max <= 500)
        #expect(report.rows.allSatisfy { $0.timings.runs > 0 && $0.timings.median <= $0.timings.longest })
    }
}
