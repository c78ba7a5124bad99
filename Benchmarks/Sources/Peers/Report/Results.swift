import FoundationEssentials
import Measuring
import Workloads

/// The results file: `Benchmarks/PEERS.md` or `Benchmarks/ARCHIVE.md`.
struct Results {
    let comparison: Comparison
    let report: Report
    let machine: Machine
    /// The load averages of the last minute: more than one means that other processes were active.
    let loads: (before: String, after: String)
    let isQuick: Bool
    let seed: UInt64
    let duration: Duration

    private var facts: [(name: String, value: String)] {
        [
            ("processor", "\(machine.processor), \(machine.cores) cores"), ("memory", Double(machine.memory).bytes),
            ("kernel", machine.kernel), ("disk", machine.disk),
            ("load average before and after", "\(loads.before) and \(loads.after)"),
        ]
    }

    var markdown: String {
        var lines = ["# \(comparison.title)", ""]
        lines.append(
            "Written by `Scripts/peers`\(isQuick ? " with `--quick`: small stores, few rounds, for trying it out" : ""), "
                + "in \(Int(duration.nanoseconds / 1e9)) seconds. All of it is one interleaved run: the peers alternate at "
                + "each piece of work, in a new random order each round (`--seed \(seed)`). A cell has the median, and its "
                + "ratio to Daybook's: the median of the rounds' ratios, and its bootstrap interval of 95 %.")
        lines += ["", "| | |", "| --- | --- |"]
        lines += (facts + comparison.versions).map { "| \($0.name) | \($0.value) |" }
        lines += ["", "## Targets", ""] + report.targets.markdown.split(separator: "\n").map(String.init)
        for section in report.sections { lines += ["", "## \(section.title)", ""] + table(section) }
        lines += ["", comparison.fairness]
        return lines.joined(separator: "\n")
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

/// The participants and conditions of a run.
struct Comparison {
    let title: String
    /// The versions of the participants.
    let versions: [(name: String, value: String)]
    /// The conditions, as Markdown.
    let fairness: String
}
