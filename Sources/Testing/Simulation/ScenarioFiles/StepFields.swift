import Daybook

/// The fields of one step: its verb, and the fields beside it.
struct StepFields {
    /// The verb as written.
    let verb: String
    /// The value of the verb.
    let value: ScenarioNode
    /// The line of the verb.
    let line: Int
    /// The verb of the table of further verbs, unless the vocabulary has one of this name.
    let taskVerb: TaskVerb?
    private let companions: [ScenarioField]

    /// Finds the verb and checks that every other field belongs beside it.
    init(_ node: ScenarioNode, vocabulary: Vocabulary) throws(ScenarioProblem) {
        let fields = try Self.fields(of: node)
        let verbs = fields.filter { Self.isVerb($0.key, vocabulary) }
        guard let field = verbs.first else { throw Self.withoutVerb(fields, line: node.line, vocabulary) }
        guard verbs.count == 1 else {
            throw ScenarioProblem(
                verbs[1].line,
                "A step has one verb; found \(quoted(field.key)) and \(quoted(verbs[1].key)): make two steps of it."
            )
        }
        verb = field.key
        value = field.value
        line = field.line
        taskVerb = vocabulary.verbNames.contains(verb) ? nil : TaskVerb.named(verb)
        companions = fields.filter { $0.key != field.key }
        let known =
            (ScenarioVerb(rawValue: verb)?.companions ?? taskVerb?.companions.map(\.name) ?? []) + ["refused"]
        for companion in companions where !known.contains(companion.key) {
            throw ScenarioProblem(
                companion.line,
                "\(quoted(companion.key)) does not belong beside \(quoted(verb))"
                    + SpellingSuggestions.suggestion(
                        for: companion.key, of: known,
                        otherwise: ": there may be \(known.joined(separator: ", "))."))
        }
    }

    /// Returns the named values of a step; a single word is a verb without a value.
    private static func fields(of node: ScenarioNode) throws(ScenarioProblem) -> [ScenarioField] {
        switch node.content {
        case .fields(let fields) where !fields.isEmpty: return fields
        case .word(let verb, _) where !node.isEmpty:
            let nothing = ScenarioNode(line: node.line, content: .word("", isQuoted: false))
            return [ScenarioField(key: verb, line: node.line, value: nothing)]
        default:
            throw ScenarioProblem(node.line, "A step needs a verb, such as create: Buy milk; found \(node.kind).")
        }
    }

    private static func isVerb(_ key: String, _ vocabulary: Vocabulary) -> Bool {
        if ScenarioVerb(rawValue: key) != nil { return true }
        if TaskVerb.named(key) != nil { return true }
        return vocabulary.verbNames.contains(key) && !ScenarioVerb.allCompanions.contains(key)
    }

    private static func withoutVerb(
        _ fields: [ScenarioField], line: Int, _ vocabulary: Vocabulary
    ) -> ScenarioProblem {
        let known = ScenarioVerb.allCases.map(\.rawValue) + TaskVerb.names + vocabulary.verbNames.sorted()
        let list = ": a step is one of " + known.joined(separator: ", ") + "."
        // A field that belongs beside some verb is not a misspelled verb.
        let companions = ScenarioVerb.allCompanions.union(TaskVerb.allCompanions)
        guard let field = fields.first(where: { !companions.contains($0.key) }) else {
            return ScenarioProblem(line, "This step has no verb" + list)
        }
        return ScenarioProblem(
            field.line,
            "There is no step \(quoted(field.key))"
                + SpellingSuggestions.suggestion(for: field.key, of: known, otherwise: list))
    }

    /// Returns the value of a field beside the verb.
    subscript(name: String) -> ScenarioNode? {
        companions.first { $0.key == name }?.value
    }

    /// Returns the value of a required field beside the verb.
    func required(_ name: String, _ wanted: String) throws(ScenarioProblem) -> ScenarioNode {
        guard let node = self[name] else {
            throw ScenarioProblem(line, "\(quoted(verb)) needs \(quoted(name)) beside it: \(wanted).")
        }
        return node
    }

    /// Returns the field that names a place. At most one may be given.
    func place() throws(ScenarioProblem) -> ScenarioField? {
        let places = companions.filter { ScenarioVerb.places.contains($0.key) }
        guard places.count <= 1 else {
            throw ScenarioProblem(
                places[1].line,
                "A task has one place; found \(quoted(places[0].key)) and \(quoted(places[1].key)): leave one.")
        }
        return places.first
    }
}

/// The verbs of steps, and the fields that each may have.
enum ScenarioVerb: String, CaseIterable {
    case create, start, complete, reopen, cycle, schedule, reorder, carry, edit, remind, delete, purge
    case together, undo, redo
    case undoNotice = "undo notice"
    case advance
    case advanceTo = "advance to"
    case jump
    case jumpTo = "jump to"
    case travel, sleep, wake, close, open, crash, fault, elsewhere, expect

