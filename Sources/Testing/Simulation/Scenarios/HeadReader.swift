import Daybook

/// Reads the keys at the top of a scenario.
struct HeadReader {
    private static let keys = [
        "name", "requirements", "starts", "zone", "week starts", "seed", "looked at from", "follows", "steps",
    ]
    private let line: Int
    private let fields: [ScenarioField]

    init(_ root: ScenarioNode) throws(ScenarioProblem) {
        line = root.line
        fields = try root.fields("A scenario", "named values at its top: name, starts, zone, steps")
        for field in fields where !Self.keys.contains(field.key) {
            throw ScenarioProblem(
                field.line,
                "There is no key \(shown(field.key)) at the top of a scenario"
                    + NearWords.suggestion(
                        for: field.key, of: Self.keys,
                        otherwise: ": there may be \(Self.keys.joined(separator: ", "))."))
        }
    }

    func scenario(_ vocabulary: Vocabulary) throws(ScenarioProblem) -> Scenario {
        var scenario = Scenario(
            name: try required("name", "what the story shows, in a sentence").text("name", "a sentence"),
            start: try start(),
            zone: try required("zone", "an IANA name such as Europe/Berlin").zone("zone"))
        if let node = self["requirements"] {
            let wanted = "a list such as [C-S3.9]"
            scenario.requirements = try node.list("requirements", wanted).map { (part) throws(ScenarioProblem) in
                try part.text("requirements", wanted)
            }
        }
        if let node = self["week starts"] { scenario.weekStart = try weekStart(node) }
        if let node = self["seed"] { scenario.seed = try node.number("seed", from: 0) }
        if let node = self["looked at from"] {
            let zones = try node.list("looked at from", "a list of zones")
            scenario.lookers = try zones.map { (part) throws(ScenarioProblem) in try part.zone("looked at from") }
        }
        if let node = self["follows"] {
            let views = try node.list("follows", "a list of views")
            scenario.follows = try views.map { (part) throws(ScenarioProblem) in try part.view("follows") }
        }
        var reader = StepReader(vocabulary: vocabulary)
        for node in try required("steps", "what happens, in order").list("steps", "a list of steps") {
            scenario.steps.append(try reader.read(node))
        }
        return scenario
    }

    private func start() throws(ScenarioProblem) -> Moment {
        let node = try required("starts", "a moment such as 2026-03-10 23:59")
        let moment = try node.moment("starts")
        switch moment {
        case .local, .instant: return moment
        case .timeOfDay, .midnight: throw node.misfit("starts", "a moment with its day, such as 2026-03-10 23:59")
        }
    }

    private func weekStart(_ node: ScenarioNode) throws(ScenarioProblem) -> Weekday {
        let days: [Weekday] = [.monday, .sunday, .saturday]
        let text = try node.text("week starts", "monday, sunday or saturday")
        guard let day = days.first(where: { "\($0)" == text }) else {
            throw node.misfit("week starts", "monday, sunday or saturday")
        }
        return day
    }

    private subscript(key: String) -> ScenarioNode? {
        fields.first { $0.key == key }?.value
    }

    private func required(_ key: String, _ wanted: String) throws(ScenarioProblem) -> ScenarioNode {
        guard let node = self[key] else {
            throw ScenarioProblem(line, "A scenario needs \(shown(key)) at its top: \(wanted).")
        }
        return node
    }
}
