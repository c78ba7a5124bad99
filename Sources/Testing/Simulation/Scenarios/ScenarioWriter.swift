import Daybook

/// Writes scenarios as files that read well aloud, and that ``ScenarioReader`` reads back as they were.
public struct ScenarioWriter: Sendable {
    /// A writer.
    public init() {}

    /// The text of a scenario file. What has its default value is left out.
    ///
    /// - Parameter comment: lines for its top; each becomes a comment.
    public func text(of scenario: Scenario, comment: String = "") -> String {
        let comments =
            comment.isEmpty ? [] : comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let lines = comments.map(Self.comment) + WrittenNode.fields(fields(of: scenario)).lines
        return lines.joined(separator: "\n") + "\n"
    }

    /// A step in one line, for traces: `complete: Buy milk`, `{ create: Buy milk, on: today }`, `undo`.
    public func line(of action: Action) -> String {
        WrittenNode(action).asLine
    }

    private func fields(of scenario: Scenario) -> [(key: String, part: WrittenNode?)] {
        let plain = Scenario(name: scenario.name, start: scenario.start, zone: scenario.zone)
        var fields: [(key: String, part: WrittenNode?)] = [("name", .word(scenario.name))]
        if scenario.requirements != plain.requirements {
            fields.append(("requirements", .words(scenario.requirements)))
        }
        fields.append(("starts", .word(scenario.start.description)))
        fields.append(("zone", .word(scenario.zone)))
        if scenario.weekStart != plain.weekStart { fields.append(("week starts", .word("\(scenario.weekStart)"))) }
        if scenario.seed != plain.seed { fields.append(("seed", .word("\(scenario.seed)"))) }
        if scenario.lookers != plain.lookers { fields.append(("looked at from", .words(scenario.lookers))) }
        if scenario.follows != plain.follows { fields.append(("follows", .words(scenario.follows.map(\.rawValue)))) }
        fields.append(("steps", .list(scenario.steps.map { WrittenNode($0) }, inLines: true)))
        return fields
    }

    /// A comment cannot hold what YAML does not print.
    private static func comment(_ line: Substring) -> String {
        let printed = line.unicodeScalars.map { YAMLWord.needsEscape($0) ? "?" : Character($0) }
        return printed.isEmpty ? "#" : "# " + String(printed)
    }
}
