import Workloads

/// What the gate's findings in a report come to, in one line.
struct BenchVerdict {
    let findings: [GateFinding]
    let outcome: GateVerdict
    /// One line.
    let line: String

    init(_ report: BenchReport) {
        findings = report.findings
        let worse = findings.count { $0.verdict == .worse }
        let open = findings.count - worse
        outcome = GateVerdict(findings)
        switch outcome {
        case .worse:
            let things = worse == 1 ? "1 thing is worse than it may be" : "\(worse) things are worse than they may be"
            line = "\(things)\(open == 0 ? "" : "; \(open) could not be measured well enough")."
        case .inconclusive:
            line = "Nothing is worse, but \(Figures.counted(open, "thing")) could not be measured well enough."
        case .holds:
            line = Self.good(report)
        }
    }

    private static func good(_ report: BenchReport) -> String {
        var parts: [String] = []
        let budgets = report.budgets.count + report.sizes.count
        if budgets > 0 { parts.append(budgets == 1 ? "the budget" : "all \(budgets) budgets") }
        if !report.scale.isEmpty { parts.append("the growth of \(Figures.counted(report.scale.count, "question"))") }
        if !report.comparisons.isEmpty { parts.append(Figures.counted(report.comparisons.count, "comparison")) }
        guard let last = parts.popLast() else {
            let counted = Figures.counted(report.counts.count, "operation")
            return report.counts.isEmpty
                ? "Nothing was measured." : "Counted \(counted); nothing is worse than it may be."
        }
        let all = parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
        let verb = budgets == 1 && parts.isEmpty ? "holds" : "hold"
        return all.prefix(1).uppercased() + all.dropFirst() + " \(verb)."
    }
}
