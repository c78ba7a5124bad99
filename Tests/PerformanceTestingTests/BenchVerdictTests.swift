import Measuring
import Testing

@testable import PerformanceTesting

@Suite struct BenchVerdictTests {
    @Test("The verdict of a good report names what was checked")
    func theVerdictOfAGoodReportNamesWhatWasChecked() {
        let verdict = BenchVerdict(ReportFixture.good)
        #expect(verdict.outcome == .holds)
        #expect(verdict.findings.isEmpty)
        #expect(verdict.line == "All 3 budgets, the growth of 1 query and 1 comparison hold.")
        #expect(BenchVerdict(ReportFixture.empty).line == "Nothing was measured.")
        var one = ReportFixture.empty
        one.sizes = ReportFixture.good.sizes
        #expect(BenchVerdict(one).line == "The budget holds.")
    }

    @Test("The verdict counts worse and inconclusive results")
    func theVerdictCountsWorseAndInconclusiveResults() {
        let verdict = BenchVerdict(ReportFixture.bad)
        #expect(verdict.outcome == .worse)
        let found = verdict.findings.map { "\($0.rule) \($0.subject) \($0.verdict)" }
        #expect(
            found == [
                "count create worse", "budget reorder worse", "size memory-private worse", "growth past-100 worse",
                "ratio create worse", "ratio undo inconclusive",
            ])
        #expect(verdict.line == "5 results are worse than allowed; 1 measurement inconclusive.")
        #expect(verdict.findings.dropFirst().allSatisfy { $0.message.hasSuffix(".") && $0.message.contains(" ") })
    }

    @Test("Inconclusive measurements alone are not a failure")
    func inconclusiveMeasurementsAloneAreNotAFailure() {
        var report = ReportFixture.good
        report.comparisons = [ReportFixture.bad.comparisons[2]]
        report.findings = Gate.findings(in: report)
        #expect(BenchVerdict(report).outcome == .inconclusive)
    }
}
