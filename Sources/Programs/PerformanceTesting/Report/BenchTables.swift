import CommandSupport
import LabSupport
import Measuring

extension BenchReport {
    /// The results as tables for people, those without rows left out.
    var tables: [(title: String, table: Table)] {
        [
            (size > 0 ? "Budgets in a store of \(Figures.counted(size, unit))" : "Budgets", budgetTable),
            ("Sizes", Table(sizes, title: "sizes")),
            ("Time by size of the store", scaleTable), ("Counts per run", countTable),
            ("Comparison with the other program", comparisonTable),
        ].filter { !$1.isEmpty }
    }

    private var budgetTable: Table {
        var table = Table("budgets", "for", "budget", "p50", "p99", "max", "under", "floor", "times the floor")
        for row in budgets {
            let times = row.timings
            table.add(
                [
                    row.operation, row.requirements.first ?? "", Figures.time(row.budget), Figures.time(times.median),
                    Figures.time(times.percentile99), Figures.time(times.longest),
                    row.holds ? Figures.times(row.timesUnder) : "BROKEN",
                    row.floor.map { Figures.time($0.median) } ?? "", row.floor.map { $0.ratio.interval } ?? "",
                ], row.holds ? .plain : .bad)
        }
        return table
    }

    private var scaleTable: Table {
        var table = Table(["p50 by \(unit)s"] + scaleSizes.map(Figures.grouped) + ["growth", "limit", "exponent"])
        for row in scale {
            let times = scaleSizes.map { size in
                row.points.first { $0.size == size }.map { Figures.time($0.median) } ?? ""
            }
            table.add(
                [row.operation] + times + [
                    Figures.ratio(row.growth) + "×", row.limit.map { Figures.limit($0) + "×" } ?? "none",
                    Figures.fixed(row.exponent, places: 2),
                ], row.holds ? .plain : .bad)
        }
        return table
    }

    private var countTable: Table {
        var table = Table(["counted, a run"] + countedKinds.map(\.label))
        for row in counts where !countedKinds.isEmpty {
            let isWorse = findings.contains { $0.rule == .count && $0.subject == row.operation }
            table.add([row.operation] + countedKinds.map(row.perRunShort), isWorse ? .bad : .plain)
        }
        return table
    }

    private var comparisonTable: Table {
        var table = Table("against the other", "ratio", "limit", "pairs", "outcome")
        for row in comparisons {
            table.add(
                [
                    row.operation, row.ratio.interval, Figures.limit(row.limit), Figures.grouped(row.ratio.pairs),
                    row.outcome.rawValue,
                ], row.outcome == .worse ? .bad : row.outcome == .inconclusive ? .active : .plain)
        }
        return table
    }

    /// The sizes of the stores in which growth was measured.
    var scaleSizes: [Int] { Set(scale.flatMap { $0.points.map(\.size) }).sorted() }
}

extension PairedRatio {
    /// The ratio with its interval.
    var interval: String { Figures.interval(median, low, high) }
}

extension Table {
    /// Creates a table of measured rows.
    package init(_ rows: [MeasuredRow], title: String) {
        self.init(title, "for", "limit", "measured", "under")
        for row in rows {
            // Not a number for words, and for a result and a limit of 0.
            let factor = row.limit.map { $0.number / max(row.measured.number, 0) } ?? .nan
            let under = factor.isNaN ? "" : Figures.times(factor)
            add(
                [
                    row.title, row.requirement ?? "", row.limit?.text ?? "reported", row.measured.text,
                    row.holds == false ? "BROKEN" : under,
                ], row.holds == false ? .bad : .plain)
        }
    }
}

/// A table for people: the first column aligned left, the others right, without those that are empty in every row.
package struct Table {
    private let header: [String]
    private var rows: [(cells: [String], style: Terminal.Style)] = []

    package init(_ header: String...) {
        self.init(header)
    }

    package init(_ header: [String]) {
        self.header = header
    }

    var isEmpty: Bool { rows.isEmpty }

    package mutating func add(_ cells: [String], _ style: Terminal.Style = .plain) {
        rows.append((cells, style))
    }

    private var columns: [Int] {
        header.indices.filter { column in column == 0 || rows.contains { !$0.cells[column].isEmpty } }
    }

    /// The lines for a terminal.
    package func text(for terminal: Terminal) -> String {
        let columns = columns
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

    /// The lines of Markdown. The name of a row that is not plain is bold.
    var markdown: String {
        let columns = columns
        let lines =
            [header, header.indices.map { $0 == 0 ? ":--" : "--:" }]
            + rows.map { cells, style in
                let name = BenchMarkdown.escaped(cells[0])
                return [style == .plain ? name : "**\(name)**"] + cells.dropFirst()
            }
        return lines.map { cells in "| " + columns.map { cells[$0] }.joined(separator: " | ") + " |\n" }.joined()
    }
}
