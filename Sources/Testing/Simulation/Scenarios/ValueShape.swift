/// How the value of a subject has to be written.
indirect enum ValueShape: Sendable {
    /// One word.
    case word(WordKind)
    /// One word, or nothing.
    case wordOrNothing(WordKind)
    /// A list of words. Nothing is read as an empty one.
    case list(WordKind)
    /// Values by a word. Nothing and an empty list are read as no values.
    case by(WordKind, ValueShape)
    /// Some of these named values.
    case fields([(name: String, shape: ValueShape)])

    private var title: String {
        switch self {
        case .word(let kind): kind.title
        case .wordOrNothing(let kind): "\(kind.title), or none"
        case .list(.taskName): "a list of names: [A, B]"
        case .list: "a list: [A, B]"
        case .by(let kind, .list): "{ KEY: [A, B] }, where KEY is \(kind.title)"
        case .by(let kind, _): "{ KEY: VALUE }, where KEY is \(kind.title)"
        case .fields(let fields): "named values: some of " + fields.map(\.name).joined(separator: ", ")
        }
    }

    /// Reads a value of this shape.
    func read(_ node: ScenarioNode, owner: String, names: TaskNames) throws(ScenarioProblem) -> ScenarioValue {
        func word(_ node: ScenarioNode, _ kind: WordKind) throws(ScenarioProblem) -> ScenarioValue {
            let text = try node.text(owner, kind.title)
            return .text(try kind.read(text, line: node.line, owner: owner, names: names))
        }
        switch self {
        case .word(let kind): return try word(node, kind)
        case .wordOrNothing(let kind):
            if node.isNothing { return .none }
            guard case .word = node.content else { throw node.misfit(owner, title) }
            return try word(node, kind)
        case .list(let kind):
            if node.isNothing { return .list([]) }
            return .list(
                try node.list(owner, title).map { (part) throws(ScenarioProblem) in try word(part, kind) })
        case .by(let kind, let shape):
            if node.isNothing { return .map([]) }
            if case .list(let parts) = node.content, parts.isEmpty { return .map([]) }
            return .map(
                try node.fields(owner, title).map { (field) throws(ScenarioProblem) in
                    let key = try kind.read(field.key, line: field.line, owner: owner, names: names)
                    return .init(
                        key, try shape.read(field.value, owner: field.key, names: names), line: field.line)
                })
        case .fields(let known):
            return .map(
                try node.fields(owner, title).map { (field) throws(ScenarioProblem) in
                    guard let shape = known.first(where: { $0.name == field.key })?.shape else {
                        let list = known.map(\.name)
                        throw ScenarioProblem(
                            field.line,
                            "\(shown(owner)) has no \(shown(field.key))"
                                + NearWords.suggestion(
                                    for: field.key, of: list,
                                    otherwise: ": it has \(list.joined(separator: ", "))."))
                    }
                    return .init(
                        field.key, try shape.read(field.value, owner: field.key, names: names), line: field.line)
                })
        }
    }
}
