/// A part of a scenario file as it was written: words, lists and named values, each with its line. Every word is text;
/// what it means is up to the place where it stands.
struct ScenarioNode {
    enum Content {
        /// One word or sentence. Quotes make a text of what would otherwise mean nothing.
        case word(String, isQuoted: Bool)
        case list([ScenarioNode])
        case fields([ScenarioField])
    }

    let line: Int
    let content: Content

    /// Whether it says that there is nothing: it is empty, `none`, `null` or `~`.
    var isNothing: Bool {
        guard case .word(let text, isQuoted: false) = content else { return false }
        return ScenarioNode.nothing.contains(text)
    }

    /// The words for nothing.
    static let nothing: Set<String> = ["", "none", "null", "Null", "NULL", "~"]

    /// Whether nothing at all was written.
    var isEmpty: Bool {
        guard case .word("", isQuoted: false) = content else { return false }
        return true
    }

    /// What kind of thing was written, for error messages.
    var kind: String {
        switch content {
        case .word(let text, _): isEmpty ? "nothing" : shown(text)
        case .list: "a list"
        case .fields: "named values"
        }
    }

    /// One word or sentence; `none` and its like are ordinary words here.
    func text(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> String {
        guard case .word(let text, _) = content, !isEmpty else { throw misfit(owner, wanted) }
        return text
    }

    /// The parts of a list.
    func list(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> [ScenarioNode] {
        guard case .list(let nodes) = content else { throw misfit(owner, wanted) }
        return nodes
    }

    /// Named values.
    func fields(_ owner: String, _ wanted: String) throws(ScenarioProblem) -> [ScenarioField] {
        guard case .fields(let fields) = content else { throw misfit(owner, wanted) }
        return fields
    }

    /// The problem that this is not what was wanted here.
    func misfit(_ owner: String, _ wanted: String) -> ScenarioProblem {
        ScenarioProblem(line, "\(shown(owner)) needs \(wanted); here stands \(kind).")
    }

    /// As a value of the program's own vocabulary.
    var value: ScenarioValue {
        switch content {
        case .word(let text, _): isNothing ? .none : .text(text)
        case .list(let nodes): .list(nodes.map(\.value))
        case .fields(let fields): .map(fields.map { .init($0.key, $0.value.value, line: $0.line) })
        }
    }
}
