import FoundationEssentials

/// The results file: `Benchmarks/PEERS.md` or `Benchmarks/ARCHIVE.md`.
struct Results {
    let comparison: Comparison
    let report: Report
    let machine: Machine
    let isQuick: Bool
    let seed: UInt64
    let duration: Duration

    var markdown: String {
        var lines = ["# \(comparison.title)", ""]
        lines.append(
            "Written by `Scripts/peers`\(isQuick ? " with `--quick`: small stores, few rounds, for trying it out" : ""), "
                + "in \(Int(duration.nanoseconds / 1e9)) seconds. All of it is one interleaved run: the peers alternate at "
                + "each piece of work, in a new random order each round (`--seed \(seed)`). A cell has the median, and its "
                + "ratio to Daybook's: the median of the rounds' ratios, and its bootstrap interval of 95 %.")
        lines += ["", "| | |", "| --- | --- |"]
        lines += (machine.facts + comparison.versions).map { "| \($0.name) | \($0.value) |" }
        lines += ["", "## Targets", "", "| what | target | measured | |", "| --- | --- | --- | --- |"]
        lines += report.targets.map {
            "| \($0.what) | \($0.limit) | \($0.measured) | \(Self.verdict($0.holds)) |"
        }
        for section in report.sections { lines += ["", "## \(section.title)", ""] + table(section) }
        lines += ["", comparison.fairness]
        return lines.joined(separator: "\n")
    }

    private static func verdict(_ holds: Bool?) -> String {
        holds.map { $0 ? "met" : "**missed**" } ?? "-"
    }

    private func table(_ section: Report.Section) -> [String] {
        let names = Contestants.all.filter { name in section.rows.contains { $0.cells[name] != nil } }
        var lines = section.note.isEmpty ? [] : [section.note, ""]
        lines.append("| | \(names.joined(separator: " | ")) |")
        lines.append("| --- |\(String(repeating: " --- |", count: names.count))")
        lines += section.rows.map { row in
            let cells = names.map { name in
                row.cells[name].map { "\($0.median)\($0.ratio.map { "<br>\($0)" } ?? "")" } ?? "-"
            }
            return "| \(row.work) | \(cells.joined(separator: " | ")) |"
        }
        if !section.remarks.isEmpty { lines += [""] + section.remarks }
        return lines
    }
}
