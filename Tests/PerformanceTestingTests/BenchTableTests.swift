import CommandSupport
import Measuring
import Testing

@testable import PerformanceTesting

@Suite struct BenchTableTests {
    private func lines(_ report: BenchReport) -> [String] {
        BenchTable(report: report, terminal: ReportFixture.terminal).text
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("Each part is a table of at most a hundred columns")
    func eachPartIsATableOfAtMostAHundredColumns() {
        let lines = lines(ReportFixture.good)
        #expect(lines.allSatisfy { $0.columns <= 100 && !$0.hasSuffix(" ") })
        for expected in [
            "Some CPU <4> & \"more\", 2 cores, 16 GB",
            "budgets     for  budget    p50    p99    max   under  floor    times the floor",
            "today    C-NFR5  200 ms  22 µs  70 µs  70 µs  2,800×   5 µs  4.00 [3.90, 4.20]",
            "export              2 s  13 ms  13 ms  13 ms    150×",
            "disk, allocated  C-NFR11  10 MB   1.83 MB   5.4×",
            "today         20 µs      22 µs   1.10×     2×      0.01",
            "create                2     7", "today                      50  51.23    623k",
            "today              1.00 [0.98, 1.02]   1.05      3    holds",
        ] {
            #expect(lines.contains(expected), "\(expected)\n\(lines.joined(separator: "\n"))")
        }
        #expect(lines.dropLast().last == "All 3 budgets, the growth of 1 query and 1 comparison hold.")
    }

    @Test("The findings and the verdict come last, and control characters are replaced")
    func theFindingsAndTheVerdictComeLastAndControlCharactersAreReplaced() {
        let text = BenchTable(report: ReportFixture.bad, terminal: ReportFixture.terminal).text
        let lines = lines(ReportFixture.bad)
        #expect(lines.contains { $0.hasPrefix("reorder") && $0.contains("BROKEN") })
        #expect(lines.contains { $0.hasPrefix("WORSE  reorder took up to 17.00 ms") })
        #expect(lines.contains { $0.hasPrefix("UNSURE  undo takes 1.04 times as long") })
        #expect(text.hasSuffix("\n5 results are worse than allowed; 1 measurement inconclusive.\n"))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test("Colors are used only where they are welcome")
    func colorsAreUsedOnlyWhereTheyAreWelcome() {
        let colours = Terminal(isTerminal: true, hasColors: true, width: 100)
        #expect(BenchTable(report: ReportFixture.bad, terminal: colours).text.contains("\u{1B}[31mWORSE\u{1B}[0m"))
    }

    @Test("An empty report has a heading and a verdict")
    func anEmptyReportHasAHeadingAndAVerdict() {
        #expect(lines(ReportFixture.empty).suffix(3) == ["", "Nothing was measured.", ""])
    }
}
