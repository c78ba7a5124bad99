import Daybook

/// The words of one step: its verb, and what stands beside it.
struct StepFields {
    /// The verb as it is written.
    let verb: String
    /// The verb's value.
    let value: ScenarioNode
    /// The line of the verb.
    let line: Int
    private let companions: [ScenarioField]

    /// Finds the verb and checks that everything beside it belongs there.
    init(_ node: ScenarioNode, vocabulary: Vocabulary) throws(ScenarioProblem) {
        let fields = try Self.fields(of: node)
        let verbs = fields.filter { Self.isVerb($0.key, vocabulary) }
        guard let field = verbs.first else { throw Self.withoutVerb(fields, line: node.line, vocabulary) }
        guard verbs.count == 1 else {
            throw ScenarioProblem(
                verbs[1].line,
                "A step has one verb; here stand \(shown(field.key)) and \(shown(verbs[1].key)): make two steps of it.")
        }
        verb = field.key
        value = field.value
        line = field.line
        companions = fields.filter { $0.key != field.key }
        let known = (ScenarioVerb(rawValue: verb)?.companions ?? []) + ["refused"]
        for companion in companions where !known.contains(companion.key) {
            throw ScenarioProblem(
                companion.line,
                "\(shown(companion.key)) does not belong beside \(shown(verb))"
                    + NearWords.suggestion(
                        for: companion.key, of: known,
                        otherwise: ": there may be \(known.joined(separator: ", "))."))
        }
    }

    /// The named values of a step; a word alone is a verb without a value.
    private static func fields(of node: ScenarioNode) throws(ScenarioProblem) -> [ScenarioField] {
        switch node.content {
        case .fields(let fields) where !fields.isEmpty: return fields
        case .word(let verb, _) where !node.isEmpty:
            let nothing = ScenarioNode(line: node.line, content: .word("", isQuoted: false))
            return [ScenarioField(key: verb, line: node.line, value: nothing)]
        default:
            throw ScenarioProblem(node.line, "A step needs a verb, such as create: Buy milk; here stands \(node.kind).")
        }
    }

    private static func isVerb(_ key: String, _ vocabulary: Vocabulary) -> Bool {
        if ScenarioVerb(rawValue: key) != nil { return true }
        return vocabulary.verbs[key] != nil && !ScenarioVerb.allCompanions.contains(key)
    }

    private static func withoutVerb(
        _ fields: [ScenarioField], line: Int, _ vocabulary: Vocabulary
    ) -> ScenarioProblem {
        let known = ScenarioVerb.allCases.map(\.rawValue) + vocabulary.verbs.keys.sorted()
        let list = ": a step is one of " + known.joined(separator: ", ") + "."
        // What may stand beside a verb is not the verb misspelt.
        guard let field = fields.first(where: { !ScenarioVerb.allCompanions.contains($0.key) }) else {
            return ScenarioProblem(line, "This step has no verb" + list)
        }
        return ScenarioProblem(
            field.line,
            "There is no step \(shown(field.key))" + NearWords.suggestion(for: field.key, of: known, otherwise: list))
    }

    /// What stands beside the verb under a name.
    subscript(name: String) -> ScenarioNode? {
        companions.first { $0.key == name }?.value
    }

    /// The same where it has to be there.
    func required(_ name: String, _ wanted: String) throws(ScenarioProblem) -> ScenarioNode {
        guard let node = self[name] else {
            throw ScenarioProblem(line, "\(shown(verb)) needs \(shown(name)) beside it: \(wanted).")
        }
        return node
    }

    /// What names a place, of which there can be one.
    func place() throws(ScenarioProblem) -> ScenarioField? {
        let places = companions.filter { ScenarioVerb.places.contains($0.key) }
        guard places.count <= 1 else {
            throw ScenarioProblem(
                places[1].line,
                "A task has one place; here stand \(shown(places[0].key)) and \(shown(places[1].key)): leave one.")
        }
        return places.first
    }
}
