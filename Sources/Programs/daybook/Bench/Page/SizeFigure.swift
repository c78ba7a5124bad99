import LabSupport
import Workloads

/// Sizes, each as a share of its budget.
struct SizeFigure {
    let rows: [SizeRow]

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

    private func row(_ row: SizeRow) -> String {
        let share = Double(row.bytes) / Double(max(row.budget, 1))
        let under =
            row.holds
            ? "<b>\(Figures.times(1 / max(share, 1e-9)))</b>" : "<b class=\"bad\">broken</b>"
        return """
            <tr class="\(row.holds ? "holds" : "worse")"><th scope="row">\(HTMLText.escaped(row.title))</th>\
            <td class="drawn"><span class="share"><i style="width:\(Drawing.across(min(share, 1)))"></i></span></td>\
            <td data-name="measured">\(Figures.bytes(row.bytes))</td><td data-name="budget">\(Figures.bytes(row.budget))</td>\
            <td class="under">\(under)</td></tr>

            """
    }
}
