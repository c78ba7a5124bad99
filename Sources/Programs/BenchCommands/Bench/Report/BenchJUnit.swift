import LabSupport
import Workloads

/// A report as JUnit XML: a test case for each operation and rule. Inconclusive measurements are skipped, with a
/// reason.
struct BenchJUnit {
    let report: BenchReport

    var text: String {
        let suites = self.suites
        let cases = suites.flatMap(\.cases)
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="daybook bench" tests="\(cases.count)" failures="\(cases.count(where: \.isWorse))" \
            skipped="\(cases.count(where: \.isSkipped))">

            """
        for suite in suites { text += self.text(of: suite) }
        return text + "</testsuites>\n"
    }

    private struct Case {
        let subject: String
        var nanoseconds: Int64?
        let findings: [GateFinding]

        var isWorse: Bool { findings.contains { $0.verdict == .worse } }
        var isSkipped: Bool { !findings.isEmpty && !isWorse }
    }

    private struct Suite {
        let rule: GateFinding.Rule
        let cases: [Case]
    }

    /// Returns a suite for each rule, with the measured subjects and those that only a finding names.
    private var suites: [Suite] {
        let measured: [(GateFinding.Rule, [(String, Int64?)])] = [
            (.budget, report.budgets.map { ($0.operation, $0.timings.median) }),
            (.size, report.sizes.map { ($0.name, nil) }),
            (.growth, report.scale.map { ($0.operation, nil) }),
            (.count, report.counts.map { ($0.operation, nil) }),
            (.ratio, report.comparisons.map { ($0.operation, nil) }),
        ]
        let findings = BenchVerdict(report).findings
        return measured.compactMap { rule, rows in
            let own = findings.filter { $0.rule == rule }
            var subjects = rows
            for finding in own where !subjects.contains(where: { $0.0 == finding.subject }) {
                subjects.append((finding.subject, nil))
            }
            guard !subjects.isEmpty else { return nil }
            return Suite(
                rule: rule,
                cases: subjects.map { subject, time in
                    Case(subject: subject, nanoseconds: time, findings: own.filter { $0.subject == subject })
                })
        }
    }

    private func text(of suite: Suite) -> String {
        let name = suite.rule.rawValue
        var text = """
              <testsuite name="\(name)" tests="\(suite.cases.count)" failures="\(suite.cases.count(where: \.isWorse))" \
            errors="0" skipped="\(suite.cases.count(where: \.isSkipped))" \
            timestamp="\(HTMLText.escaped(Self.local(report.date)))" hostname="\(report.machine.fingerprint)">

            """
        for one in suite.cases {
            // The median of a run as the time of the test case.
            let time = one.nanoseconds.map { " time=\"\(Figures.fixed(Double($0) / 1e9, places: 9))\"" } ?? ""
            let head = "<testcase classname=\"bench.\(name)\" name=\"\(HTMLText.escaped(one.subject))\"\(time)"
            guard !one.findings.isEmpty else {
                text += "    \(head)/>\n"
                continue
            }
            let message = HTMLText.escaped(one.findings.map(\.message).joined(separator: " "))
            let result =
                one.isWorse
                ? "<failure message=\"\(message)\" type=\"worse\">\(message)</failure>"
                : "<skipped message=\"\(message)\"/>"
            text += "    \(head)>\(result)</testcase>\n"
        }
        return text + "  </testsuite>\n"
    }

    /// Returns the local time: the format has no zone.
    private static func local(_ date: String) -> String {
        date.hasSuffix("Z") ? String(date.dropLast().prefix(19)) : date
    }
}
