import Glibc
import LabSupport
import Workloads

/// What was counted, in each run, with a bar under each number that compares it with the largest of its kind.
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
            <figcaption><p>Exact, the mean over a fixed number of runs in a fresh store; the same on every machine, but for \
            blocks of memory and instructions. Pages of 4 KiB: w written to the file, r read in the map. Each bar \
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
