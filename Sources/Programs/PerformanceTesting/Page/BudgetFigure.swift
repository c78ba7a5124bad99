import Charts
import LabSupport
import Measuring

/// The budgets: a row for each operation, with its times, lower bound and budget on one logarithmic axis.
struct BudgetFigure {
    let report: BenchReport

    private static let height = 40.0

    var html: String {
        guard !report.budgets.isEmpty else { return "" }
        return """
            <section aria-labelledby="budgets"><h2 id="budgets">Budgets</h2>
            <figure>
            <table class="plot budgets">
            <thead><tr><th scope="col">operation</th><th scope="col" class="axis">\(axis)</th>\
            <th scope="col">p50</th><th scope="col">p99</th><th scope="col">max</th><th scope="col">floor</th>\
            <th scope="col">by floor</th><th scope="col">budget</th><th scope="col">under</th></tr></thead>
            <tbody>
            \(report.budgets.map(row).joined())</tbody></table>
            \(caption)
            </figure></section>

            """
    }

    private var scale: LogScale {
        LogScale(
            decadesAround: report.budgets.flatMap { row in
                [row.timings.median, row.timings.longest, row.budget, row.floor?.median ?? row.budget].map(Double.init)
            })
    }

    private var axis: String {
        let decades = scale.decades
        let marks = decades.enumerated().map { number, decade in
            let anchor = number == 0 ? "start" : number == decades.count - 1 ? "end" : "middle"
            // A phone has room for every other tick.
            let name = number.isMultiple(of: 2) ? "tick" : "tick odd"
            return Drawing.at(
                scale.place(decade), 12,
                "<text class=\"\(name)\" text-anchor=\"\(anchor)\">\(Figures.time(Int64(decade)))</text>")
        }
        return "<span class=\"vh\">from the median to the longest run</span>"
            + Drawing.open("axis", height: 16, label: "")
            + marks.joined() + "</svg>"
    }

    private func row(_ row: BudgetRow) -> String {
        let times = row.timings
        let floor = row.floor
        let under =
            row.holds
            ? "<b>\(Figures.times(row.timesUnder))</b>" : "<b class=\"bad\">broken</b>"
        let ratio = floor.map { $0.ratio.interval } ?? ""
        return """
            <tr class="\(row.holds ? "holds" : "worse")"><th scope="row">\(Self.words(row.title)) \
            <code>\(HTMLText.escaped(row.operation))</code></th><td class="drawn">\(drawing(row))</td>\
            \(cell("p50", Figures.time(times.median)))\(cell("p99", Figures.time(times.percentile99)))\
            \(cell("max", Figures.time(times.longest)))\(cell("floor", floor.map { Figures.time($0.median) } ?? ""))\
            <td data-name="by floor" title="\(ratio)">\(floor.map { Figures.ratio($0.ratio.median) + "×" } ?? "")</td>\
            \(cell("budget", Figures.time(row.budget)))<td class="under">\(under)</td></tr>

            """
    }

    /// Returns a title as HTML, with text between backticks as code.
    private static func words(_ title: String) -> String {
        title.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { number, part in
            let text = HTMLText.escaped(String(part))
            return number.isMultiple(of: 2) ? text : "<code class=\"said\">\(text)</code>"
        }.joined()
    }

    private func cell(_ name: String, _ text: String) -> String { "<td data-name=\"\(name)\">\(text)</td>" }

    private func drawing(_ row: BudgetRow) -> String {
        let scale = scale
        let middle = Self.height / 2
        let place = { (time: Int64) in scale.place(Double(time)) }
        let times = row.timings
        let (median, slow, longest) = (place(times.median), place(times.percentile99), place(times.longest))
        let budget = place(row.budget)
        var drawing = Drawing.open("row", height: Self.height, label: "")
        drawing +=
            "<rect class=\"beyond\" x=\"\(Drawing.across(budget))\" y=\"0\" "
            + "width=\"\(Drawing.across(1 - budget))\" height=\"100%\"/>"
        for decade in scale.decades {
            let x = scale.place(decade)
            drawing += Drawing.line("grid", x, 0, x, Self.height)
        }
        drawing += Drawing.line("wall", budget, 7, budget, Self.height - 7)
        if row.holds { drawing += Drawing.line("room", longest, middle, budget, middle) }
        drawing += Drawing.line("most", median, middle, longest, middle)
        drawing += Drawing.line("many", median, middle, slow, middle)
        drawing += Drawing.line("end", longest, middle - 4, longest, middle + 4)
        drawing += Drawing.dot("mid", median, middle, radius: 4.5)
        if let floor = row.floor { drawing += Drawing.at(place(floor.median), middle, Drawing.diamond) }
        return drawing + "</svg>"
    }

    private var caption: String {
        let runs = report.budgets.map(\.timings.runs)
        let floors = Set(report.budgets.compactMap { $0.floor?.title }).sorted().joined(separator: "; ")
        return """
            <figcaption><ul class="legend">\
            <li>\(Self.sign("<line class=\"many\" x1=\"8\" y1=\"8\" x2=\"28\" y2=\"8\"/><circle class=\"mid\" cx=\"8\" cy=\"8\" r=\"4.5\"/>")) median to 99th percentile</li>\
            <li>\(Self.sign("<line class=\"most\" x1=\"4\" y1=\"8\" x2=\"26\" y2=\"8\"/><line class=\"end\" x1=\"26\" y1=\"4\" x2=\"26\" y2=\"12\"/>")) up to the longest run</li>\
            <li>\(Self.sign("<svg x=\"16\" y=\"8\" overflow=\"visible\">\(Drawing.diamond)</svg>")) the floor: a lower bound on this machine</li>\
            <li>\(Self.sign("<rect class=\"beyond\" x=\"16\" width=\"16\" height=\"16\"/><line class=\"wall\" x1=\"16\" y1=\"0\" x2=\"16\" y2=\"16\"/>")) the budget, and beyond</li></ul>
            <p>Logarithmic. \(Self.runs(from: runs.min() ?? 0, to: runs.max() ?? 0)) each; every change is durable. \
            “Under” is the budget by the 99th percentile; a budget is broken by any run beyond it. \
            \(floors.isEmpty ? "" : "Floors, measured interleaved with the operation: \(HTMLText.escaped(floors)).")</p></figcaption>
            """
    }

    private static func runs(from least: Int, to most: Int) -> String {
        least == most ? Figures.counted(most, "run") : "\(Figures.grouped(least)) to \(Figures.counted(most, "run"))"
    }

    private static func sign(_ content: String) -> String {
        "<svg class=\"sign\" width=\"32\" height=\"16\" aria-hidden=\"true\">\(content)</svg>"
    }
}
