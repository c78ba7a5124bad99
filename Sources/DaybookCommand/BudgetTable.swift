import Daybook
import Workloads

/// What `bench` measured, for people and as JSON.
struct BudgetTable {
    let report: BudgetReport

    var text: String {
        let header = [
            "operation", "budget", "p50", "p99", "max", "times under", "limit here", "puts", "deletes", "gets", "steps",
        ]
        let lines = [header] + report.rows.map(line)
        let widths = header.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
        let terminal = Terminal.standardOutput
        var text = ""
        for (number, line) in lines.enumerated() {
            let cells = zip(line, widths).enumerated().map { column, cell in
                column == 0 ? cell.0.padded(to: cell.1) : Self.right(cell.0, cell.1)
            }
            text += terminal.styled(cells.joined(separator: "  "), number == 0 ? .bold : .plain) + "\n"
        }
        let broken = report.rows.filter { !$0.holds }.map(\.name) + (report.diskHolds ? [] : ["disk"])
        return text + """

            disk: \(report.allocatedBytes / 1000) kB allocated for \(report.taskCount) tasks; \
            one 4 KiB write and flush here: \(Self.time(report.flush.median)) (p99 \(Self.time(report.flush.percentile99)))
            \(broken.isEmpty ? "Every budget holds." : "Broken: " + broken.joined(separator: ", "))

            """
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", report.holds)
            writer.field("tasks", report.taskCount)
            writer.field("allocatedBytes", report.allocatedBytes)
            writer.field("flushNanoseconds", Int(report.flush.median))
            writer.field("lookUpNanoseconds", Int(report.lookUp.median))
            writer.array("rows") { writer in
                for row in report.rows { Self.write(row, to: &writer) }
            }
        }
    }

    private static func write(_ row: BudgetRow, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("operation", row.name)
            writer.field("holds", row.holds)
            writer.field("runs", row.timings.runs)
            writer.field("budgetNanoseconds", Int(row.budget))
            writer.field("p50Nanoseconds", Int(row.timings.median))
            writer.field("p99Nanoseconds", Int(row.timings.percentile99))
            writer.field("maxNanoseconds", Int(row.timings.longest))
            writer.field("limit", row.limit.rawValue)
            writer.field("puts", row.counters.puts)
            writer.field("deletes", row.counters.deletes)
            writer.field("gets", row.counters.gets)
            writer.field("cursorSteps", row.counters.cursorSteps)
        }
    }

    private func line(_ row: BudgetRow) -> [String] {
        let counters = row.counters
        let hasCounters = counters != OperationCounters()
        let counts = [counters.puts, counters.deletes, counters.gets, counters.cursorSteps]
        return [
            row.name, Self.time(row.budget), Self.time(row.timings.median), Self.time(row.timings.percentile99),
            Self.time(row.timings.longest), "\(Int(row.timesUnder))x",
            report.median(of: row.limit).map(Self.time) ?? "",
        ] + counts.map { hasCounters ? "\($0)" : "" }
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
