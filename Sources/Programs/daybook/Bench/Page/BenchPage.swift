import LabSupport
import Workloads

/// A report as one page without anything from elsewhere: charts drawn here, the numbers behind each, good on a phone, on a
/// desktop and on paper. There is no script in it.
struct BenchPage {
    let report: BenchReport
    /// The runs before this one; nil when none were asked for.
    var history: RunHistory?

    var html: String {
        let verdict = BenchVerdict(report)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(HTMLText.escaped(verdict.line)) · Daybook bench</title>
            <link rel="icon" href="data:,">
            <style>\(BenchPageStyle.text)</style>
            </head>
            <body>
            <main>
            \(BenchPageHead(report: report, verdict: verdict).html)
            \(sections.joined())</main>
            </body>
            </html>

            """
    }

    private var sections: [String] {
        [
            BudgetFigure(report: report).html, SizeFigure(rows: report.sizes).html,
            ComparisonFigure(rows: report.comparisons).html, ScaleFigure(rows: report.scale).html,
            CountFigure(report: report).html,
            history.map { HistoryFigure(history: $0, run: RunRecord(report)).html } ?? "",
        ]
    }
}
