/// The table that is printed at the end.
struct Report {
    private struct Row {
        let what, target, measured: String
        let holds: Bool?
    }

    private var rows: [Row] = []

    /// Adds a row; `holds` is nil for a result without a target.
    mutating func add(_ what: String, target: String, measured: String, holds: Bool?) {
        rows.append(Row(what: what, target: target, measured: measured, holds: holds))
        print("- \(what): \(measured) (\(target)): \(Self.verdict(holds))")
    }

    /// The table as Markdown.
    var markdown: String {
        let lines = rows.map { "| \($0.what) | \($0.target) | \($0.measured) | \(Self.verdict($0.holds)) |" }
        return (["| what | target | measured | |", "| --- | --- | --- | --- |"] + lines).joined(separator: "\n")
    }

    /// Whether every target is met.
    var allHold: Bool { !rows.contains { $0.holds == false } }

    private static func verdict(_ holds: Bool?) -> String {
        holds.map { $0 ? "holds" : "**does not**" } ?? "-"
    }
}
