import LabSupport
import Measuring

/// A report as one self-contained HTML page with charts and tables, for phones, desktops and paper. It contains no
/// script.
struct BenchPage {
    let report: BenchReport

    var html: String {
        let verdict = BenchVerdict(report)
        return HTMLPage(
            title: "\(verdict.line) · \(report.name)", styles: [Self.style],
            body: """
                <main>
                \(BenchPageHead(report: report, verdict: verdict).html)
                \(sections.joined())</main>

                """
        ).html
    }

    private static let style = HTMLPage.text(ofResource: PackageResources.bench_css)

    private var sections: [String] {
        [
            BudgetFigure(report: report).html, SizeFigure(rows: report.sizes).html,
            ComparisonFigure(rows: report.comparisons).html, ScaleFigure(rows: report.scale, unit: report.unit).html,
            CountFigure(report: report).html,
        ]
    }
}

/// The head of the page: the verdict, the findings, the key figures, and the machine.
struct BenchPageHead {
    let report: BenchReport
    let verdict: BenchVerdict

    var html: String {
        """
        <header class="top"><p class="kind">\(HTMLText.escaped(report.name))</p>
        <h1 class="\(verdict.outcome.rawValue)">\(HTMLText.escaped(verdict.line))</h1>
        \(findings)\(highlights)<dl class="facts">\(facts)</dl>
        </header>

        """
    }

    private var findings: String {
        guard !verdict.findings.isEmpty else { return "" }
        let lines = verdict.findings.map { finding in
            let word = finding.verdict == .worse ? "Worse" : "Unsure"
            return "<li class=\"\(finding.verdict.rawValue)\"><b>\(word)</b> \(HTMLText.escaped(finding.message))</li>"
        }
        return "<ul class=\"findings\">\(lines.joined())</ul>\n"
    }

    /// The key figures.
    private var highlights: String {
        var entries: [(figure: String, words: String)] = []
        if !report.budgets.isEmpty {
            let held = report.budgets.count(where: \.holds)
            entries.append(("\(held)/\(report.budgets.count)", "time budgets met"))
        }
        if let nearest = report.budgets.min(by: { $0.timesUnder < $1.timesUnder }) {
            entries.append(
                (
                    Figures.times(nearest.timesUnder),
                    "headroom of the tightest budget, at the 99th percentile: \(nearest.operation)"
                ))
        }
        if let fastest = report.budgets.first(where: { $0.operation == "today" }) {
            entries.append((Figures.time(fastest.timings.median), "for Today, decoded and verified"))
        }
        if let growth = report.scale.max(by: { $0.growth < $1.growth }), let size = report.scaleSizes.last,
            let first = report.scaleSizes.first, size > first
        {
            let factor = Figures.grouped(size / max(first, 1))
            entries.append(
                (Figures.ratio(growth.growth) + "×", "largest growth of a query in a store \(factor)× as large"))
        }
        guard !entries.isEmpty else { return "" }
        let items = entries.map {
            "<div><dt>\(HTMLText.escaped($0.words))</dt><dd>\(HTMLText.escaped($0.figure))</dd></div>"
        }
        return "<dl class=\"highlights\">\(items.joined())</dl>\n"
    }

    /// `2026-02-10 09:15 UTC`
    private static func minute(of date: String) -> String {
        let isInstant = date.hasSuffix("Z") && date.count > 16
        return isInstant ? date.prefix(16).replacing("T", with: " ") + " UTC" : date
    }

    private var facts: String {
        let machine = report.machine
        let entries = [
            ("Processor", machine.processor), ("Cores", "\(machine.cores)"), ("Memory", Figures.bytes(machine.memory)),
            ("Kernel", machine.kernel), ("Disk", machine.disk), ("Machine", machine.fingerprint),
            ("Size", report.size > 0 ? Figures.counted(report.size, report.unit) : "no store"),
            ("Daybook", report.program),
            ("Date", Self.minute(of: report.date)),
        ]
        return entries.map { "<div><dt>\($0)</dt><dd>\(HTMLText.escaped($1))</dd></div>" }.joined()
    }
}
