import CommandSupport
import Daybook

@testable import Measuring
@testable import PerformanceTesting

/// Fixed reports.
enum ReportFixture {
    static let machine = Machine(
        processor: "Some CPU <4> & \"more\"", cores: 2, memory: 16_000_000_000, kernel: "Linux 6.1",
        disk: "ext4 on /dev/sda")

    /// A report with every part, within all limits.
    static var good: BenchReport {
        var report = empty
        report.budgets = [
            BudgetRow(
                operation: "today", title: "Today, 50 tasks", budget: 200_000_000, requirements: ["C-NFR5", "C-FR9"],
                timings: Timings([20_000, 21_000, 22_000, 70_000]),
                floor: BudgetRow.FloorMeasurement(
                    title: "same bytes in C", median: 5_000, ratio: PairedRatio([3.9, 4, 4.2]))),
            BudgetRow(
                operation: "export", title: "JSON export", budget: 2_000_000_000, timings: Timings([13_000_000]),
                floor: nil),
        ]
        report.sizes = [MeasuredSize.disk.row("disk, allocated", 1_830_912, budget: 10_000_000)]
        report.scale = [
            ScaleRow(
                operation: "today", title: "Today, 50 tasks",
                points: [
                    ScaleRow.Point(size: 1000, median: 20_000, rows: 50),
                    ScaleRow.Point(size: 1_000_000, median: 22_000, rows: 50),
                ], limit: 2)
        ]
        report.counts = [
            ExactCounts(
                operation: "today", runs: 100, values: [.gets: 5000, .cursorSteps: 5123, .instructions: 62_345_600]),
            ExactCounts(operation: "create", runs: 100, values: [.flushes: 200, .gets: 700]),
        ]
        report.comparisons = [
            Comparison(operation: "today", ratio: PairedRatio([0.98, 1, 1.02]), limit: 1.05, outcome: .holds)
        ]
        return report
    }

    /// A report that violates each rule, by rows or by a finding.
    static var bad: BenchReport {
        var report = good
        report.budgets.append(
            BudgetRow(
                operation: "reorder", title: "move a task", budget: 16_000_000,
                timings: Timings([1_000_000, 17_000_000]),
                floor: nil))
        report.sizes.append(MeasuredSize.privateMemory.row("private memory", 41_000_000, budget: 40_000_000))
        report.scale.append(
            ScaleRow(
                operation: "past-100", title: "Past",
                points: [
                    ScaleRow.Point(size: 1000, median: 10_000, rows: 100),
                    ScaleRow.Point(size: 1_000_000, median: 26_000, rows: 100),
                ], limit: 2))
        report.comparisons += [
            Comparison(operation: "create", ratio: PairedRatio([1.08, 1.1, 1.12]), limit: 1.05, outcome: .worse),
            Comparison(operation: "undo", ratio: PairedRatio([0.9, 1.04, 1.2]), limit: 1.05, outcome: .inconclusive),
        ]
        report.findings = [GateFinding(subject: "create", rule: .count, verdict: .worse, message: hostile)]
        report.findings += Gate.findings(in: report)
        return report
    }

    /// A report without results.
    static var empty: BenchReport {
        BenchReport(machine: machine, date: "2026-02-10T09:15:00.000000Z", program: "1.2.3", size: 1000)
    }

    /// A message with the special characters of every format.
    static let hostile =
        "create: <script>alert('1' && \"2\")</script> | `a` *b* [c](d) @team #12 </details> ]]> \u{1B}[31m\u{0}\nnext line"

    static func timings(_ nanoseconds: [Int64]) -> Timings { Timings(nanoseconds) }

    static let terminal = Terminal(isTerminal: false, hasColors: false, width: nil)
}
