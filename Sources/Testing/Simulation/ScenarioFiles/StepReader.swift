import Daybook

/// Reads steps in order and keeps track of the tasks that they create.
struct StepReader {
    let vocabulary: Vocabulary
    private var names = TaskNames()

    init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    mutating func read(_ node: ScenarioNode) throws(ScenarioProblem) -> Step {
        let fields = try StepFields(node, vocabulary: vocabulary)
        let before = names
        let action = try action(fields)
        guard let code = fields["refused"] else { return Step(action, line: fields.line) }
        if case .expect = action {
            throw ScenarioProblem(code.line, "'expect' cannot be refused: put 'refused' beside the step that is.")
        }
        names.refuse(since: before)
        let refusal = try code.text("refused", "the code of an error, such as undo-expired")
        return Step(action, refusal: refusal, line: fields.line)
    }

    /// Reads a step within another one.
    private mutating func part(_ node: ScenarioNode, of owner: ScenarioVerb) throws(ScenarioProblem) -> Action {
        let fields = try StepFields(node, vocabulary: vocabulary)
        if let code = fields["refused"] {
            throw ScenarioProblem(
                code.line, "'refused' belongs beside '\(owner.rawValue)', not within it: the whole step is refused.")
        }
        // A crash can also interrupt a verb of the application.
        let owners = ScenarioVerb(rawValue: fields.verb)?.owners ?? fields.taskVerb?.owners ?? [.crash]
        guard owners.contains(owner) else {
            let parts =
                ScenarioVerb.allCases.filter { $0.owners.contains(owner) }.map(\.rawValue)
                + TaskVerb.table.filter { $0.owners.contains(owner) }.map(\.name)
            throw ScenarioProblem(
                fields.line,
                "\(quoted(fields.verb)) cannot be within '\(owner.rawValue)': it takes \(parts.joined(separator: ", "))."
            )
        }
        return try action(fields)
    }

    private mutating func action(_ fields: StepFields) throws(ScenarioProblem) -> Action {
        guard let verb = ScenarioVerb(rawValue: fields.verb) else {
            if let verb = fields.taskVerb { return try perform(verb, fields) }
            names.open()
            return .custom(fields.verb, fields.value.value)
        }
        switch verb {
        case .create: return try create(fields)
        case .start: return .setState(try task(fields), .active)
        case .complete: return .setState(try task(fields), .completed)
        case .reopen: return .setState(try task(fields), .notStarted)
        case .cycle: return .cycle(try task(fields))
        case .schedule:
            let day = try fields.required("on", "a day such as tomorrow").when("on")
            return .schedule(try task(fields), on: day, at: try place(fields))
        case .reorder:
            guard let place = try place(fields) else {
                throw Self.placeMissing(fields.verb, fields)
            }
            return .reorder(try task(fields), to: place)
        case .carry:
            let list = try fields.value.list("carry", "a list of names: [A, B]")
            let tasks = try list.map { (node) throws(ScenarioProblem) in try task(node, "carry") }
            return .carry(tasks, to: try fields.required("to", "a day such as today").when("to"))
        case .edit:
            let text = try fields.required("text", "the new text").text("text", "a text")
            return .edit(try task(fields), text: text)
        case .remind: return .remind(try task(fields), at: try reminder(fields))
        case .delete: return .delete(try task(fields))
        case .purge: return .purge(try task(fields))
        case .together:
            var parts: [Action] = []
            for node in try fields.value.list("together", "a list of steps") {
                parts.append(try part(node, of: .together))
            }
            return .together(parts)
        case .crash:
            let crash = try fields.value.oneOf(Crash.self, "crash")
            let choice: UInt64 = try fields["choice"]?.number("choice", from: 0) ?? 0
            guard let during = fields["during"] else { return .crash(crash, during: nil, choice: choice) }
            return .crash(crash, during: try part(during, of: .crash), choice: choice)
        case .fault:
            let writes = try fields.required("writes", "how many writes fail").number("writes", from: 1)
            return .fault(try fields.value.oneOf(Fault.self, "fault"), writes: writes)
        case .elsewhere: return .elsewhere(try part(fields.value, of: .elsewhere))
        case .expect: return .expect(try ExpectationReader(vocabulary: vocabulary).read(fields.value, names: names))
        case .advance, .advanceTo, .jump, .jumpTo, .travel: return try time(verb, fields)
        case .undo, .redo, .undoNotice, .sleep, .wake, .close, .open: return try alone(verb, fields)
        }
    }

