import Glibc
import LabSupport
import Measuring

extension ExactCounts.Kind {
    /// A short column heading.
    var label: String {
        switch self {
        case .flushes: "flushes"
        case .writeCalls: "writes"
        case .bytesWritten: "bytes"
        case .pagesWritten: "pages w"
        case .pagesRead: "pages r"
        case .puts: "puts"
        case .deletes: "deletes"
        case .gets: "gets"
        case .cursorSteps: "steps"
        case .allocations: "mallocs"
        case .instructions: "instr."
        }
    }
}

extension ExactCounts {
    /// Returns the count per run in short form; empty if it was not counted.
    func perRunShort(_ kind: Kind) -> String {
        guard let sum = values[kind], runs > 0, sum / runs > 99_999 else { return perRun(kind) }
        return Figures.compact(Double(sum) / Double(runs))
    }

    /// Returns the count per run; empty if it was not counted.
    func perRun(_ kind: Kind) -> String {
        values[kind].map { Figures.perRun($0, runs: runs) } ?? ""
    }
}

extension BenchReport {
    /// The kinds that were counted for any operation, in order.
    var countedKinds: [ExactCounts.Kind] {
        ExactCounts.Kind.allCases.filter { kind in counts.contains { $0.values[kind] != nil } }
    }
}

/// The conclusion from the gate's findings, in one line.
struct BenchVerdict {
    let findings: [GateFinding]
    let outcome: GateVerdict
    /// The line.
    let line: String

    init(_ report: BenchReport) {
        findings = report.findings
        let worse = findings.count { $0.verdict == .worse }
        let open = findings.count - worse
        outcome = GateVerdict(findings)
        switch outcome {
        case .worse:
            let things = worse == 1 ? "1 result is worse than allowed" : "\(worse) results are worse than allowed"
            line = "\(things)\(open == 0 ? "" : "; \(Figures.counted(open, "measurement")) inconclusive")."
        case .inconclusive:
            line = "No result is worse than allowed; \(Figures.counted(open, "measurement")) inconclusive."
        case .holds:
            line = Self.good(report)
        }
    }

    private static func good(_ report: BenchReport) -> String {
        var parts: [String] = []
        let budgets = report.budgets.count + report.sizes.count
        if budgets > 0 { parts.append(budgets == 1 ? "the budget" : "all \(budgets) budgets") }
        if !report.scale.isEmpty {
            parts.append("the growth of \(Figures.counted(report.scale.count, "query", plural: "queries"))")
        }
        if !report.comparisons.isEmpty { parts.append(Figures.counted(report.comparisons.count, "comparison")) }
        guard let last = parts.popLast() else {
            let counted = Figures.counted(report.counts.count, "operation")
            return report.counts.isEmpty
                ? "Nothing was measured." : "Counted \(counted); no result is worse than allowed."
        }
        let all = parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
        let verb = budgets == 1 && parts.isEmpty ? "holds" : "hold"
        return all.prefix(1).uppercased() + all.dropFirst() + " \(verb)."
    }
}
