import Charts
import Glibc
import LabSupport
import Measuring

/// Sizes as fractions of their budgets.
struct SizeFigure {
    let rows: [MeasuredRow]

    var html: String {
        guard !rows.isEmpty else { return "" }
        return """
            <section aria-labelledby="sizes"><h2 id="sizes">Sizes</h2>
            <figure><table class="plot sizes">
            <thead><tr><th scope="col">what</th><th scope="col" class="axis">share of the budget</th>\
            <th scope="col">measured</th><th scope="col">budget</th><th scope="col">under</th></tr></thead>
            <tbody>
            \(rows.map(row).joined())</tbody></table></figure></section>

            """
    }

    private func row(_ row: MeasuredRow) -> String {
        let holds = row.holds ?? true
        let share = row.measured.number / max(row.limit?.number ?? 0, 1)
        let under =
            holds
            ? "<b>\(Figures.times(1 / max(share, 1e-9)))</b>" : "<b class=\"bad\">broken</b>"
        return """
            <tr class="\(holds ? "holds" : "worse")"><th scope="row">\(HTMLText.escaped(row.title))</th>\
            <td class="drawn"><span class="share"><i style="width:\(Drawing.across(min(share, 1)))"></i></span></td>\
            <td data-name="measured">\(row.measured.text)</td><td data-name="budget">\(row.limit?.text ?? "")</td>\
            <td class="under">\(under)</td></tr>

            """
    }
}

/// The counts of each run, with a bar below each number that compares it with the largest of its kind.
struct CountFigure {
    let report: BenchReport

    var html: String {
        let kinds = report.countedKinds
        guard !kinds.isEmpty else { return "" }
        let head = kinds.map { "<th scope=\"col\">\($0.label)</th>" }.joined()
        return """
            <section aria-labelledby="counts"><h2 id="counts">Counted</h2>
            <figure>
            <table class="counts"><thead><tr><th scope="col">a run of</th>\(head)</tr></thead><tbody>
            \(report.counts.map { row($0, kinds) }.joined())</tbody></table>
            <figcaption><p>Exact mean over a fixed number of runs in a fresh store; the same on every machine, except \
            for allocations and instructions. Pages of 4 KiB: w written to the file, r read in the map. Each bar \
            compares with the largest number of its column, on a logarithmic scale.</p></figcaption>
            </figure></section>

            """
    }

    private func row(_ row: ExactCounts, _ kinds: [ExactCounts.Kind]) -> String {
        let isWorse = report.findings.contains { $0.rule == .count && $0.subject == row.operation }
        return """
            <tr class="\(isWorse ? "worse" : "holds")"><th scope="row"><code>\(HTMLText.escaped(row.operation))</code>\
            \(isWorse ? " <b class=\"bad\">changed</b>" : "")</th>\
            \(kinds.map { cell(row, $0) }.joined())</tr>

            """
    }

    private func cell(_ row: ExactCounts, _ kind: ExactCounts.Kind) -> String {
        guard row.values[kind] != nil else { return "<td class=\"none\" data-name=\"\(kind.label)\">–</td>" }
        let most = report.counts.map { Self.mean($0, kind) }.max() ?? 0
        let share = most > 0 ? log(1 + Self.mean(row, kind)) / log(1 + most) : 0
        return """
            <td data-name="\(kind.label)"\(row.values[kind] == 0 ? " class=\"zero\"" : "")>\(row.perRun(kind))<i style="width:\(Drawing.across(share))"></i></td>
            """
    }

    private static func mean(_ row: ExactCounts, _ kind: ExactCounts.Kind) -> Double {
        Double(row.values[kind] ?? 0) / Double(max(row.runs, 1))
    }
}

/// The comparison with another program: each ratio with its interval, and the limit.
struct ComparisonFigure {
    let rows: [Comparison]

    private static let height = 30.0