    /// Reads a verb of the table.
    private mutating func perform(_ verb: TaskVerb, _ fields: StepFields) throws(ScenarioProblem) -> Action {
        var value = ScenarioValue.none
        if let kind = verb.value {
            value = try word(fields.value, kind, verb.name)
        } else if !fields.value.isEmpty {
            throw Self.valueLeft(after: verb.name, fields.value)
        }
        var entries: [ScenarioValue.Entry] = []
        for companion in verb.companions {
            if let node = fields[companion.name] {
                entries.append(.init(companion.name, try word(node, companion.kind, companion.name)))
            } else if companion.isRequired {
                _ = try fields.required(companion.name, companion.kind.title)
            }
        }
        if verb.hasPlace, try fields.place() == nil { throw Self.placeMissing(verb.name, fields) }
        try names.follow(verb, value, entries, line: fields.line)
        return .perform(verb.name, value, with: entries)
    }

    private func word(_ node: ScenarioNode, _ kind: WordKind, _ owner: String) throws(ScenarioProblem) -> ScenarioValue
    {
        .text(try kind.read(try node.text(owner, kind.title), line: node.line, owner: owner, names: names))
    }

    private static func placeMissing(_ verb: String, _ fields: StepFields) -> ScenarioProblem {
        ScenarioProblem(
            fields.line,
            "\(quoted(verb)) needs a place: first: yes, last: yes, before: NAME, after: NAME or index: 2.")
    }

    private static func valueLeft(after verb: String, _ value: ScenarioNode) -> ScenarioProblem {
        ScenarioProblem(value.line, "\(quoted(verb)) takes no value; found \(value.kind) after it.")
    }

    private mutating func create(_ fields: StepFields) throws(ScenarioProblem) -> Action {
        let name = try fields.value.text("create", "a task's name")
        try names.create(name, line: fields.line)
        let view = fields["in"]
        if let view, fields["on"] != nil {
            throw ScenarioProblem(view.line, "A task is created on a day or in a view, not both: leave 'on' or 'in'.")
        }
        return .create(name, on: try fields["on"]?.when("on"), in: try view?.view("in"))
    }

    private func task(_ fields: StepFields) throws(ScenarioProblem) -> String {
        try task(fields.value, fields.verb)
    }

    private func task(_ node: ScenarioNode, _ owner: String) throws(ScenarioProblem) -> String {
        let name = try node.text(owner, "a task's name")
        try names.use(name, line: node.line)
        return name
    }

    private func place(_ fields: StepFields) throws(ScenarioProblem) -> Place? {
        guard let field = try fields.place() else { return nil }
        switch field.key {
        case "before": return .before(try task(field.value, field.key))
        case "after": return .after(try task(field.value, field.key))
        case "index": return .index(try field.value.number(field.key, from: 0))
        default:
            try field.value.yes(field.key)
            return field.key == "first" ? .first : .last
        }
    }

    private func reminder(_ fields: StepFields) throws(ScenarioProblem) -> Moment? {
        let node = try fields.required("at", "a moment such as 08:00, or never")
        if case .word("never", _) = node.content { return nil }
        return try node.moment("at")
    }

    private func time(_ verb: ScenarioVerb, _ fields: StepFields) throws(ScenarioProblem) -> Action {
        let value = fields.value
        switch verb {
        case .advance: return .advance(try value.duration(fields.verb, mayBeNegative: false))
        case .advanceTo: return .advanceTo(try value.moment(fields.verb))
        case .jumpTo: return .jumpTo(try value.moment(fields.verb))
        case .travel: return .travel(try value.zone(fields.verb))
        default:
            let monotonic = try fields["monotonic"]?.yesOrNo("monotonic") ?? false
            return .jump(try value.duration(fields.verb, mayBeNegative: true), monotonic: monotonic)
        }
    }

    private func alone(_ verb: ScenarioVerb, _ fields: StepFields) throws(ScenarioProblem) -> Action {
        guard fields.value.isEmpty else {
            throw Self.valueLeft(after: verb.rawValue, fields.value)
        }
        switch verb {
        case .undo: return .undo
        case .redo: return .redo
        case .undoNotice: return .undoNotice
        case .sleep: return .sleep
        case .wake: return .wake
        case .close: return .close
        default: return .open
        }
    }
}
