/// A word or sentence as YAML has it: plain where that is safe, else in quotes.
struct YAMLWord {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// On a line of its own, or after a key.
    var inLine: String { written(isPlain) }

    /// Between brackets or braces, where some more signs have a meaning.
    var inBrackets: String {
        let hasBrackets = text.unicodeScalars.contains { ",[]{}".unicodeScalars.contains($0) }
        return written(isPlain && !hasBrackets && !hasPair(":", "?"))
    }

    private func written(_ isPlain: Bool) -> String {
        if text.unicodeScalars.contains(where: Self.needsEscape) { return inDoubleQuotes }
        return isPlain ? text : inSingleQuotes
    }

    /// Scalar by scalar: a quote with an accent on it is a character of its own, but still a quote to YAML.
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
        // A dash begins an item of a list, or a document; before a digit it is a sign.
        if first == "-", scalars.count < 2 || !("0"..."9").contains(scalars[1]) { return false }
        return !hasPair(":", " ") && !hasPair(" ", "#")
    }

    private func hasPair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        zip(text.unicodeScalars, text.unicodeScalars.dropFirst()).contains { $0 == first && $1 == second }
    }

    /// What YAML does not print: control characters, line ends, byte-order marks and values that are no characters.
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
