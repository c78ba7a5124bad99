import Measuring
import Testing

@testable import PerformanceTesting

@Suite struct BenchMarkdownTests {
    @Test("The verdict comes first, followed by the findings and the collapsed tables")
    func theVerdictComesFirstFollowedByTheFindingsAndTheCollapsedTables() throws {
        let text = BenchMarkdown(report: ReportFixture.bad).text
        #expect(text.hasPrefix("### ❌ daybook bench: 5 results are worse"))
        let finding = try #require(text.firstRange(of: "- **worse** · reorder took"))
        let table = try #require(
            text.firstRange(of: "<details><summary>Budgets in a store of 1,000 tasks</summary>\n\n| "))
        #expect(finding.lowerBound < table.lowerBound)
        #expect(text.contains("| **reorder** |  | 16 ms | 17 ms | 17 ms | 17 ms | BROKEN |  |  |\n"))
        #expect(BenchMarkdown(report: ReportFixture.good).text.hasPrefix("### ✅ "))
    }

    @Test("Every table has as many cells in each row")
    func everyTableHasAsManyCellsInEachRow() {
        let lines = BenchMarkdown(report: ReportFixture.bad).text.split(separator: "\n")
        var width: Int?
        var tables = 0
        for line in lines {
            guard line.hasPrefix("|") else {
                width = nil
                continue
            }
            if width == nil { tables += 1 }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).count
            #expect(cells == width ?? cells, "\(line)")
            width = cells
        }
        #expect(tables == 5)
    }

    @Test("Text is escaped for Markdown and HTML")
    func textIsEscapedForMarkdownAndHTML() throws {
        let text = BenchMarkdown(report: ReportFixture.bad).text
        let line = try #require(text.split(separator: "\n").first { $0.contains("script") })
        #expect(
            line.contains(
                #"&lt;script&gt;alert('1' &amp;&amp; "2")&lt;/script&gt; \| \`a\` \*b\* \[c\](d) &#64;team &#35;12"#))
        #expect(line.contains(#"\\n"#))
        #expect(text.components(of: "</details>") == text.components(of: "<details>"))
    }

    @Test("A report fits into a comment, and names what it omits")
    func aReportFitsIntoACommentAndNamesWhatItOmits() {
        var report = ReportFixture.bad
        report.findings = (0..<2000).map {
            GateFinding(subject: "s\($0)", rule: .count, verdict: .worse, message: String(repeating: "|", count: 500))
        }
        report.counts = (0..<3000).map { ExactCounts(operation: "operation-\($0)", runs: 1, values: [.gets: 5]) }
        let text = BenchMarkdown(report: report).text
        #expect(text.utf8.count <= BenchMarkdown.sizeMax)
        #expect(text.contains("more findings\n"))
        #expect(text.contains("Omitted for length: Counts per run"))
        #expect(text.contains("<summary>Sizes</summary>"))
    }

    @Test("An empty report consists of the verdict")
    func anEmptyReportConsistsOfTheVerdict() {
        let text = BenchMarkdown(report: ReportFixture.empty).text
        #expect(text.contains("Nothing was measured."))
        #expect(!text.contains("<details>"))
    }
}

extension String {
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}
