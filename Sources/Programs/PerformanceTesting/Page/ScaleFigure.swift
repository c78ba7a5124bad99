import Charts
import LabSupport
import Measuring

/// The growth of queries with the size of the store: a line for each, both axes logarithmic.
struct ScaleFigure {
    let rows: [ScaleRow]
    /// What the sizes count, in the singular.
    let unit: String

    private static let height = 380.0
    /// The distance between two labels.
    private static let labelRoom = 16.0

    var html: String {
        guard let first = sizes.first, let last = sizes.last else { return "" }
        return """
            <section aria-labelledby="scale"><h2 id="scale">Growth</h2>
            <figure>
            <div class="lines">\(drawing)</div>
            <figcaption><p>Median time of queries with results of constant length, in stores of \(Figures.grouped(first)) \
            to \(Figures.grouped(last)) \(unit)s; both axes logarithmic. The cost of a flat line depends on the result, not \
            on the size of the store. Beside each name: the ratio of the time in the largest store to that in the \
            smallest.</p></figcaption>
            <details><summary>The numbers</summary><div class="wide" tabindex="0" role="region" aria-label="Growth, the numbers">
            \(table)</div></details>
            </figure></section>

            """
    }

    private var sizes: [Int] { Set(rows.flatMap { $0.points.map(\.size) }).sorted() }

    private var across: LogScale {
        LogScale(decadesAround: sizes.map(Double.init))
    }

    private var up: LogScale {
        LogScale(decadesAround: rows.flatMap { $0.points.map { Double(max($0.median, 1)) } })
    }

    private func y(_ nanoseconds: Double) -> Double { (1 - up.place(nanoseconds)) * Self.height }

    private var drawing: String {
        let (across, up) = (across, up)
        var drawing = Drawing.open(
            "chart", height: Self.height, label: "Median time by size of the store. The numbers are in the table below."
        )
        for decade in up.decades {
            drawing += Drawing.line("grid", 0, y(decade), 1, y(decade))
            drawing += Drawing.at(
                0, y(decade),
                "<text class=\"tick\" x=\"-8\" y=\"4\" text-anchor=\"end\">\(Figures.time(Int64(decade)))</text>")
        }
        for (number, size) in sizes.enumerated() {
            // A phone has room for the first and the last size.
            let name = number == 0 || number == sizes.count - 1 ? "tick" : "tick odd"
            let x = across.place(Double(size))
            drawing += Drawing.line("grid", x, 0, x, Self.height)
            let anchor = x < 0.01 ? "start" : x > 0.99 ? "end" : "middle"
            drawing += Drawing.at(
                x, Self.height, "<text class=\"\(name)\" y=\"18\" text-anchor=\"\(anchor)\">\(Self.short(size))</text>")
        }
        let ends = rows.map { y(Double(max($0.points.last?.median ?? 1, 1))) }
        let labels = LabelColumn.spread(ends, room: Self.labelRoom, height: Self.height)
        for (row, (end, label)) in zip(rows, zip(ends, labels)) { drawing += line(of: row, end: end, label: label) }
        return drawing + slope + "</svg>"
    }

    /// The queries that are drawn, the fastest first.
    private var slope: String {
        guard let first = sizes.first, let last = sizes.last, last > first,
            let start = rows.compactMap(\.points.first?.median).min()
        else { return "" }
        let top = min(Double(max(start, 1)) * Double(last) / Double(first), up.high)
        let end = across.place(Double(first) * top / Double(max(start, 1)))
        return Drawing.line("slope", across.place(Double(first)), y(Double(max(start, 1))), end, y(top))
            + Drawing.at(
                end, y(top), "<text class=\"tick odd\" x=\"-46\" y=\"16\" text-anchor=\"end\">as the store grows</text>"
            )
    }

    private func line(of row: ScaleRow, end: Double, label: Double) -> String {
        let name = row.holds ? "series" : "series worse"
        var drawing = "<g class=\"\(name)\"><title>\(HTMLText.escaped(row.title))</title>"
        for (from, to) in zip(row.points, row.points.dropFirst()) {
            drawing += Drawing.line(
                "curve", across.place(Double(from.size)), y(Double(max(from.median, 1))),
                across.place(Double(to.size)), y(Double(max(to.median, 1))))
        }
        for point in row.points {
            drawing += Drawing.dot(
                "mid", across.place(Double(point.size)), y(Double(max(point.median, 1))), radius: 3,
                title: "\(row.operation), \(Figures.counted(point.size, unit)): \(Figures.time(point.median)), "
                    + Figures.counted(point.rows, "row"))
        }
        let last = across.place(Double(row.points.last?.size ?? 1))
        let text = "\(HTMLText.escaped(row.operation)) <tspan class=\"quiet odd\">\(Figures.ratio(row.growth))×</tspan>"
        drawing += Drawing.at(
            last, 0,
            "<path class=\"lead\" d=\"M5 \(Drawing.down(end)) L14 \(Drawing.down(label))\"/>"
                + "<text class=\"label\" x=\"18\" y=\"\(Drawing.down(label + 4))\">\(text)</text>")
        return drawing + "</g>"
    }

    private var table: String {
        let head = sizes.map { "<th scope=\"col\">\(Figures.grouped($0))</th>" }.joined()
        let lines = rows.map { row in
            let times = sizes.map { size in
                "<td>\(row.points.first { $0.size == size }.map { Figures.time($0.median) } ?? "")</td>"
            }
            let growth = Figures.ratio(row.growth) + "×"
            return """
                <tr class="\(row.holds ? "holds" : "worse")"><th scope="row">\(HTMLText.escaped(row.title)) \
                <code>\(HTMLText.escaped(row.operation))</code></th>\(times.joined())\
                <td>\(row.holds ? growth : "<b class=\"bad\">\(growth)</b>")</td>\
                <td>\(row.limit.map { Figures.limit($0) + "×" } ?? "none")</td>\
                <td>\(Figures.fixed(row.exponent, places: 2))</td></tr>
                """
        }
        return """
            <table><thead><tr><th scope="col">p50 by \(unit)s</th>\(head)<th scope="col">growth</th>\
            <th scope="col">limit</th><th scope="col">exponent</th></tr></thead><tbody>
            \(lines.joined(separator: "\n"))</tbody></table>
            """
    }

    /// `1k`, `1M`.
    private static func short(_ number: Int) -> String {
        if number >= 1_000_000, number.isMultiple(of: 1_000_000) { return "\(number / 1_000_000)M" }
        return number >= 1000 && number.isMultiple(of: 1000) ? "\(number / 1000)k" : Figures.grouped(number)
    }
}
