import Daybook
import Workloads

/// A report as JSON (Documentation/Benchmarks.md). Keys are added, never renamed.
struct BenchJSON: JSONWritable {
    let report: BenchReport
    /// The runs before this one; nil when none were asked for.
    var history: RunHistory?

    func write(to writer: inout JSONWriter) {
        let verdict = BenchVerdict(report)
        writer.object { writer in
            writer.field("ok", verdict.outcome == .holds)
            writer.field("verdict", verdict.outcome.rawValue)
            writer.field("message", verdict.line)
            writer.field("date", report.date)
            writer.field("program", report.program)
            writer.field("tasks", report.taskCount)
            machine(to: &writer)
            writer.array("findings") { writer in
                for finding in verdict.findings { Self.write(finding, to: &writer) }
            }
            writer.array("rows") { writer in
                for row in report.budgets { Self.write(row, to: &writer) }
            }
            writer.array("sizes") { writer in
                for row in report.sizes { Self.write(row, to: &writer) }
            }
            writer.array("scale") { writer in
                for row in report.scale { Self.write(row, to: &writer) }
            }
            writer.array("counts") { writer in
                for row in report.counts { Self.write(row, to: &writer) }
            }
            writer.array("comparisons") { writer in
                for row in report.comparisons { Self.write(row, to: &writer) }
            }
            if let history { write(history, to: &writer) }
        }
    }

    private func machine(to writer: inout JSONWriter) {
        writer.object("machine") { writer in
            writer.field("fingerprint", report.machine.fingerprint)
            writer.field("processor", report.machine.processor)
            writer.field("cores", report.machine.cores)
            writer.field("memoryBytes", report.machine.memory)
            writer.field("kernel", report.machine.kernel)
            writer.field("disk", report.machine.disk)
        }
    }

    private static func write(_ finding: GateFinding, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("subject", finding.subject)
            writer.field("rule", finding.rule.rawValue)
            writer.field("verdict", finding.verdict.rawValue)
            writer.field("message", finding.message)
        }
    }

    private static func write(_ row: BudgetRow, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("operation", row.operation)
            writer.field("title", row.title)
            writer.field("holds", row.holds)
            writer.field("runs", row.timings.runs)
            writer.field("budgetNanoseconds", row.budget)
            writer.field("p50Nanoseconds", row.timings.median)
            writer.field("p99Nanoseconds", row.timings.percentile99)
            writer.field("maxNanoseconds", row.timings.longest)
            writer.field("timesUnder", row.timesUnder)
            guard let floor = row.floor else { return writer.field("floor", String?.none) }
            writer.object("floor") { writer in
                writer.field("title", floor.title)
                writer.field("p50Nanoseconds", floor.median)
                write(floor.ratio, to: &writer)
            }
        }
    }

    private static func write(_ row: SizeRow, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("name", row.name)
            writer.field("title", row.title)
            writer.field("holds", row.holds)
            writer.field("bytes", row.bytes)
            writer.field("budgetBytes", row.budget)
        }
    }

    private static func write(_ row: ScaleRow, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("operation", row.operation)
            writer.field("title", row.title)
            writer.field("holds", row.holds)
            writer.field("growth", row.growth)
            writer.field("limit", row.limit)
            writer.field("exponent", row.exponent)
            writer.array("points") { writer in
                for point in row.points {
                    writer.object { writer in
                        writer.field("tasks", point.tasks)
                        writer.field("p50Nanoseconds", point.median)
                        writer.field("rows", point.rows)
                    }
                }
            }
        }
    }

    private static func write(_ row: ExactCounts, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("operation", row.operation)
            writer.field("runs", row.runs)
            writer.object("sums") { writer in
                for kind in ExactCounts.Kind.allCases {
                    if let value = row.values[kind] { writer.field(kind.rawValue, value) }
                }
            }
        }
    }

    private static func write(_ row: Comparison, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("operation", row.operation)
            writer.field("outcome", row.outcome.rawValue)
            writer.field("limit", row.limit)
            write(row.ratio, to: &writer)
        }
    }

    private static func write(_ ratio: PairedRatio, to writer: inout JSONWriter) {
        writer.object("ratio") { writer in
            writer.field("median", ratio.median)
            writer.field("low", ratio.low)
            writer.field("high", ratio.high)
            writer.field("pairs", ratio.pairs)
        }
    }

    private func write(_ history: RunHistory, to writer: inout JSONWriter) {
        let run = RunRecord(report)
        writer.object("history") { writer in
            writer.field("runs", history.runs.count)
            writer.field("sameSeries", history.series(of: run).count)
            writer.field("tornLine", history.hasTornLine)
            writer.array("lastRuns") { writer in
                for row in history.comparisons(of: run) {
                    writer.object { writer in
                        writer.field("operation", row.operation)
                        writer.field("runs", row.runs)
                        writer.field("p50Nanoseconds", row.median)
                        writer.field("lowestP50Nanoseconds", row.low)
                        writer.field("highestP50Nanoseconds", row.high)
                        writer.field("unusual", row.isUnusual)
                    }
                }
            }
        }
    }
}
