import Workloads

/// What a report says in the end, and why: what the gate found, and what the rows say where it was not asked.
struct BenchVerdict {
    /// The end of it.
    enum Outcome: String {
        case holds, worse, inconclusive
    }

    /// Everything that does not hold, the gate's own findings first.
    let findings: [GateFinding]
    let outcome: Outcome
    /// One line.
    let line: String

    init(_ report: BenchReport) {
        var findings = report.findings
        for finding in Self.derived(from: report)
        where !findings.contains(where: { $0.subject == finding.subject && $0.rule == finding.rule }) {
            findings.append(finding)
        }
        self.findings = findings
        let worse = findings.count { $0.verdict == .worse }
        let open = findings.count - worse
        if worse > 0 {
            outcome = .worse
            let things = worse == 1 ? "1 thing is worse than it may be" : "\(worse) things are worse than they may be"
            line = "\(things)\(open == 0 ? "" : "; \(open) could not be measured well enough")."
        } else if open > 0 {
            outcome = .inconclusive
            line = "Nothing is worse, but \(Figures.counted(open, "thing")) could not be measured well enough."
        } else {
            outcome = .holds
            line = Self.good(report)
        }
    }

    private static func good(_ report: BenchReport) -> String {
        var parts: [String] = []
        let budgets = report.budgets.count + report.sizes.count
        if budgets > 0 { parts.append(budgets == 1 ? "the budget" : "all \(budgets) budgets") }
        if !report.scale.isEmpty { parts.append("the growth of \(Figures.counted(report.scale.count, "question"))") }
        if !report.comparisons.isEmpty { parts.append(Figures.counted(report.comparisons.count, "comparison")) }
        guard let last = parts.popLast() else { return "Nothing was measured." }
        let all = parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
        let verb = budgets == 1 && parts.isEmpty ? "holds" : "hold"
        return all.prefix(1).uppercased() + all.dropFirst() + " \(verb)."
    }

    /// What the rows say by themselves.
    private static func derived(from report: BenchReport) -> [GateFinding] {
        var findings: [GateFinding] = []
        for row in report.budgets where !row.holds {
            findings.append(
                GateFinding(
                    subject: row.operation, rule: .budget, verdict: .worse,
                    message: "\(row.operation): a run took \(Figures.time(row.timings.longest)), "
                        + "the budget is \(Figures.time(row.budget))."))
        }
        for row in report.sizes where !row.holds {
            findings.append(
                GateFinding(
                    subject: row.name, rule: .size, verdict: .worse,
                    message: "\(row.name): \(Figures.bytes(row.bytes)), the budget is \(Figures.bytes(row.budget))."))
        }
        for row in report.scale where !row.holds {
            findings.append(
                GateFinding(
                    subject: row.operation, rule: .growth, verdict: .worse,
                    message: "\(row.operation): takes \(Figures.ratio(row.growth)) times as long in the largest store "
                        + "as in the smallest; \(Figures.limit(row.limit ?? 0)) is allowed."))
        }
        for row in report.comparisons where row.outcome != .holds {
            let ratio = Figures.interval(row.ratio.median, row.ratio.low, row.ratio.high)
            let isWorse = row.outcome == .worse
            findings.append(
                GateFinding(
                    subject: row.operation, rule: .ratio, verdict: isWorse ? .worse : .inconclusive,
                    message: "\(row.operation): \(ratio) times the other program; "
                        + (isWorse ? "" : "that neither holds nor breaks the limit of ")
                        + "\(Figures.limit(row.limit))\(isWorse ? " is allowed" : "")."))
        }
        return findings
    }
}
