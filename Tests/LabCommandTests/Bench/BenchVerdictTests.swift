import Testing
import Workloads

@testable import LabCommand

@Suite struct BenchVerdictTests {
    @Test("Says that everything holds, and what everything is")
    func saysThatEverythingHoldsAndWhatEverythingIs() {
        let verdict = BenchVerdict(ReportFixture.good)
        #expect(verdict.outcome == .holds)
        #expect(verdict.findings.isEmpty)
        #expect(verdict.line == "All 3 budgets, the growth of 1 question and 1 comparison hold.")
        #expect(BenchVerdict(ReportFixture.empty).line == "Nothing was measured.")
        var one = ReportFixture.empty
        one.sizes = ReportFixture.good.sizes
        #expect(BenchVerdict(one).line == "The budget holds.")
    }

    @Test("Counts what is worse and what is open")
    func countsWhatIsWorseAndWhatIsOpen() {
        let verdict = BenchVerdict(ReportFixture.bad)
        #expect(verdict.outcome == .worse)
        let found = verdict.findings.map { "\($0.rule) \($0.subject) \($0.verdict)" }
        #expect(
            found == [
                "count create worse", "budget reorder worse", "size memory worse", "growth past-100 worse",
                "ratio create worse", "ratio undo inconclusive",
            ])
        #expect(verdict.line == "5 things are worse than they may be; 1 could not be measured well enough.")
        #expect(verdict.findings.dropFirst().allSatisfy { $0.message.hasSuffix(".") && $0.message.contains(" ") })
    }

    @Test("What could not be measured alone is no failure")
    func whatCouldNotBeMeasuredAloneIsNoFailure() {
        var report = ReportFixture.good
        report.comparisons = [ReportFixture.bad.comparisons[2]]
        report.findings = Gate.findings(in: report)
        #expect(BenchVerdict(report).outcome == .inconclusive)
    }
}
