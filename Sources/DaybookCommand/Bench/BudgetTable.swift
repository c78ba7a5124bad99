import Daybook
import Workloads

/// What `bench` measured, for people and as JSON.
struct BudgetTable {
    let report: BenchReport

    var text: String {
        let header = ["operation", "budget", "p50", "p99", "max", "times under", "floor here", "by floor"]
        let lines = [header] + report.budgets.map(line)
        let widths = header.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
        let terminal = Terminal.standardOutput
        var text = ""
        for (number, line) in lines.enumerated() {
            let cells = zip(line, widths).enumerated().map { column, cell in
                column == 0 ? cell.0.padded(to: cell.1) : Self.right(cell.0, cell.1)
            }
            text += terminal.styled(cells.joined(separator: "  "), number == 0 ? .bold : .plain) + "\n"
        }
        for row in report.scale {
            text +=
                "\(row.title) \(row.points.map { "\($0.tasks): \(Self.time($0.median)) (\($0.rows))" }) \(row.growth) \(row.exponent)\n"
        }
        return text
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", report.budgets.allSatisfy(\.holds))
            writer.field("tasks", report.taskCount)
        }
    }

    private func line(_ row: BudgetRow) -> [String] {
        [
            row.title, Self.time(row.budget), Self.time(row.timings.median), Self.time(row.timings.percentile99),
            Self.time(row.timings.longest), "\(Int(row.timesUnder))x", row.floor.map { Self.time($0.median) } ?? "",
            row.floor.map { "\(($0.ratio.median * 100).rounded() / 100)" } ?? "",
        ]
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.columns, 0)) + text
    }

    /// A time of three digits or so.
    static func time(_ nanoseconds: Int64) -> String {
        let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs")]
        for (size, name) in units where nanoseconds >= size {
            let hundredths = nanoseconds * 100 / size
            if hundredths >= 1000 || hundredths % 100 == 0 { return "\(hundredths / 100) \(name)" }
            let fraction = hundredths % 100
            return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) \(name)"
        }
        return "\(nanoseconds) ns"
    }
}
