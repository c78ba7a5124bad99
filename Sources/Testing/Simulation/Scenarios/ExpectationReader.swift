/// Reads what stands below `expect`.
struct ExpectationReader {
    let vocabulary: Vocabulary

    func read(_ node: ScenarioNode, names: TaskNames) throws(ScenarioProblem) -> [Expectation] {
        let wanted = "what has to be so, such as today: [A, B]"
        let fields = try node.fields("expect", wanted)
        guard !fields.isEmpty else { throw node.misfit("expect", wanted) }
        return try fields.map { (field) throws(ScenarioProblem) in
            Expectation(field.key, try value(of: field, names), line: field.line)
        }
    }

    private func value(of field: ScenarioField, _ names: TaskNames) throws(ScenarioProblem) -> ScenarioValue {
        if let subject = ExpectationSubject(rawValue: field.key) {
            return try subject.shape.read(field.value, owner: field.key, names: names)
        }
        guard vocabulary.subjects[field.key] != nil else { throw unknown(field) }
        return field.value.value
    }

    private func unknown(_ field: ScenarioField) -> ScenarioProblem {
        let known = ExpectationSubject.allCases.map(\.rawValue) + vocabulary.subjects.keys.sorted()
        let list = ": what can be expected is " + known.joined(separator: ", ") + "."
        return ScenarioProblem(
            field.line,
            "\(shown(field.key)) cannot be expected"
                + NearWords.suggestion(for: field.key, of: known, otherwise: list))
    }
}
