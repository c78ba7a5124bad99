import Testing
import Workloads

@testable import BenchCommands

@Suite struct BenchJUnitTests {
    @Test("Each operation and rule has a case")
    func eachOperationAndRuleHasACase() {
        let reader = MarkupReader(BenchJUnit(report: ReportFixture.good).text)
        #expect(reader.problem == nil)
        let cases = reader.all("testcase").map { "\($0["classname"] ?? "") \($0["name"] ?? "")" }
        #expect(
            cases == [
                "bench.budget today", "bench.budget export", "bench.size disk", "bench.growth today",
                "bench.count today",
                "bench.count create", "bench.ratio today",
            ])
        #expect(reader.all("testcase").first?["time"] == "0.000022000")
        #expect(reader.all("testsuite").map { $0["timestamp"] }.allSatisfy { $0 == "2026-02-10T09:15:00" })
        #expect(reader.all("failure").isEmpty && reader.all("skipped").isEmpty)
    }

    @Test("Failures and skipped cases contain the finding's message, escaped")
    func failuresAndSkippedCasesContainTheFindingsMessageEscaped() throws {
        let reader = MarkupReader(BenchJUnit(report: ReportFixture.bad).text)
        #expect(reader.problem == nil)
        let failures = reader.elements.filter { $0.name == "failure" }
        #expect(failures.count == 5)
        let hostile = try #require(failures.first { $0.attributes["message"]?.contains("<script>") == true })
        #expect(hostile.text.contains("alert('1' && \"2\")</script> | `a`"))
        #expect(hostile.text.contains("\u{FFFD}[31m\u{FFFD}\nnext line"))
        #expect(reader.all("skipped").map { $0["message"]?.hasPrefix("undo takes 1.04 times") } == [true])
        let suites = reader.all("testsuites")
        #expect(suites.first?["failures"] == "5" && suites.first?["skipped"] == "1")
        for key in ["tests", "failures", "skipped"] {
            let sum = reader.all("testsuite").reduce(0) { $0 + (Int($1[key] ?? "") ?? -1000) }
            #expect("\(sum)" == suites.first?[key])
        }
    }

    @Test("A finding about an operation that was not measured has a case, too")
    func aFindingAboutAnOperationThatWasNotMeasuredHasACaseToo() {
        var report = ReportFixture.empty
        report.findings = [GateFinding(subject: "gone", rule: .count, verdict: .worse, message: "gone is not counted.")]
        let reader = MarkupReader(BenchJUnit(report: report).text)
        #expect(reader.all("testcase").map { $0["name"] } == ["gone"])
        #expect(reader.all("failure").count == 1)
    }

    @Test("An empty report has no cases")
    func anEmptyReportHasNoCases() {
        let reader = MarkupReader(BenchJUnit(report: ReportFixture.empty).text)
        #expect(reader.problem == nil)
        #expect(reader.all("testcase").isEmpty)
    }
}
