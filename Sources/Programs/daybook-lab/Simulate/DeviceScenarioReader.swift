import CommandSupport
import Daybook
import DeviceSimulation
import Simulation

/// Reads scenarios of devices that sync. Reading is strict, as that of other scenarios is.
struct DeviceScenarioReader {
    private static let keys = ["name", "requirements", "devices", "older", "page", "hubs", "steps"]

    /// Reads a scenario from a file.
    func read(file path: String) throws -> DeviceScenario {
        guard let text = String(validating: try contentsOfFile(path), as: UTF8.self) else {
            throw SimulationError.scenario(
                file: path, line: 1, problem: "This is not UTF-8 text: save the file in that encoding.")
        }
        do {
            return try scenario(ScenarioNode(yaml: text))
        } catch let problem as ScenarioProblem {
            throw SimulationError.scenario(file: path, line: problem.line, problem: problem.text)
        }
    }

    private func scenario(_ root: ScenarioNode) throws -> DeviceScenario {
        let head = try DeviceFields(
            root.fields("A scenario", "named values at its top: name, devices, steps"), line: root.line,
            of: "the top of a scenario of devices", known: Self.keys)
        var scenario = DeviceScenario(
            name: try head.required("name").text("name", "a sentence"),
            devices: try head.required("devices").number("devices", from: 1))
        scenario.requirements = try DeviceFields.texts(head.required("requirements"), "requirements")
        scenario.older = Set(
            try head["older"]?.list("older", "a list of devices").map { try $0.number("older", from: 1) } ?? [])
        if let page = head["page"] { scenario.pageLimit = try page.number("page", from: 1) }
        if let hubs = head["hubs"] { scenario.hubProcesses = try hubs.number("hubs", from: 1) }
        for node in try head.required("steps").list("steps", "a list of steps") {
            scenario.steps.append(try DeviceStepReader(node).step())
        }
        return scenario
    }
}

/// Named values of which each is known.
struct DeviceFields {
    let fields: [ScenarioField]
    let line: Int
    private let owner: String

    init(_ fields: [ScenarioField], line: Int, of owner: String, known: [String]) throws {
        self.fields = fields
        self.line = line
        self.owner = owner
        for field in fields where !known.contains(field.key) {
            throw ScenarioProblem(
                field.line,
                "\(quoted(field.key)) does not belong to \(owner)"
                    + SpellingSuggestions.suggestion(
                        for: field.key, of: known, otherwise: ": there may be \(known.joined(separator: ", "))."))
        }
    }

    subscript(name: String) -> ScenarioNode? { fields.first { $0.key == name }?.value }

    func required(_ name: String) throws -> ScenarioNode {
        guard let node = self[name] else { throw ScenarioProblem(line, "\(owner) needs \(quoted(name)).") }
        return node
    }

    func text(_ name: String) throws -> String { try required(name).text(name, "a word or sentence") }

    func number(_ name: String, from least: Int = 1) throws -> Int { try required(name).number(name, from: least) }

    func microseconds(_ name: String) throws -> Int64 {
        try required(name).duration(name, mayBeNegative: true).wholeMicroseconds
    }

    /// One of some words.
    func word<Value>(_ name: String, of values: [(word: String, value: Value)]) throws -> Value {
        let node = try required(name)
        let wanted = "one of " + values.map(\.word).joined(separator: ", ")
        let text = try node.text(name, wanted)
        guard let value = values.first(where: { $0.word == text })?.value else { throw node.misfit(name, wanted) }
        return value
    }

    func texts(_ name: String) throws -> [String]? { try self[name].map { try Self.texts($0, name) } }

    static func texts(_ node: ScenarioNode, _ name: String) throws -> [String] {
        try node.list(name, "a list of texts").map { try $0.text(name, "a text") }
    }
}

/// Reads one step.
struct DeviceStepReader {
    /// The verbs, with what may be beside each.
    private static let verbs: [(name: String, companions: [String])] = [
        ("create", ["on", "in"]), ("edit", ["on", "text"]), ("annotate", ["on", "with"]), ("complete", ["on"]),
        ("start", ["on"]), ("reopen", ["on"]), ("sticky", ["on", "off"]), ("delete", ["on"]),
        ("purge", ["on"]), ("add list", ["on"]), ("rename list", ["on", "to"]), ("delete list", ["on"]),
        ("move", ["on", "to"]), ("undo", ["on"]), ("redo", ["on"]),
        ("offline", []), ("online", []), ("advance", []), ("close", []), ("sync", []), ("die", ["after"]),
        ("back up", []), ("restore", []), ("copy", []), ("join", []), ("upgrade", []), ("clock", ["by"]), ("hub", []),
        ("lose", ["of", "times"]), ("refuse", ["of", "times"]), ("fail", ["as", "times"]), ("delay", ["of", "by"]),
        ("expect", []),
    ]

    private let verb: String
    private let fields: DeviceFields

