import Daybook

/// Writes scenarios as readable files that ``ScenarioReader`` reads back unchanged.
public struct ScenarioWriter: Sendable {
    /// Creates a writer.
    public init() {}

    /// Returns the text of a scenario file. Default values are omitted.
    ///
    /// - Parameter comment: lines for the top of the file; each becomes a comment.
    public func text(of scenario: Scenario, comment: String = "") -> String {
        let comments =
            comment.isEmpty ? [] : comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let lines = comments.map(Self.comment) + YAMLNode.fields(fields(of: scenario)).lines
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a step in one line, for traces: `complete: Buy milk`, `{ create: Buy milk, on: today }`, `undo`.
    public func line(of action: Action) -> String {
        YAMLNode(action).asLine
    }

    private func fields(of scenario: Scenario) -> [(key: String, part: YAMLNode?)] {
        let plain = Scenario(name: scenario.name, start: scenario.start, zone: scenario.zone)
        var fields: [(key: String, part: YAMLNode?)] = [("name", .word(scenario.name))]
        if scenario.requirements != plain.requirements {
            fields.append(("requirements", .words(scenario.requirements)))
        }
        fields.append(("starts", .word(scenario.start.description)))
        fields.append(("zone", .word(scenario.zone)))
        if scenario.weekStart != plain.weekStart { fields.append(("week starts", .word("\(scenario.weekStart)"))) }
        if scenario.seed != plain.seed { fields.append(("seed", .word("\(scenario.seed)"))) }
        if scenario.observers != plain.observers { fields.append(("looked at from", .words(scenario.observers))) }
        if scenario.followedViews != plain.followedViews {
            fields.append(("follows", .words(scenario.followedViews.map(\.rawValue))))
        }
        fields.append(("steps", .list(scenario.steps.map { YAMLNode($0) }, inLines: true)))
        return fields
    }

    /// Replaces characters that YAML does not allow in comments.
    private static func comment(_ line: Substring) -> String {
        let printed = line.unicodeScalars.map { YAMLWord.needsEscape($0) ? "?" : Character($0) }
        return printed.isEmpty ? "#" : "# " + String(printed)
    }
}

extension YAMLNode {
    /// Converts a step.
    init(_ step: Step) {
        let refusal = step.refusal.map { [("refused", YAMLNode.word($0))] } ?? []
        self = .fields(Self.fields(of: step.action) + refusal)
    }

    /// Converts a step that must succeed, or a part of one.
    init(_ action: Action) {
        self = .fields(Self.fields(of: action))
    }

    private static func fields(of action: Action) -> [(key: String, part: YAMLNode?)] {
        switch action {
        case .create(let name, let day, let view):
            [("create", .word(name))] + (day.map { [("on", .word($0.text))] } ?? [])
                + (view.map { [("in", .word($0.rawValue))] } ?? [])
        case .setState(let name, let state): [(verb(for: state), .word(name))]
        case .cycle(let name): [("cycle", .word(name))]
        case .schedule(let name, let day, let place):
            [("schedule", .word(name)), ("on", .word(day.text))] + (place.map { [field(of: $0)] } ?? [])
        case .reorder(let name, let place): [("reorder", .word(name)), field(of: place)]
        case .carry(let names, let day): [("carry", .words(names)), ("to", .word(day.text))]
        case .edit(let name, let text): [("edit", .word(name)), ("text", .word(text))]
        case .remind(let name, let moment):
            [("remind", .word(name)), ("at", .word(moment?.description ?? "never"))]
        case .delete(let name): [("delete", .word(name))]
        case .purge(let name): [("purge", .word(name))]
        case .together(let actions): [("together", .list(actions.map { YAMLNode($0) }, inLines: true))]
        case .undo: [("undo", nil)]
        case .redo: [("redo", nil)]
        case .undoNotice: [("undo notice", nil)]
        case .advance(let duration): [("advance", .word(duration.text))]
        case .advanceTo(let moment): [("advance to", .word(moment.description))]
        case .jump(let duration, let monotonic):
            [("jump", .word(duration.text))] + (monotonic ? [("monotonic", .word("yes"))] : [])
        case .jumpTo(let moment): [("jump to", .word(moment.description))]
        case .travel(let zone): [("travel", .word(zone))]
        case .sleep: [("sleep", nil)]
        case .wake: [("wake", nil)]
        case .close: [("close", nil)]
        case .open: [("open", nil)]
        case .crash(let crash, let during, let choice):
            [("crash", .word(crash.rawValue))] + (during.map { [("during", YAMLNode($0))] } ?? [])
                + (choice == 0 ? [] : [("choice", .word("\(choice)"))])
        case .fault(let fault, let writes): [("fault", .word(fault.rawValue)), ("writes", .word("\(writes)"))]
        case .elsewhere(let action): [("elsewhere", YAMLNode(action))]
        case .expect(let expectations):
            [("expect", .fields(expectations.map { ($0.subject, YAMLNode($0.value)) }, inLines: true))]
        case .perform(let verb, let value, let fields):
            [(verb, value == .none ? nil : YAMLNode(value))] + fields.map { ($0.key, YAMLNode($0.value)) }
        case .custom(let verb, let value): [(verb, value == .none ? nil : YAMLNode(value))]
        }
    }

    private static func verb(for state: TaskState) -> String {
        switch state {
        case .notStarted, .unknown: "reopen"
        case .active: "start"
        case .completed: "complete"
        }
    }

    private static func field(of place: Place) -> (key: String, part: YAMLNode?) {
        switch place {
        case .first: ("first", .word("yes"))
        case .last: ("last", .word("yes"))
        case .before(let name): ("before", .word(name))
        case .after(let name): ("after", .word(name))
        case .index(let index): ("index", .word("\(index)"))
        }
    }
}
