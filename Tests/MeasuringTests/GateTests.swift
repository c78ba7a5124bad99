import FoundationEssentials
import Testing

@testable import Measuring

@Suite struct GateTests {
    @Test("A report within all limits has no findings")
    func noFindings() {
        var report = Self.empty
        report.budgets = [budget(took: 99)]
        report.sizes = [MeasuredSize.disk.row("disk", 10, budget: 10)]
        report.scale = [growth(to: 2000)]
        report.comparisons = [comparison(.holds)]
        #expect(Gate.findings(in: report, baseline: Baseline(.sample), counted: .sample) == [])
    }

    @Test("Every violated rule is a finding")
    func everyRule() {
        var report = Self.empty
        report.budgets = [budget(took: 101), budget(took: 1)]
        report.sizes = [MeasuredSize.disk.row("disk", 11, budget: 10)]
        report.scale = [growth(to: 2001)]
        report.comparisons = [comparison(.worse), comparison(.inconclusive), comparison(.holds)]
        let counted = CountedRun.sample.changing("create", .puts) { $0 + 1 }
        let findings = Gate.findings(in: report, baseline: Baseline(.sample), counted: counted)
        #expect(findings.map(\.rule) == [.budget, .size, .growth, .count, .ratio, .ratio])
        #expect(findings.map(\.subject) == ["create", "disk", "today", "create", "undo", "undo"])
        #expect(findings.map(\.verdict) == [.worse, .worse, .worse, .worse, .worse, .inconclusive])
        #expect(findings.allSatisfy { !$0.message.contains("\n") && $0.message.hasSuffix(".") })
    }

    @Test("A finding names what was measured, what is allowed and what to do")
    func messages() {
        var report = Self.empty
        report.budgets = [budget(took: 101)]
        report.scale = [growth(to: 2500)]
        let messages = Gate.findings(in: report).map(\.message)
        #expect(messages[0].contains("101.00 ms") && messages[0].contains("100.00 ms"))
        #expect(messages[1].contains("2.50 times") && messages[1].contains("1000000 tasks"))
    }

    @Test("A floor beyond the budget makes the finding inconclusive")
    func floorBeyondBudget() {
        var report = Self.empty
        let floor = BudgetRow.FloorMeasurement(
            title: "plain LMDB", median: 1, ratio: PairedRatio(Array(repeating: 50, count: 20)))
        report.budgets = [budget(took: 50, floor: floor)]
        #expect(Gate.findings(in: report) == [])
    }

    @Test("Growth without a limit is never a finding")
    func unlimitedGrowth() {
        var report = Self.empty
        report.scale = [growth(to: 1_000_000, limit: nil)]
        #expect(Gate.findings(in: report) == [])
    }

    @Test("The verdict is the worst finding, and holds without findings")
    func verdict() {
        func finding(_ verdict: GateFinding.Verdict) -> GateFinding {
            GateFinding(subject: "x", rule: .count, verdict: verdict, message: "")
        }
        #expect(GateVerdict([]).exitCode == 0)
        #expect(GateVerdict([finding(.inconclusive)]).exitCode == 6)
        #expect(GateVerdict([finding(.worse)]).exitCode == 1)
        #expect(GateVerdict([finding(.inconclusive), finding(.worse), finding(.inconclusive)]).exitCode == 1)
    }

    @Test(
        "Numbers are formatted with two decimal places",
        arguments: [
            (0.0, "0.00"), (1.005, "1.00"), (12.999, "13.00"), (-0.25, "-0.25"), (-0.001, "0.00"), (7.0, "7.00"),
        ])
    func hundredths(number: Double, text: String) {
        #expect(number.toHundredths == text)
    }

    static let empty = BenchReport(
        machine: Machine(processor: "any", cores: 1, memory: 1, kernel: "any", disk: "any"),
        date: "2026-01-01T00:00:00Z", program: "test", size: 1000)

    private func budget(took milliseconds: Int64, floor: BudgetRow.FloorMeasurement? = nil) -> BudgetRow {
        BudgetRow(
            operation: "create", title: "create a task", budget: .milliseconds(100),
            timings: Timings([1, .milliseconds(milliseconds)]), floor: floor)
    }

    private func growth(to nanoseconds: Int64, limit: Double? = 2) -> ScaleRow {
        ScaleRow(
            operation: "today", title: "Today",
            points: [
                .init(size: 1000, median: 1000, rows: 50), .init(size: 1_000_000, median: nanoseconds, rows: 50),
            ], limit: limit)
    }

    private func comparison(_ outcome: Comparison.Outcome) -> Comparison {
        Comparison(operation: "undo", ratio: PairedRatio([1, 1.2]), limit: 1.05, outcome: outcome)
    }
}
