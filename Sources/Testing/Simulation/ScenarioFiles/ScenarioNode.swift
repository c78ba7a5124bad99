import Yams

/// A node of a scenario file: words, lists and named values, each with its line. Every word is text; its place
/// determines its meaning.
package struct ScenarioNode {
    package enum Content {
        /// One word or sentence. In quotes, `none` and its synonyms are text.
        case word(String, isQuoted: Bool)
        case list([ScenarioNode])
        case fields([ScenarioField])
    }

    package let line: Int
    package let content: Content

    /// Whether the node means nothing: it is empty, `none`, `null` or `~`.
    var isNothing: Bool {
        guard case .word(let text, isQuoted: false) = content else { return false }
        return ScenarioNode.nothing.contains(text)
    }

    /// The words for nothing.
    static let nothing: Set<String> = ["", "none", "null", "Null", "NULL", "~"]

    /// Whether the node is empty.
    var isEmpty: Bool {
        guard case .word("", isQuoted: false) = content else { return false }
        return true
    }

    /// A description of the node for error messages.
    var kind: String {
        switch content {
        case .word(let text, _): isEmpty ? "nothing" : quoted(text)
        case .list: "a list"
        case .fields: "named values"
        }
    }

    /// Returns one word or sentence; `none` and its synonyms are ordinary words here.
    package func text(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> String {
        guard case .word(let text, _) = content, !isEmpty else { throw misfit(owner, wanted) }
        return text
    }

    /// Returns the elements of a list.
    package func list(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> [ScenarioNode] {
        guard case .list(let nodes) = content else { throw misfit(owner, wanted) }
        return nodes
    }

    /// Returns named values.
    package func fields(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> [ScenarioField] {
        guard case .fields(let fields) = content else { throw misfit(owner, wanted) }
        return fields
    }

    /// Returns the error for a node of the wrong kind.
    package func misfit(_ owner: String, _ wanted: String) -> ScenarioProblem {
        ScenarioProblem(line, "\(quoted(owner)) needs \(wanted); found \(kind).")
    }

    /// The node as a value for the application's own vocabulary.
    var value: ScenarioValue {
        switch content {
        case .word(let text, _): isNothing ? .none : .text(text)
        case .list(let nodes): .list(nodes.map(\.value))
        case .fields(let fields): .map(fields.map { .init($0.key, $0.value.value, line: $0.line) })
        }
    }
}

/// A named value of a scenario file.
package struct ScenarioField {
    package let key: String
    /// The line of the name.
    package let line: Int
    package let value: ScenarioNode

    package init(key: String, line: Int, value: ScenarioNode) {
        self.key = key
        self.line = line
        self.value = value
    }
}

extension ScenarioNode {
    /// Parses a YAML text with a single document.
    package init(yaml: String) throws(ScenarioProblem) {
        let root: Node?
        do {
            // The basic resolver assigns no types: `yes`, `3` and `08:00` stay text.
            root = try Parser(yaml: yaml, resolver: .basic, encoding: .utf8).singleRoot()
        } catch let error as YamlError {
            throw error.problem
        } catch {
            throw ScenarioProblem(1, "This cannot be read as YAML.")
        }
        guard let root else {
            throw ScenarioProblem(1, "The file is empty: a scenario has a name, starts, zone and steps.")
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
            // The parser replaces valid aliases by their values.
            throw ScenarioProblem(line, "An alias has no value here: write the value itself.")
        }
    }
}

extension YamlError {
    /// The problem, with our own words for common mistakes.
    fileprivate var problem: ScenarioProblem {
        switch self {
        case .duplicatedKeysInMapping(let keys, let context):
            ScenarioProblem(
                context.mark.line,
                "The key \(quoted(keys.first ?? "")) occurs twice: remove one of the two.")
        case .composer(_, "but found another document", let mark, _):
            ScenarioProblem(mark.line, "A file holds one scenario: move what follows '---' to another file.")
        case .composer(_, "found undefined alias", let mark, _):
            ScenarioProblem(mark.line, "A word that begins with '*' needs quotes here: nothing has that anchor (&).")
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ScenarioProblem(
                mark.line,
                "This is not YAML (\(problem)): check the indentation, and quote what holds ': ' or ' #'.")
        case .reader(let problem, let offset, _, let yaml):
            ScenarioProblem(
                1 + yaml.prefix(offset ?? 0).utf8.count { $0 == UInt8(ascii: "\n") },
                "A character cannot be used here (\(problem)): write it as an escape in double quotes.")
        default:
            ScenarioProblem(1, "This cannot be read as YAML.")
        }
    }
}
