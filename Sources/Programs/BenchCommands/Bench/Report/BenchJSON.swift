import Workloads

/// A report as JSON (Documentation/Benchmarks.md). Keys are added, never renamed.
struct BenchJSON: Encodable {
    private var ok: Bool
    private var verdict: String
    private var message: String
    private var date: String
    private var program: String
    private var tasks: Int
    private var machine: MachineEntry
    private var findings: [Finding]
    private var rows: [Budget]
    private var sizes: [Size]
    private var scale: [Scale]
    private var counts: [Counts]
    private var comparisons: [Compared]

    init(report: BenchReport) {
        let verdict = BenchVerdict(report)
        ok = verdict.outcome == .holds
        self.verdict = verdict.outcome.rawValue
        message = verdict.line
        date = report.date
        program = report.program
        tasks = report.taskCount
        machine = MachineEntry(report.machine)
        findings = verdict.findings.map(Finding.init)
        rows = report.budgets.map(Budget.init)
        sizes = report.sizes.map(Size.init)
        scale = report.scale.map(Scale.init)
        counts = report.counts.map(Counts.init)
        comparisons = report.comparisons.map(Compared.init)
    }
}

/// A value whose key is always there, with `null` for nil and for numbers that JSON cannot represent.
private struct Nullable<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value, (value as? Double)?.isFinite ?? true {
            try container.encode(value)
        } else {
            try container.encodeNil()
        }
    }
}

extension BenchJSON {
    fileprivate struct MachineEntry: Encodable {
        var fingerprint, processor, kernel, disk: String
        var cores, memoryBytes: Int

        init(_ machine: Machine) {
            (fingerprint, processor) = (machine.fingerprint, machine.processor)
            (kernel, disk) = (machine.kernel, machine.disk)
            (cores, memoryBytes) = (machine.cores, Int(machine.memory))
        }
    }

    fileprivate struct Finding: Encodable {
        var subject, rule, verdict, message: String

        init(_ finding: GateFinding) {
            (subject, message) = (finding.subject, finding.message)
            (rule, verdict) = (finding.rule.rawValue, finding.verdict.rawValue)
        }
    }

    fileprivate struct Ratio: Encodable {
        var median, low, high: Nullable<Double>
        var pairs: Int

        init(_ ratio: PairedRatio) {
            (median, low, high) = (Nullable(ratio.median), Nullable(ratio.low), Nullable(ratio.high))
            pairs = ratio.pairs
        }
    }

    fileprivate struct Budget: Encodable {
        struct Floor: Encodable {
            var title: String
            var p50Nanoseconds: Int64
            var ratio: Ratio
        }

        var operation, title: String
        var requirements: [String]
        var holds: Bool
        var runs: Int
        var budgetNanoseconds, p50Nanoseconds, p99Nanoseconds, maxNanoseconds: Int64
        var timesUnder: Nullable<Double>
        var floor: Nullable<Floor>

        init(_ row: BudgetRow) {
            (operation, title, requirements) = (row.operation, row.title, row.requirements)
            holds = row.holds
            (runs, budgetNanoseconds) = (row.timings.runs, row.budget)
            (p50Nanoseconds, p99Nanoseconds) = (row.timings.median, row.timings.percentile99)
            maxNanoseconds = row.timings.longest
            timesUnder = Nullable(row.timesUnder)
            floor = Nullable(
                row.floor.map { Floor(title: $0.title, p50Nanoseconds: $0.median, ratio: Ratio($0.ratio)) })
        }
    }

    fileprivate struct Size: Encodable {
        var name, title: String
        var requirements: [String]
        var holds: Bool
        var bytes, budgetBytes: Int

        init(_ row: SizeRow) {
            (name, title, requirements, holds) = (row.name, row.title, row.requirements, row.holds)
            (bytes, budgetBytes) = (Int(row.bytes), Int(row.budget))
        }
    }

    fileprivate struct Scale: Encodable {
        struct Point: Encodable {
            var tasks: Int
            var p50Nanoseconds: Int64
            var rows: Int
        }

        var operation, title: String
        var holds: Bool
        var growth, limit, exponent: Nullable<Double>
        var points: [Point]

        init(_ row: ScaleRow) {
            (operation, title, holds) = (row.operation, row.title, row.holds)
            (growth, limit, exponent) = (Nullable(row.growth), Nullable(row.limit), Nullable(row.exponent))
            points = row.points.map { Point(tasks: $0.tasks, p50Nanoseconds: $0.median, rows: $0.rows) }
        }
    }

    fileprivate struct Counts: Encodable {
        var operation: String
        var runs: Int
        var sums: [String: Int]

        init(_ row: ExactCounts) {
            (operation, runs) = (row.operation, row.runs)
            sums = Dictionary(uniqueKeysWithValues: row.values.map { ($0.key.rawValue, $0.value) })
        }
    }

    fileprivate struct Compared: Encodable {
        var operation, outcome: String
        var limit: Double
        var ratio: Ratio

        init(_ row: Comparison) {
            (operation, outcome, limit) = (row.operation, row.outcome.rawValue, row.limit)
            ratio = Ratio(row.ratio)
        }
    }
}