    init(_ node: ScenarioNode) throws {
        let all: [ScenarioField]
        if case .word(let verb, _) = node.content {
            all = [ScenarioField(key: verb, line: node.line, value: node)]
        } else {
            all = try node.fields("A step", "a verb, such as create: Milk")
        }
        let known = Self.verbs.map(\.name)
        guard let field = all.first(where: { known.contains($0.key) }) else {
            let word = all.first?.key ?? ""
            throw ScenarioProblem(
                node.line,
                "There is no step \(quoted(word))"
                    + SpellingSuggestions.suggestion(
                        for: word, of: known, otherwise: ": a step is one of \(known.joined(separator: ", "))."))
        }
        verb = field.key
        let companions = Self.verbs.first { $0.name == field.key }?.companions ?? []
        fields = try DeviceFields(
            all, line: field.line, of: "the step \(quoted(field.key))", known: [field.key] + companions)
    }

    func step() throws -> DeviceScenario.Step { DeviceScenario.Step(try action(), line: fields.line) }

    private func action() throws -> DeviceScenario.Action {
        switch verb {
        case "offline": .setReachable(device: try fields.number(verb), false)
        case "online": .setReachable(device: try fields.number(verb), true)
        case "advance": .advance(try fields.microseconds(verb))
        case "close": .close(try fields.microseconds(verb))
        case "sync": .sync
        case "die":
            .die(
                device: try fields.number(verb), units: try fields["after"].map { try $0.number("after", from: 1) })
        case "back up": .back(up: try fields.number(verb))
        case "restore": .restore(device: try fields.number(verb))
        case "copy": .copy(device: try fields.number(verb))
        case "join": .join
        case "upgrade": .upgrade(device: try fields.number(verb))
        case "clock": .step(clock: try fields.number(verb), try fields.microseconds("by"))
        case "hub": .hub(try fields.word(verb, of: DeviceScenario.HubEvent.allCases.map { ($0.rawValue, $0) }))
        case "lose":
            .lose(
                try fields.word(verb, of: ScriptedFaults.Message.allCases.map { ($0.rawValue, $0) }),
                of: try fields.number("of"), times: try times())
        case "refuse":
            .refuse(
                try fields.word(verb, of: DeviceScenario.Refusal.allCases.map { ($0.rawValue, $0) }),
                of: try fields.number("of"), times: try times())
        case "fail":
            .fail(try statement(), try fields.word("as", of: Self.faults), times: try times())
        case "delay": .delay(try statement(), of: try fields.number("of"), try fields.microseconds("by"))
        case "expect": .expect(try expectation())
        default: .change(device: try fields.number("on"), try change())
        }
    }

    private func times() throws -> Int { try fields["times"].map { try $0.number("times", from: 1) } ?? 1 }

    private static let faults: [(word: String, value: StatementFault)] = [
        ("40001", .serialization), ("40003 undone", .unknownAndUndone), ("40003 done", .unknownButDone),
    ]

    private func statement() throws -> HubStatement {
        try fields.word(verb, of: HubStatement.allCases.map { ($0.rawValue, $0) })
    }

    private func change() throws -> DeviceScenario.Change {
        switch verb {
        case "create":
            .create(try fields.text(verb), list: try fields["in"]?.text("in", "the name of a list"))
        case "edit": .edit(try fields.text(verb), text: try fields.text("text"))
        case "annotate": .annotate(try fields.text(verb), notes: try fields.text("with"))
        case "complete": .setState(try fields.text(verb), .completed)
        case "start": .setState(try fields.text(verb), .active)
        case "reopen": .setState(try fields.text(verb), .notStarted)
        case "sticky": .setSticky(try fields.text(verb), try !(fields["off"]?.yesOrNo("off") ?? false))
        case "delete": .delete(try fields.text(verb))
        case "purge": .purge(try fields.text(verb))
        case "add list": .createList(try fields.text(verb))
        case "rename list": .renameList(try fields.text(verb), to: try fields.text("to"))
        case "delete list": .deleteList(try fields.text(verb))
        case "move": .move(try fields.text(verb), list: try fields.text("to"))
        case "undo": .undo
        default: .redo
        }
    }

    private func expectation() throws -> DeviceScenario.Expectation {
        let known = [
            "on", "tasks", "completed", "sticky", "notes", "lists", "conflicts", "pending", "full pulls", "units",
        ]
        let wanted = try DeviceFields(
            fields.required(verb).fields(verb, "named values, such as tasks: [Milk]"), line: fields.line,
            of: "'expect'", known: known)
        var expectation = DeviceScenario.Expectation()
        expectation.device = try wanted["on"].map { try $0.number("on", from: 1) }
        expectation.tasks = try wanted.texts("tasks")
        expectation.completed = try wanted.texts("completed")
        expectation.sticky = try wanted.texts("sticky")
        expectation.notes =
            try wanted["notes"]?.fields("notes", "notes by text").map { ($0.key, try $0.value.text("notes", "a text")) }
            ?? []
        expectation.lists = try wanted["lists"]?.fields("lists", "the tasks of each list").map {
            ($0.key, try DeviceFields.texts($0.value, "lists"))
        }
        expectation.conflicts = try wanted["conflicts"].map { try $0.number("conflicts", from: 0) }
        expectation.pending = try wanted["pending"].map { try $0.number("pending", from: 0) }
        expectation.fullPulls = try wanted["full pulls"].map { try $0.number("full pulls", from: 0) }
        expectation.units = try wanted["units"].map { try $0.number("units", from: 0) }
        return expectation
    }
}
