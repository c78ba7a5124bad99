import Foundation
import Measuring
import Testing

@testable import PerformanceTesting

@Suite struct BenchPageTests {
    /// Parses the page as XML, after closing the elements that HTML may leave open.
    private func reader(_ html: String) -> MarkupReader {
        let text = html.replacing("<!DOCTYPE html>", with: "").replacing(/<(meta|link)([^>]*)>/) { "<\($0.1)\($0.2)/>" }
        return MarkupReader(text)
    }

    private func page(_ report: BenchReport) -> String { BenchPage(report: report).html }

    @Test(
        "The page is well-formed, whatever it contains",
        arguments: [ReportFixture.good, ReportFixture.bad, ReportFixture.empty])
    func thePageIsWellFormedWhateverItContains(report: BenchReport) {
        let reader = reader(page(report))
        #expect(reader.problem == nil)
        #expect(reader.elements.first?.name == "html")
    }

    @Test("The page is self-contained and has no script")
    func thePageIsSelfContainedAndHasNoScript() {
        let html = page(ReportFixture.bad)
        for word in ["http:", "https:", "//", "@import", "url(", "<script", "onload", "javascript:"] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test("Everything that was measured has a row or a line")
    func everythingThatWasMeasuredHasARowOrALine() {
        let reader = reader(page(ReportFixture.bad))
        let classes = reader.elements.compactMap { element in element.attributes["class"].map { (element.name, $0) } }
        let count = { (name: String, of: String) in classes.count { $0 == (name, of) } }
        let report = ReportFixture.bad
        #expect(count("svg", "row") == report.budgets.count + report.comparisons.count)
        #expect(count("line", "wall") == report.budgets.count + 1)  // and one that explains it
        #expect(count("text", "label") == report.scale.count)
        #expect(reader.elements.filter { $0.name == "li" && $0.attributes["class"] == "worse" }.count == 5)
        #expect(count("g", "series worse") == 1)
    }

    @Test("Nothing lies outside its drawing")
    func nothingLiesOutsideItsDrawing() {
        let reader = reader(page(ReportFixture.bad))
        let keys = ["x", "x1", "x2", "cx", "width"]
        let shares = reader.elements.flatMap { element in keys.compactMap { element.attributes[$0] } }
            .filter { $0.hasSuffix("%") }.compactMap { Double($0.dropLast()) }
        #expect(shares.count > 100)
        #expect(shares.allSatisfy { $0 >= 0 && $0 <= 100 })
        let places = reader.elements.flatMap { element in element.attributes.values }
        #expect(!places.contains { $0.contains("nan") || $0.contains("inf%") })
    }

    @Test("Extreme numbers are drawn")
    func extremeNumbersAreDrawn() {
        var report = ReportFixture.empty
        report.budgets = [
            BudgetRow(operation: "o", title: "o", budget: 0, timings: ReportFixture.timings([0, 0]), floor: nil)
        ]
        report.scale = [
            ScaleRow(operation: "o", title: "o", points: [ScaleRow.Point(size: 1, median: 0, rows: 0)], limit: nil)
        ]
        report.sizes = [MeasuredSize.disk.row("s", 0, budget: 0)]
        report.counts = [ExactCounts(operation: "o", runs: 0, values: [.gets: 0])]
        report.comparisons = [
            Comparison(operation: "o", ratio: PairedRatio([0, 1, .infinity]), limit: 1.05, outcome: .inconclusive)
        ]
        let reader = reader(page(report))
        #expect(reader.problem == nil)
    }
}
