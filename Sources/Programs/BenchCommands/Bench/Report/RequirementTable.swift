import CommandSupport
import LabSupport
import Workloads

/// The measured requirements as text for a terminal.
struct RequirementTable {
    let rows: [RequirementRow]
    var terminal = Terminal.standardOutput

    var text: String {
        var table = TextTable("what", "requirement", "measured", "limit", "")
        for row in rows {
            table.add(
                [
                    row.title, row.requirement, Self.text(row.measured), row.limit.map(Self.text) ?? "reported",
                    row.holds ? "" : "BROKEN",
                ], row.holds ? .plain : .bad)
        }
        return table.text(for: terminal)
    }

    private static func text(_ value: RequirementRow.Value) -> String {
        switch value {
        case .time(let nanoseconds): Figures.time(nanoseconds)
        case .bytes(let count): Figures.bytes(count)
        case .ratio(let factor): Figures.ratio(factor)
        }
    }
}
