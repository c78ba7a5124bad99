import Daybook
import Measuring

/// A report as JSON (Documentation/Benchmarks.md). Keys are added, never renamed.
extension BenchReport {
    func write(to writer: inout JSONWriter) {
        let verdict = BenchVerdict(self)
        writer.object { writer in
            writer.field("ok", verdict.outcome == .holds)
            writer.field("verdict", verdict.outcome.rawValue)
            writer.field("message", verdict.line)
            writer.field("date", date)
            writer.field("program", program)
            writer.size(size, of: self)
            writer.object("machine") { writer in
                writer.field("fingerprint", machine.fingerprint)
                writer.field("processor", machine.processor)
                writer.field("cores", machine.cores)
                writer.field("memoryBytes", machine.memory)
                writer.field("kernel", machine.kernel)
                writer.field("disk", machine.disk)
            }
            writer.objects("findings", verdict.findings) { writer, finding in
                writer.field("subject", finding.subject)
                writer.field("rule", finding.rule.rawValue)
                writer.field("verdict", finding.verdict.rawValue)
                writer.field("message", finding.message)
            }
            writer.objects("rows", budgets) { $0.fields(of: $1) }
            writer.objects("sizes", sizes) { writer, row in
                writer.field("name", row.name)
                writer.field("title", row.title)
                writer.field("requirements", row.requirement.map { [$0] } ?? [])
                writer.field("holds", row.holds)
                writer.field("bytes", row.measured.byteCount)
                writer.field("budgetBytes", row.limit?.byteCount)
            }
            writer.objects("scale", scale) { writer, row in
                writer.field("operation", row.operation)
                writer.field("title", row.title)
                writer.field("holds", row.holds)
                writer.field("growth", row.growth)
                writer.field("limit", row.limit)
                writer.field("exponent", row.exponent)
                writer.objects("points", row.points) { writer, point in
                    writer.size(point.size, of: self)
                    writer.field("p50Nanoseconds", point.median)
                    writer.field("rows", point.rows)
                }
            }
            writer.objects("counts", counts) { writer, row in
                writer.field("operation", row.operation)
                writer.field("runs", row.runs)
                writer.object("sums") { writer in
                    for kind in ExactCounts.Kind.allCases {
                        if let sum = row.values[kind] { writer.field(kind.rawValue, sum) }
                    }
                }
            }
            writer.objects("comparisons", comparisons) { writer, row in
                writer.field("operation", row.operation)
                writer.field("outcome", row.outcome.rawValue)
                writer.field("limit", row.limit)
                writer.field("ratio", row.ratio)
            }
        }
    }
}

extension JSONWriter {
    /// Writes a key and an array of objects, whose fields a closure writes.
    fileprivate mutating func objects<Element>(
        _ key: String, _ elements: [Element], _ fields: (inout JSONWriter, Element) -> Void
    ) {
        array(key) { writer in
            for element in elements { writer.object { fields(&$0, element) } }
        }
    }

    /// Writes the size of a store: as "tasks" where `daybook bench` measures them, by the name that it had before others did.
    fileprivate mutating func size(_ size: Int, of report: BenchReport) {
        field(report.unit == "task" ? "tasks" : "size", size)
    }

    fileprivate mutating func fields(of row: BudgetRow) {
        field("operation", row.operation)
        field("title", row.title)
        field("requirements", row.requirements)
        field("holds", row.holds)
        field("runs", row.timings.runs)
        field("budgetNanoseconds", row.budget)
        field("p50Nanoseconds", row.timings.median)
        field("p99Nanoseconds", row.timings.percentile99)
        field("maxNanoseconds", row.timings.longest)
        field("timesUnder", row.timesUnder)
        key("floor")
        guard let floor = row.floor else { return null() }
        object { writer in
            writer.field("title", floor.title)
            writer.field("p50Nanoseconds", floor.median)
            writer.field("ratio", floor.ratio)
        }
    }

    fileprivate mutating func field(_ key: String, _ ratio: PairedRatio) {
        object(key) { writer in
            writer.field("median", ratio.median)
            writer.field("low", ratio.low)
            writer.field("high", ratio.high)
            writer.field("pairs", ratio.pairs)
        }
    }
}
