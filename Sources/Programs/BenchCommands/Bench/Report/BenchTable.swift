import CommandSupport
import LabSupport
import Workloads

/// A report as text for a terminal.
struct BenchTable {
    let report: BenchReport
    var terminal = Terminal.standardOutput

    var text: String {
        let verdict = BenchVerdict(report)
        let parts = [heading, budgets, sizes, scale, counts, comparisons, findings(verdict)]
        return (parts.filter { !$0.isEmpty } + [closing(verdict)]).joined(separator: "\n")
    }

    private var heading: String {
        let machine = report.machine
        let cores = Figures.counted(machine.cores, "core")
        return VisibleText.of("\(machine.processor), \(cores), \(Figures.bytes(machine.memory))") + "\n"
            + VisibleText.of("\(machine.kernel), \(machine.disk)") + "\n"
            + VisibleText.of("Daybook \(report.program), \(Figures.counted(report.taskCount, "task"))") + "\n"
    }

    private var budgets: String {
        guard !report.budgets.isEmpty else { return "" }
        var table = TextTable("budgets", "for", "budget", "p50", "p99", "max", "under", "floor", "times the floor")
        for row in report.budgets {
            table.add(
                [
                    row.operation, row.requirements.first ?? "", Figures.time(row.budget),
                    Figures.time(row.timings.median),
                    Figures.time(row.timings.percentile99), Figures.time(row.timings.longest),
                    row.holds ? Figures.times(row.timesUnder) : "BROKEN",
                    row.floor.map { Figures.time($0.median) } ?? "",
                    row.floor.map { Figures.interval($0.ratio.median, $0.ratio.low, $0.ratio.high) } ?? "",
                ], row.holds ? .plain : .bad)
        }
        return table.text(for: terminal)
    }

    private var sizes: String {
        guard !report.sizes.isEmpty else { return "" }
        var table = TextTable("sizes", "for", "budget", "measured", "under")
        for row in report.sizes {
            let under = Figures.times(Double(row.budget) / Double(max(row.bytes, 1)))
            table.add(
                [
                    row.title, row.requirements.first ?? "", Figures.bytes(row.budget), Figures.bytes(row.bytes),
                    row.holds ? under : "BROKEN",
                ],
                row.holds ? .plain : .bad)
        }
        return table.text(for: terminal)
    }

    private var scale: String {
        let sizes = report.scaleSizes
        guard !sizes.isEmpty else { return "" }
        var table = TextTable(["p50 by tasks"] + sizes.map(Figures.grouped) + ["growth", "limit", "exponent"])
        for row in report.scale {
            let times = sizes.map { size in
                row.points.first { $0.tasks == size }.map { Figures.time($0.median) } ?? ""
            }
            table.add(
                [row.operation] + times + [
                    Figures.ratio(row.growth) + "×", row.limit.map { Figures.limit($0) + "×" } ?? "none",
                    Figures.fixed(row.exponent, places: 2),
                ], row.holds ? .plain : .bad)
        }
        return table.text(for: terminal)
    }

    private var counts: String {
        let kinds = report.countedKinds
        guard !kinds.isEmpty else { return "" }
        var table = TextTable(["counted, a run"] + kinds.map(\.label))
        for row in report.counts {
            let isWorse = report.findings.contains { $0.rule == .count && $0.subject == row.operation }
            table.add([row.operation] + kinds.map(row.perRunShort), isWorse ? .bad : .plain)
        }
        return table.text(for: terminal)
    }

    private var comparisons: String {
        guard !report.comparisons.isEmpty else { return "" }
        var table = TextTable("against the other", "ratio", "limit", "pairs", "outcome")
        for row in report.comparisons {
            table.add(
                [
                    row.operation, Figures.interval(row.ratio.median, row.ratio.low, row.ratio.high),
                    Figures.limit(row.limit), Figures.grouped(row.ratio.pairs), row.outcome.rawValue,
                ], row.outcome == .worse ? .bad : row.outcome == .inconclusive ? .active : .plain)
        }
        return table.text(for: terminal)
    }

    private func findings(_ verdict: BenchVerdict) -> String {
        verdict.findings.map { finding in
            let mark = finding.verdict == .worse ? "WORSE" : "UNSURE"
            let style: Terminal.Style = finding.verdict == .worse ? .bad : .active
            return terminal.styled(mark, style) + "  \(VisibleText.of(finding.message))\n"
        }.joined()
    }

    private func closing(_ verdict: BenchVerdict) -> String {
        let style: Terminal.Style =
            switch verdict.outcome {
            case .holds: .bold
            case .worse: .bad
            case .inconclusive: .active
            }
        return terminal.styled(verdict.line, style) + "\n"
    }
}

extension BenchReport {
    /// The sizes of the stores in which growth was measured.
    var scaleSizes: [Int] { Set(scale.flatMap { $0.points.map(\.tasks) }).sorted() }
}

/// Columns of text: the first aligned left, the others right.
struct TextTable {
    private let header: [String]
    private var rows: [(cells: [String], style: Terminal.Style)] = []

    init(_ header: String...) {
        self.init(header)
    }

    init(_ header: [String]) {
        self.header = header
    }

    mutating func add(_ cells: [String], _ style: Terminal.Style = .plain) {
        rows.append((cells, style))
    }

    /// The lines, without columns that are empty in every row.
    func text(for terminal: Terminal) -> String {
        let columns = header.indices.filter { column in column == 0 || rows.contains { !$0.cells[column].isEmpty } }
        let widths = columns.map { column in
            ([header] + rows.map(\.cells)).map { $0[column].columns }.max() ?? 0
        }
        return ([(header, .bold)] + rows).map { cells, style in
            let line = zip(columns, widths).map { column, width in
                let cell = cells[column]
                let blanks = String(repeating: " ", count: max(width - cell.columns, 0))
                return column == 0 ? cell + blanks : blanks + cell
            }
            return terminal.styled(Self.withoutEnd(line.joined(separator: "  ")), style) + "\n"
        }.joined()
    }

    private static func withoutEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
