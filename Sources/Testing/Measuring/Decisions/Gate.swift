/// Decides whether a report is acceptable.
///
/// It considers this run only: times of different runs are never compared.
public enum Gate {
    /// Returns the findings on budgets, sizes, growth and comparisons, and on counts if there is a baseline.
    public static func findings(
        in report: BenchReport, baseline: Baseline? = nil, counted: CountedRun? = nil
    ) -> [GateFinding] {
        var findings = report.budgets.compactMap(finding) + report.sizes.compactMap(finding)
        findings += report.scale.compactMap { finding($0, unit: report.unit) }
        if let baseline, let counted { findings += baseline.findings(for: counted) }
        return findings + report.comparisons.compactMap(finding)
    }

    private static func finding(_ row: BudgetRow) -> GateFinding? {
        guard !row.holds else { return nil }
        if let floor = row.floor, floor.longest > row.budget {
            return GateFinding(
                subject: row.operation, rule: .budget, verdict: .inconclusive,
                message: """
                    \(row.operation) exceeded its budget of \(milliseconds(row.budget)), and so did its floor, \
                    \(floor.title). Run it on a quieter machine.
                    """)
        }
        return GateFinding(
            subject: row.operation, rule: .budget, verdict: .worse,
            message: """
                \(row.operation) took up to \(milliseconds(row.timings.longest)), in the last of several measurements; its \
                budget is \(milliseconds(row.budget)). Find what made it slower; if the machine is busy, measure again.
                """)
    }

    private static func finding(_ row: MeasuredRow) -> GateFinding? {
        guard row.holds == false, let name = row.name, let budget = row.limit?.byteCount else { return nil }
        return GateFinding(
            subject: name, rule: .size, verdict: .worse,
            message: "\(name): \(row.measured.byteCount) bytes; the budget is \(budget). Find what made it larger.")
    }

    private static func finding(_ row: ScaleRow, unit: String) -> GateFinding? {
        guard !row.holds, let limit = row.limit, let first = row.points.first, let last = row.points.last else {
            return nil
        }
        return GateFinding(
            subject: row.operation, rule: .growth, verdict: .worse,
            message: """
                \(row.operation) takes \(row.growth.toHundredths) times as long with \(last.size) \(unit)s as with \
                \(first.size); \(limit.toHundredths) times are allowed. Find which reads are unnecessary.
                """)
    }

    private static func finding(_ comparison: Comparison) -> GateFinding? {
        let ratio = comparison.ratio
        let measured = """
            \(comparison.operation) takes \(ratio.median.toHundredths) times as long as in the other program (from \
            \(ratio.low.toHundredths) to \(ratio.high.toHundredths), \(ratio.pairs) pairs)
            """
        let limit = (comparison.limit).toHundredths
        switch comparison.outcome {
        case .holds: return nil
        case .worse:
            return GateFinding(
                subject: comparison.operation, rule: .ratio, verdict: .worse,
                message: "\(measured); \(limit) times are allowed. Find what made it slower.")
        case .inconclusive:
            return GateFinding(
                subject: comparison.operation, rule: .ratio, verdict: .inconclusive,
                message: "\(measured), which may be more or less than \(limit). Run it on a quieter machine.")
        }
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        "\((Double(nanoseconds) / 1_000_000).toHundredths) ms"
    }
}

extension Double {
    /// The number with two decimal places.
    var toHundredths: String {
        // An `Int` could not hold a larger value.
        guard magnitude < 1e15 else { return "\(self)" }
        let hundredths = Int((magnitude * 100).rounded())
        let fraction = hundredths % 100
        return "\(self < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

/// The conclusion from all findings.
public enum GateVerdict: String, Sendable, Codable {
    /// There are no findings.
    case holds
    /// Something is worse than allowed.
    case worse
    /// Nothing is known to be worse, but something could not be measured well enough.
    case inconclusive

    /// Draws the conclusion from findings.
    public init(_ findings: [GateFinding]) {
        if findings.contains(where: { $0.verdict == .worse }) {
            self = .worse
        } else {
            self = findings.isEmpty ? .holds : .inconclusive
        }
    }

    /// The exit code of the program, on which scripts rely.
    public var exitCode: Int32 {
        switch self {
        case .holds: 0
        case .worse: 1
        case .inconclusive: 6
        }
    }
}

/// What the program was built with: allocations and instructions are only compared within one toolchain.
public enum Toolchain {
    /// The compiler, the processor architecture, and the build configuration.
    public static var current: String { "\(compiler) \(architecture) \(configuration)" }

    private static var compiler: String {
        // Only conditions on the compiler's version are available.
        #if compiler(>=6.5)
            "Swift later than 6.4"
        #elseif compiler(>=6.4)
            "Swift 6.4"
        #elseif compiler(>=6.3.2)
            "Swift 6.3 later than 6.3.1"
        #elseif compiler(>=6.3.1)
            "Swift 6.3.1"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "other"
        #endif
    }

    private static var configuration: String {
        #if OPTIMIZED_TESTS
            "optimized debug"
        #elseif DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}
