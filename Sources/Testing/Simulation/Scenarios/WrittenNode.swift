/// A part of a scenario file that is to be written: what is one in YAML, and which of it deserves lines of its own.
indirect enum WrittenNode {
    /// One word or sentence.
    case word(String)
    /// Nothing.
    case none
    /// Parts in order; in lines of their own even when they would fit into one.
    case list([WrittenNode], inLines: Bool = false)
    /// Named parts in order. Those without a part are verbs that stand alone.
    case fields([(key: String, part: WrittenNode?)], inLines: Bool = false)

    /// A value of an expectation or of a program's own verb.
    init(_ value: ScenarioValue) {
        self =
            switch value {
            case .text(let text): .word(text)
            case .list(let values): .list(values.map { WrittenNode($0) })
            case .map(let entries): .fields(entries.map { ($0.key, WrittenNode($0.value)) })
            case .none: .none
            }
    }

    /// Words in order.
    static func words(_ words: [String]) -> WrittenNode { .list(words.map { .word($0) }) }
}

extension WrittenNode {
    /// How far a line may go.
    private static let width = 110
    /// A key that is longer (YAML's limit is 1,024) has to be announced by a question mark.
    private static let keyLength = 1_000

    /// In one line, as part of another line or after a dash.
    var inOneLine: String {
        switch self {
        case .word(let text): YAMLWord(text).inBrackets
        case .none: "none"
        case .list(let parts, _): "[" + parts.map(\.inOneLine).joined(separator: ", ") + "]"
        case .fields(let fields, _):
            if fields.count == 1, fields[0].part == nil {
                YAMLWord(fields[0].key).inBrackets
            } else if fields.isEmpty {
                "{}"
            } else {
                "{ " + fields.map(Self.inOneLine).joined(separator: ", ") + " }"
            }
        }
    }

    /// In one line of its own, where a single key needs no braces.
    var asLine: String {
        guard case .fields(let fields, _) = self, fields.count == 1, let part = fields[0].part else { return inOneLine }
        let key = YAMLWord(fields[0].key).inLine
        guard key.unicodeScalars.count <= Self.keyLength else { return inOneLine }
        return if case .word(let text) = part { "\(key): \(YAMLWord(text).inLine)" } else {
            "\(key): \(part.inOneLine)"
        }
    }

    private static func inOneLine(_ field: (key: String, part: WrittenNode?)) -> String {
        let key = YAMLWord(field.key).inBrackets
        guard let part = field.part else { return key }
        return (key.unicodeScalars.count > keyLength ? "? " : "") + "\(key): \(part.inOneLine)"
    }

    /// As lines without indentation.
    var lines: [String] {
        switch self {
        case .word(let text): [YAMLWord(text).inLine]
        case .list(let parts, _) where !parts.isEmpty:
            parts.flatMap { part in
                // A list within a list is clearer in brackets.
                if case .list = part { ["- " + part.inOneLine] } else { Self.indented(part.lines, first: "- ") }
            }
        case .fields(let fields, _) where fields.count == 1 && fields[0].part == nil: [YAMLWord(fields[0].key).inLine]
        case .fields(let fields, _) where !fields.isEmpty: fields.flatMap(Self.lines)
        default: [inOneLine]
        }
    }

    private static func lines(_ field: (key: String, part: WrittenNode?)) -> [String] {
        let key = YAMLWord(field.key).inLine
        if key.unicodeScalars.count > keyLength {
            return ["? " + key] + (field.part.map { [": " + $0.inOneLine] } ?? [])
        }
        guard let part = field.part else { return [key + ":"] }
        if case .word(let text) = part { return ["\(key): \(YAMLWord(text).inLine)"] }
        let short = "\(key): \(part.inOneLine)"
        if !part.wantsLines, short.count <= width || part.isWord { return [short] }
        return [key + ":"] + indented(part.lines, first: "  ")
    }

    private var wantsLines: Bool {
        switch self {
        case .list(let parts, let inLines): inLines && !parts.isEmpty
        case .fields(let fields, let inLines): inLines && !fields.isEmpty
        default: false
        }
    }

    /// Whether it has no parts to give a line each.
    private var isWord: Bool {
        switch self {
        case .word, .none: true
        case .list(let parts, _): parts.isEmpty
        case .fields(let fields, _): fields.isEmpty || (fields.count == 1 && fields[0].part == nil)
        }
    }

    private static func indented(_ lines: [String], first: String) -> [String] {
        lines.enumerated().map { ($0.offset == 0 ? first : "  ") + $0.element }
    }
}
