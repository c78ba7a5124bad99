import Yams

extension ScenarioNode {
    /// The only document of a YAML text.
    init(yaml: String) throws(ScenarioProblem) {
        let root: Node?
        do {
            // The basic resolver gives no word a type: `yes`, `3` and `08:00` stay what they are.
            root = try Parser(yaml: yaml, resolver: .basic, encoding: .utf8).singleRoot()
        } catch let error as YamlError {
            throw error.problem
        } catch {
            throw ScenarioProblem(1, "This cannot be read as YAML.")
        }
        guard let root else {
            throw ScenarioProblem(1, "There is nothing in this file: a scenario has a name, starts, zone and steps.")
        }
        try self.init(root)
    }

    private init(_ node: Node) throws(ScenarioProblem) {
        line = node.mark?.line ?? 1
        switch node {
        case .scalar(let scalar):
            content = .word(scalar.string, isQuoted: scalar.style != .plain && scalar.style != .any)
        case .sequence(let sequence):
            content = .list(try sequence.map { (part) throws(ScenarioProblem) in try ScenarioNode(part) })
        case .mapping(let mapping):
            content = .fields(
                try mapping.map { (key, value) throws(ScenarioProblem) in
                    let line = key.mark?.line ?? 1
                    guard case .scalar(let scalar) = key else {
                        throw ScenarioProblem(line, "A key is one word or sentence, not a list or named values.")
                    }
                    return ScenarioField(key: scalar.string, line: line, value: try ScenarioNode(value))
                })
        case .alias:
            // The parser puts what the alias stands for in its place.
            throw ScenarioProblem(line, "An alias stands for nothing here: write the value itself.")
        }
    }
}

extension YamlError {
    /// What is wrong, in our words where people often go wrong.
    fileprivate var problem: ScenarioProblem {
        switch self {
        case .duplicatedKeysInMapping(let keys, let context):
            ScenarioProblem(
                context.mark.line,
                "The key \(shown(keys.first ?? "")) stands here and once more below: leave one of them.")
        case .composer(_, "but found another document", let mark, _):
            ScenarioProblem(mark.line, "A file holds one scenario: put what follows '---' into a file of its own.")
        case .composer(_, "found undefined alias", let mark, _):
            ScenarioProblem(mark.line, "A word that begins with '*' needs quotes here: nothing has that anchor (&).")
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ScenarioProblem(
                mark.line,
                "This is not YAML (\(problem)): look at the indentation, and quote what holds ': ' or ' #'.")
        case .reader(let problem, let offset, _, let yaml):
            ScenarioProblem(
                1 + yaml.prefix(offset ?? 0).utf8.count { $0 == UInt8(ascii: "\n") },
                "A character cannot be used here (\(problem)): write it as an escape in double quotes.")
        default:
            ScenarioProblem(1, "This cannot be read as YAML.")
        }
    }
}