    /// The fields allowed beside the verb, apart from `refused`.
    var companions: [String] {
        switch self {
        case .create: ["on", "in"]
        case .schedule: ["on"] + Self.places
        case .reorder: Self.places
        case .carry: ["to"]
        case .edit: ["text"]
        case .remind: ["at"]
        case .jump: ["monotonic"]
        case .crash: ["during", "choice"]
        case .fault: ["writes"]
        default: []
        }
    }

    /// The fields that name a place.
    static let places = ["first", "last", "before", "after", "index"]

    /// The fields allowed beside any verb.
    static let allCompanions: Set<String> = Set(allCases.flatMap(\.companions) + ["refused"])

    /// The steps that the verb may be part of.
    var owners: [ScenarioVerb] {
        switch self {
        case .create, .start, .complete, .reopen, .cycle, .schedule, .reorder, .carry, .edit, .remind, .delete, .purge:
            [.together, .crash, .elsewhere]
        case .together, .undo, .redo, .undoNotice: [.crash, .elsewhere]
        default: []
        }
    }
}

/// The tasks that a scenario has named so far, to find misspelled names while the file is read.
struct TaskNames {
    /// The lines that create tasks.
    private var created: [String: Int] = [:]
    /// The lines that must fail to create tasks.
    private var refused: [String: Int] = [:]
    /// Whether there may be other tasks, created by a verb of the application.
    private var isOpen = false
    /// The tasks that recur: their occurrences are named by a number, such as `Water the plants 2`.
    private var recurring: Set<String> = []
    /// The names that lists have or had.
    private var lists: Set<String> = [TaskVerbWords.unlisted]

    /// Accepts every name from now on.
    mutating func open() {
        isOpen = true
    }

    /// Adds a task.
    mutating func create(_ name: String, line: Int) throws(ScenarioProblem) {
        if let first = created[name] {
            throw ScenarioProblem(
                line,
                "There is a task \(quoted(name)) already, from line \(first): a name can be used once in a scenario."
            )
        }
        created[name] = line
    }

    /// Removes the tasks that were added since, because their step must be refused.
    mutating func refuse(since before: TaskNames) {
        for (name, line) in created where before.created[name] == nil { refused[name] = line }
        created = before.created
    }

    /// Checks that a step may name a task.
    func use(_ name: String, line: Int) throws(ScenarioProblem) {
        guard !isOpen, created[name] == nil, !isOccurrence(name) else { return }
        if let first = refused[name] {
            throw ScenarioProblem(line, "There is no task \(quoted(name)): creating it is refused in line \(first).")
        }
        throw ScenarioProblem(line, "There is no task \(quoted(name)) so far" + suggestion(for: name))
    }

    /// Checks that an expectation may name a task, including one whose creation must be refused.
    func mention(_ name: String, line: Int) throws(ScenarioProblem) {
        if refused[name] == nil { try use(name, line: line) }
    }

    /// Notes what a verb of the table creates.
    mutating func follow(
        _ verb: TaskVerb, _ value: ScenarioValue, _ fields: [ScenarioValue.Entry], line: Int
    ) throws(ScenarioProblem) {
        switch verb.name {
        case TaskVerb.quickAdd:
            let found = QuickAdd(parsing: value.description, today: WordKind.anyDay, zone: .utc)
            try create(found.text, line: line)
            if found.rule != nil { recurring.insert(found.text) }
        case TaskVerb.makeRecurring: recurring.insert(value.description)
        default:
            if verb.value == .newList { lists.insert(value.description) }
            for (field, companion) in zip(fields, verb.companions) where companion.kind == .newList {
                lists.insert(field.value.description)
            }
        }
    }

    /// Checks that a step may name a list.
    func useList(_ name: String, line: Int) throws(ScenarioProblem) {
        guard !isOpen, !lists.contains(name) else { return }
        throw ScenarioProblem(
            line,
            "There is no list \(quoted(name)) so far"
                + SpellingSuggestions.suggestion(
                    for: name, of: lists.sorted(), otherwise: ": name one that was added in a line above."))
    }

    private func isOccurrence(_ name: String) -> Bool {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty
            && recurring.contains { $0.count + 1 + digits.count == name.count && name.hasPrefix("\($0) ") }
    }

    private func suggestion(for name: String) -> String {
        // Sorted, so that the suggestion is deterministic.
        SpellingSuggestions.suggestion(
            for: name, of: created.keys.sorted(), otherwise: ": name one that was created in a line above.")
    }
}
