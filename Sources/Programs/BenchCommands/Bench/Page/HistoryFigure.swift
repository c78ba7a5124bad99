import LabSupport
import Workloads

/// The runs of a history: a small chart for each operation.
struct HistoryFigure {
    /// The earlier runs.
    let history: RunHistory
    /// The current run.
    let run: RunRecord

    /// The maximum number of runs in a chart.
    static let drawnMax = 60
    /// The maximum number of runs in the table.
    static let listedMax = 6

    private var runs: [RunRecord] { Array((history.runs + [run]).suffix(Self.drawnMax)) }

    var html: String {
        let runs = runs
        guard runs.count > 1 else {
            return """
                <section aria-labelledby="history"><h2 id="history">History</h2>
                <p>This is the first run of its history.</p></section>

                """
        }
        let same = runs.count { $0.isSameSeries(as: run) }
        let torn = history.hasTornLine ? " The last line of the file is incomplete and was ignored." : ""
        let panels = run.operations.map { HistoryPanel(operation: $0.operation, runs: runs, run: run).html }
        return """
            <section aria-labelledby="history"><h2 id="history">History</h2>
            <figure>
            <div class="panels">
            \(panels.joined())</div>
            <figcaption><p>The last \(runs.count) runs, from \(HTMLText.escaped(Self.day(runs.first))) to \
            \(HTMLText.escaped(Self.day(runs.last))): the line is the median, the band reaches up to the 99th percentile, \
            each chart has its own logarithmic axis. \(same) of them are of this machine and store size (blue); where \
            either changed, the line is interrupted and the others are gray: times of different machines are not \
            compared.\(torn)</p></figcaption>
            <details><summary>The numbers</summary><div class="wide" tabindex="0" role="region" \
            aria-label="History, the numbers">
            \(table)</div></details>
            </figure></section>

            """
    }

    private var table: String {
        let listed = history.series(of: run).suffix(Self.listedMax - 1) + [run]
        let head = listed.map { "<th scope=\"col\">\(HTMLText.escaped(Self.day($0)))</th>" }.joined()
        let lines = run.operations.map { times in
            let cells = listed.map { one in
                "<td>\(one.times(of: times.operation).map { Figures.time($0.median) } ?? "")</td>"
            }
            return "<tr><th scope=\"row\"><code>\(HTMLText.escaped(times.operation))</code></th>\(cells.joined())</tr>"
        }
        return """
            <table><thead><tr><th scope="col">p50 on this machine</th>\(head)</tr></thead><tbody>
            \(lines.joined(separator: "\n"))</tbody></table>
            """
    }

    private static func day(_ run: RunRecord?) -> String { String((run?.date ?? "").prefix(10)) }
}

/// The chart of one operation: a line of medians in a band up to the 99th percentile.
struct HistoryPanel {
    let operation: String
    let runs: [RunRecord]
    /// The run that the page reports.
    let run: RunRecord

    private static let height = 96.0

    private struct Point {
        let place: Double
        let run: RunRecord
        let times: RunRecord.Times
    }

    var html: String {
        let now = run.times(of: operation).map { Figures.time($0.median) } ?? ""
        return """
            <div class="panel"><h3><code>\(HTMLText.escaped(operation))</code> <b>\(now)</b></h3>
            <div class="plotted">\(drawing)</div></div>

            """
    }

    private var points: [Point] {
        runs.enumerated().compactMap { index, run in
            run.times(of: operation).map {
                Point(place: (Double(index) + 0.5) / Double(runs.count), run: run, times: $0)
            }
        }
    }

    /// Consecutive points of one series, which are connected.
    private var pieces: [[Point]] {
        var pieces: [[Point]] = []
        for point in points {
            if let last = pieces.last?.last, last.run.isSameSeries(as: point.run) {
                pieces[pieces.count - 1].append(point)
            } else {
                pieces.append([point])
            }
        }
        return pieces
    }

    private var drawing: String {
        let points = points
        let scale = LogScale(
            around: points.flatMap { [Double(max($0.times.median, 1)), Double(max($0.times.percentile99, 1))] },
            factorMin: 8)
        let y = { (time: Int64) in (1 - scale.place(Double(max(time, 1)))) * Self.height }
        var drawing = Drawing.open("chart", height: Self.height, label: label)
        for tick in Self.ticks(of: scale) {
            drawing += Drawing.line("grid", 0, y(Int64(tick)), 1, y(Int64(tick)))
            drawing += Drawing.at(
                0, y(Int64(tick)),
                "<text class=\"tick\" x=\"-5\" y=\"4\" text-anchor=\"end\">\(Figures.time(Int64(tick)))</text>")
        }
        for piece in pieces {
            guard let first = piece.first else { continue }
            drawing += "<g class=\"\(first.run.isSameSeries(as: run) ? "series" : "series other")\">"
            drawing += Self.band(piece, y)
            for (from, to) in zip(piece, piece.dropFirst()) {
                drawing += Drawing.line("curve", from.place, y(from.times.median), to.place, y(to.times.median))
            }
            for point in piece {
                let isLast = point.run == run
                drawing += Drawing.dot(
                    "mid", point.place, y(point.times.median), radius: isLast ? 4 : 2.2, title: Self.title(of: point))
            }
            drawing += "</g>"
        }
        return drawing + "</svg>"
    }

    /// Round times with a minimum distance.
    private static func ticks(of scale: LogScale) -> [Double] {
        let all = scale.decades.count > 1 ? scale.decades : scale.steps
        var kept: [Double] = []
        for tick in all where kept.last.map({ scale.place(tick) - scale.place($0) > 0.24 }) ?? true {
            kept.append(tick)
        }
        return kept
    }

    /// Returns the band, as a drawing that is stretched to the width. A single run is drawn as a stroke.
    private static func band(_ piece: [Point], _ y: (Int64) -> Double) -> String {
        if piece.count == 1, let point = piece.first {
            return Drawing.line(
                "stroke", point.place, y(point.times.median), point.place, y(point.times.percentile99))
        }
        let upper = piece.map { "\(Drawing.down($0.place * 1000)) \(Drawing.down(y($0.times.percentile99)))" }
        let lower = piece.reversed().map { "\(Drawing.down($0.place * 1000)) \(Drawing.down(y($0.times.median)))" }
        return """
            <svg width="100%" height="\(Drawing.down(height))" viewBox="0 0 1000 \(Drawing.down(height))" \
            preserveAspectRatio="none"><path class="band" d="M\((upper + lower).joined(separator: " L"))z"/></svg>
            """
    }

    private static func title(of point: Point) -> String {
        "\(point.run.date), \(point.run.program): p50 \(Figures.time(point.times.median)), "
            + "p99 \(Figures.time(point.times.percentile99)), max \(Figures.time(point.times.longest)) "
            + "(\(point.run.machine.processor), \(Figures.counted(point.run.taskCount, "task")))"
    }

    private var label: String {
        let medians = points.filter { $0.run.isSameSeries(as: run) }.map(\.times.median)
        guard let low = medians.min(), let high = medians.max() else { return operation }
        return "\(operation): medians from \(Figures.time(low)) to \(Figures.time(high)) on this machine"
    }
}
