/// A node of a scenario file to write, and its layout: in one line or in several.
indirect enum YAMLNode {
    /// One word or sentence.
    case word(String)
    /// Nothing.
    case none
    /// Elements in order; `inLines` forces one line for each.
    case list([YAMLNode], inLines: Bool = false)
    /// Named values in order. Those without a value are verbs without a value.
    case fields([(key: String, part: YAMLNode?)], inLines: Bool = false)

    /// Converts a value of an expectation or of an application's verb.
    init(_ value: ScenarioValue) {
        self =
            switch value {
            case .text(let text): .word(text)
            case .list(let values): .list(values.map { YAMLNode($0) })
            case .map(let entries): .fields(entries.map { ($0.key, YAMLNode($0.value)) })
            case .none: .none
            }
    }

    /// Creates a list of words.
    static func words(_ words: [String]) -> YAMLNode { .list(words.map { .word($0) }) }
}

extension YAMLNode {
    /// The maximum length of a line.
    private static let width = 110
    /// A longer key would need a question mark before it (YAML's limit is 1,024).
    private static let keyLength = 1_000

    /// The node in one line, as part of another line or after a dash.
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

    /// The node in a line by itself, where a single key needs no braces.
    var asLine: String {
        guard case .fields(let fields, _) = self, fields.count == 1, let part = fields[0].part else { return inOneLine }
        let key = YAMLWord(fields[0].key).inLine
        guard key.unicodeScalars.count <= Self.keyLength else { return inOneLine }
        return if case .word(let text) = part { "\(key): \(YAMLWord(text).inLine)" } else {
            "\(key): \(part.inOneLine)"
        }
    }

    private static func inOneLine(_ field: (key: String, part: YAMLNode?)) -> String {
        let key = YAMLWord(field.key).inBrackets
        guard let part = field.part else { return key }
        return (key.unicodeScalars.count > keyLength ? "? " : "") + "\(key): \(part.inOneLine)"
    }

    /// The node as lines without indentation.
    var lines: [String] {
        switch self {
        case .word(let text): [YAMLWord(text).inLine]
        case .list(let parts, _) where !parts.isEmpty:
            parts.flatMap { part in
                // A nested list is clearer in brackets.
                if case .list = part { ["- " + part.inOneLine] } else { Self.indented(part.lines, first: "- ") }
            }
        case .fields(let fields, _) where fields.count == 1 && fields[0].part == nil: [YAMLWord(fields[0].key).inLine]
        case .fields(let fields, _) where !fields.isEmpty: fields.flatMap(Self.lines)
        default: [inOneLine]
        }
    }

    private static func lines(_ field: (key: String, part: YAMLNode?)) -> [String] {
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

    /// Whether the node has no elements to put on lines.
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

/// A word or sentence as YAML writes it: plain where that is safe, otherwise in quotes.
struct YAMLWord {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The word on a line by itself or after a key.
    var inLine: String { written(isPlain) }

    /// The word between brackets or braces, where more characters have a meaning.
    var inBrackets: String {
        let hasBrackets = text.unicodeScalars.contains { ",[]{}".unicodeScalars.contains($0) }
        return written(isPlain && !hasBrackets && !hasPair(":", "?"))
    }

    private func written(_ isPlain: Bool) -> String {
        if text.unicodeScalars.contains(where: Self.needsEscape) { return inDoubleQuotes }
        return isPlain ? text : inSingleQuotes
    }

    /// By scalars: a quote with a combining accent is another character, but YAML still sees a quote.
    private var inSingleQuotes: String {
        text.unicodeScalars.reduce(into: "'") { quoted, scalar in
            if scalar == "'" { quoted += "'" }
            quoted.unicodeScalars.append(scalar)
        } + "'"
    }

    private var isPlain: Bool {
        let scalars = Array(text.unicodeScalars)
        guard let first = scalars.first, let last = scalars.last, !ScenarioNode.nothing.contains(text) else {
            return false
        }
        guard !first.properties.isWhitespace, !last.properties.isWhitespace, last != ":",
            !"?:,[]{}#&*!|>'\"%@`".unicodeScalars.contains(first)
        else {
            return false
        }
        // A dash begins a list item or a document; before a digit it is a sign.
        if first == "-", scalars.count < 2 || !("0"..."9").contains(scalars[1]) { return false }
        return !hasPair(":", " ") && !hasPair(" ", "#")
    }

    private func hasPair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        zip(text.unicodeScalars, text.unicodeScalars.dropFirst()).contains { $0 == first && $1 == second }
    }

    /// Returns whether YAML cannot represent a scalar: control characters, line terminators, byte order marks and
    /// noncharacters.
    static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    private var inDoubleQuotes: String {
        text.unicodeScalars.reduce(into: "\"") { quoted, scalar in
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case let scalar where Self.needsEscape(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        } + "\""
    }
}
