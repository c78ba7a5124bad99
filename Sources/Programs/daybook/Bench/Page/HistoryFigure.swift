import LabSupport
import Workloads

/// The runs of a history: a small chart for each operation.
struct HistoryFigure {
    /// The runs before this one.
    let history: RunHistory
    /// This one.
    let run: RunRecord

    /// Runs that are drawn.
    static let drawnMax = 60
    /// Runs that stand in the table.
    static let toldMax = 6

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
        let torn = history.hasTornLine ? " The last line of the file was cut off, and is left out." : ""
        let panels = run.operations.map { HistoryPanel(operation: $0.operation, runs: runs, run: run).html }
        return """
            <section aria-labelledby="history"><h2 id="history">History</h2>
            <figure>
            <div class="panels">
            \(panels.joined())</div>
            <figcaption><p>The last \(runs.count) runs, from \(HTMLText.escaped(Self.day(runs.first))) to \
            \(HTMLText.escaped(Self.day(runs.last))): the line is the median, the band reaches up to the 99th percentile, \
            each chart on a logarithmic axis of its own. \(same) of them are of this machine with so many tasks (blue); \
            where either changed, the line is broken and the others are grey: times of different machines are not \
            compared.\(torn)</p></figcaption>
            <details><summary>The numbers</summary><div class="wide" tabindex="0" role="region" \
            aria-label="History, the numbers">
            \(table)</div></details>
            </figure></section>

            """
    }

    private var table: String {
        let told = history.series(of: run).suffix(Self.toldMax - 1) + [run]
        let head = told.map { "<th scope=\"col\">\(HTMLText.escaped(Self.day($0)))</th>" }.joined()
        let lines = run.operations.map { times in
            let cells = told.map { one in
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