    var html: String {
        guard !rows.isEmpty else { return "" }
        return """
            <section aria-labelledby="against"><h2 id="against">Against the other program</h2>
            <figure>
            <table class="plot against">
            <thead><tr><th scope="col">operation</th><th scope="col" class="axis">\(axis)</th>\
            <th scope="col">ratio</th><th scope="col">interval</th>\(oneLimit == nil ? "<th scope=\"col\">limit</th>" : "")\
            <th scope="col">pairs</th>\
            <th scope="col">outcome</th></tr></thead>
            <tbody>
            \(rows.map(row).joined())</tbody></table>
            <figcaption><p>Time of this program divided by the other’s, measured interleaved: below 1 is faster. The dot \
            is the median of the paired ratios; the bar is its 95 % confidence interval. A result is worse only if the \
            entire bar is beyond the limit (dashed\(oneLimit.map { ", \(Figures.limit($0))" } ?? "")).</p></figcaption>
            </figure></section>

            """
    }

    private var scale: LogScale {
        let values: [Double] = rows.flatMap { [$0.ratio.low, $0.ratio.high, $0.ratio.median, $0.limit] } + [1]
        // A side without a bound must not compress all the others.
        return LogScale(around: values.map { min(max($0, 0.2), 5) }, factorMin: 1.25)
    }

    /// The limit of all comparisons if they have the same one; no column is needed then.
    private var oneLimit: Double? {
        guard let first = rows.first?.limit, rows.allSatisfy({ $0.limit == first }) else { return nil }
        return first
    }

    private var ticks: [Double] {
        let all = [0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 4, 5]
        let scale = scale
        var kept: [Double] = [1]
        for tick in all.sorted(by: { abs(scale.place($0) - scale.place(1)) < abs(scale.place($1) - scale.place(1)) })
        where tick > scale.low && tick < scale.high {
            if kept.allSatisfy({ abs(scale.place($0) - scale.place(tick)) > 0.13 }) { kept.append(tick) }
        }
        return kept.sorted()
    }

    private var axis: String {
        let marks = ticks.map { tick in
            Drawing.at(
                scale.place(tick), 12, "<text class=\"tick\" text-anchor=\"middle\">\(Figures.ratio(tick))</text>")
        }
        return "<span class=\"vh\">ratio</span>" + Drawing.open("axis", height: 16, label: "") + marks.joined()
            + "</svg>"
    }

    private func row(_ row: Comparison) -> String {
        let words =
            switch row.outcome {
            case .holds: "holds"
            case .worse: "<b class=\"bad\">worse</b>"
            case .inconclusive: "<b class=\"unsure\">inconclusive</b>"
            }
        return """
            <tr class="\(row.outcome.rawValue)"><th scope="row"><code>\(HTMLText.escaped(row.operation))</code></th>\
            <td class="drawn">\(drawing(row))</td><td data-name="ratio">\(Figures.ratio(row.ratio.median))</td>\
            <td data-name="interval">\(Figures.ratio(row.ratio.low)) to \(Figures.ratio(row.ratio.high))</td>\
            \(oneLimit == nil ? "<td data-name=\"limit\">\(Figures.limit(row.limit))</td>" : "")\
            <td data-name="pairs">\(Figures.grouped(row.ratio.pairs))</td><td class="under">\(words)</td></tr>

            """
    }

    private func drawing(_ row: Comparison) -> String {
        let scale = scale
        let middle = Self.height / 2
        let (low, high) = (scale.place(row.ratio.low), scale.place(row.ratio.high))
        var drawing = Drawing.open("row", height: Self.height, label: "")
        for tick in ticks {
            let x = scale.place(tick)
            drawing += Drawing.line(tick == 1 ? "one" : "grid", x, 0, x, Self.height)
        }
        let limit = scale.place(row.limit)
        drawing += Drawing.line("limit", limit, 0, limit, Self.height)
        drawing += Drawing.line("many", low, middle, high, middle)
        drawing += Drawing.line("end", low, middle - 4, low, middle + 4)
        drawing += Drawing.line("end", high, middle - 4, high, middle + 4)
        return drawing + Drawing.dot("mid", scale.place(row.ratio.median), middle, radius: 4.5) + "</svg>"
    }
}
