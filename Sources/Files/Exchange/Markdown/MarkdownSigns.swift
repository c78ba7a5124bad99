import ByteStreams
import CivilTime
import FoundationEssentials

/// The symbols of Obsidian Tasks, and what has none: it is a name in brackets, in the form of the Dataview plugin.
enum MarkdownSign: CaseIterable {
    case id, dependsOn, priority, recurrence, onCompletion, created, start, scheduled, due, cancelled, done, category,
        list, tags, parent

    /// The characters of the symbol; the first is the one that is written.
    var scalars: [Unicode.Scalar] {
        switch self {
        case .id: ["🆔"]
        case .dependsOn: ["⛔"]
        case .priority: ["🔺", "⏫", "🔼", "🔽", "⏬"]
        case .recurrence: ["🔁"]
        case .onCompletion: ["🏁"]
        case .created: ["➕"]
        case .start: ["🛫"]
        case .scheduled: ["⏳", "⌛"]
        case .due: ["📅", "📆", "\u{1F5D3}"]
        case .cancelled: ["❌"]
        case .done: ["✅"]
        case .category, .list, .tags, .parent: []
        }
    }

    /// The names in brackets: `[category:: garden]`. Those of symbols are read; only what has no symbol is written with them.
    static let names: [(sign: MarkdownSign, name: String)] = [
        (.category, "category"), (.list, "list"), (.tags, "tags"), (.parent, "parent"), (.due, "due"),
        (.scheduled, "scheduled"), (.start, "start"), (.created, "created"), (.done, "completion"),
        (.cancelled, "cancelled"), (.priority, "priority"), (.recurrence, "repeat"), (.id, "id"),
        (.dependsOn, "dependsOn"),
    ]

    /// The beginning of a name in brackets; nil for what is only a symbol.
    var bracket: String? { Self.names.first { $0.sign == self }.map { "[\($0.name)::" } }

    /// Whether it has no symbol.
    var isNameOnly: Bool { scalars.isEmpty }

    private static let byScalar: [UInt32: MarkdownSign] = {
        var signs: [UInt32: MarkdownSign] = [:]
        for sign in allCases { for scalar in sign.scalars { signs[scalar.value] = sign } }
        return signs
    }()

    /// Returns the symbol of a character.
    init?(_ scalar: UInt32) {
        guard let sign = Self.byScalar[scalar] else { return nil }
        self = sign
    }

    /// Whether a symbol or a name in brackets can begin with a character.
    static func canBegin(_ scalar: UInt32) -> Bool { scalar == 0x5B || scalar == 0x28 || byScalar[scalar] != nil }

    /// Returns the symbol at a position of UTF-8 text, and its end.
    static func at(_ index: Int, in bytes: ArraySlice<UInt8>) -> (sign: MarkdownSign, end: Int)? {
        switch bytes[index] {
        case UInt8(ascii: "["), UInt8(ascii: "("):
            for (sign, name) in names {
                let end = index + 1 + name.utf8.count
                guard end + 2 <= bytes.endIndex, bytes[(index + 1)..<end].elementsEqual(name.utf8),
                    bytes[end..<(end + 2)].elementsEqual("::".utf8)
                else { continue }
                // Ours are in square brackets only.
                return sign.isNameOnly && bytes[index] != UInt8(ascii: "[") ? nil : (sign, end + 2)
            }
            return nil
        case 0xE2 where index + 3 <= bytes.endIndex:
            let scalar = 0x2000 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
            return MarkdownSign(scalar).map { ($0, index + 3) }
        case 0xF0 where index + 4 <= bytes.endIndex:
            let high = UInt32(bytes[index + 1] & 0x3F) << 12 | UInt32(bytes[index + 2] & 0x3F) << 6
            return MarkdownSign(high | UInt32(bytes[index + 3] & 0x3F)).map { ($0, index + 4) }
        default:
            return nil
        }
    }
}

/// The parts of a task's line that are symbols with their values.
///
/// Of a duplicate symbol the last counts, and the others are part of the text; so are symbols without a valid value.
struct MarkdownSigns {
    private let bytes: ArraySlice<UInt8>
    /// The symbols with a field: the whole part, and its value.
    private var fields: [MarkdownSign: (range: Range<Int>, value: Range<Int>)] = [:]
    /// The symbols without a field.
    private var others: [Range<Int>] = []
    /// The block link at the end, with the blanks before it: ` ^name`.
    let link: Range<Int>?

    /// Finds the symbols in the text after the box.
    init(_ bytes: ArraySlice<UInt8>) {
        link = Self.link(of: bytes)
        self.bytes = bytes[..<(link?.lowerBound ?? bytes.endIndex)]
        var index = bytes.startIndex
        while index < self.bytes.endIndex {
            guard let (sign, end) = MarkdownSign.at(index, in: self.bytes) else {
                index += 1
                continue
            }
            let isNamed = self.bytes[index] == UInt8(ascii: "[") || self.bytes[index] == UInt8(ascii: "(")
            guard let value = isNamed ? named(sign, from: end) : value(of: sign, from: end) else {
                index = end
                continue
            }
            take(sign, index..<value.end, value.range)
            index = value.end
        }
    }

    /// Whether the line contains anything but text.
    var isEmpty: Bool { fields.isEmpty && others.isEmpty }

    /// The text without the symbols.
    var text: String {
        let ranges = others + fields.values.map(\.range)
        return bytes.text(without: ranges.sorted { $0.lowerBound < $1.lowerBound })
    }

    /// The symbols without a field, as they are written.
    var otherTexts: [String] {
        others.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Returns the day of a symbol.
    func day(_ sign: MarkdownSign) -> Day? {
        fields[sign].flatMap { bytes[$0.value].day }
    }

    /// Returns the text of a symbol.
    func text(_ sign: MarkdownSign) -> String? {
        fields[sign].flatMap { PercentText.decode(bytes[$0.value]) }
    }

    private mutating func take(_ sign: MarkdownSign, _ range: Range<Int>, _ value: Range<Int>) {
        switch sign {
        case .onCompletion: others.append(range)
        case .id where UUID(strict: String(decoding: bytes[value], as: UTF8.self)) == nil:
            others.append(range)
        default:
            fields[sign] = (range, value)
        }
    }

    /// Returns the value of a symbol, and its end.
    private func value(of sign: MarkdownSign, from end: Int) -> (range: Range<Int>, end: Int)? {
        var start = end
        // A variation selector requests the emoji presentation.
        if bytes[start...].starts(with: [0xEF, 0xB8, 0x8F]) { start += 3 }
        // The symbol is the value.
        if sign == .priority { return (symbol(before: end)..<end, start) }
        while start < bytes.endIndex, bytes[start].isBlank { start += 1 }
        switch sign {
        case .recurrence: return recurrence(from: start)
        case .id, .onCompletion: return word(from: start)
        case .dependsOn: return words(from: start)
        default:
            let value = start..<min(start + 10, bytes.endIndex)
            guard bytes[value].day != nil, value.upperBound == bytes.endIndex || !bytes[value.upperBound].isWord else {
                return nil
            }
            return (value, value.upperBound)
        }
    }

    /// The beginning of the symbol that ends at a position.
    private func symbol(before end: Int) -> Int {
        var start = end - 1
        while start > bytes.startIndex, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// Returns the value of a name in brackets, and the end behind the closing bracket.
    private func named(_ sign: MarkdownSign, from end: Int) -> (range: Range<Int>, end: Int)? {
        var start = end
        while start < bytes.endIndex, bytes[start].isBlank { start += 1 }
        guard let value = bracketed(from: start) else { return nil }
        if sign.isNameOnly { return value }
        let text = bytes[value.range]
        let isValid =
            switch sign {
            case .priority: PriorityLevels.priority(ofSymbol: String(decoding: text, as: UTF8.self)) != nil
            case .recurrence: text.starts(with: "every".utf8) && PercentText.decode(text) != nil
            case .id: text.allSatisfy(\.isWord)
            case .dependsOn: words(from: value.range.lowerBound)?.end == value.range.upperBound
            default: text.day != nil
            }
        return isValid ? value : nil
    }

    private func word(from start: Int) -> (range: Range<Int>, end: Int)? {
        var end = start
        while end < bytes.endIndex, bytes[end].isWord { end += 1 }
        return end > start ? (start..<end, end) : nil
    }

    /// Words with commas between them.
    private func words(from start: Int) -> (range: Range<Int>, end: Int)? {
        guard var end = word(from: start)?.end else { return nil }
        while true {
            let comma = bytes[end...].firstIndex { !$0.isBlank } ?? bytes.endIndex
            guard comma < bytes.endIndex, bytes[comma] == UInt8(ascii: ",") else { break }
            let next = bytes[(comma + 1)...].firstIndex { !$0.isBlank } ?? bytes.endIndex
            guard let word = word(from: next) else { break }
            end = word.end
        }
        return (start..<end, end)
    }

    /// Extends to the next symbol or tag. Rules begin with "every"; any other was written by Daybook.
    private func recurrence(from start: Int) -> (range: Range<Int>, end: Int)? {
        var end = start
        while end < bytes.endIndex, MarkdownSign.at(end, in: bytes) == nil {
            if bytes[end] == UInt8(ascii: "#"), bytes[end - 1].isBlank { break }
            end += 1
        }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        let value = bytes[start..<end]
        guard value.first == UInt8(ascii: "%") || value.prefix(5).elementsEqual("every".utf8),
            PercentText.decode(value) != nil
        else { return nil }
        return (start..<end, end)
    }

    private func bracketed(from start: Int) -> (range: Range<Int>, end: Int)? {
        var end = start
        while end < bytes.endIndex, !"[]()".utf8.contains(bytes[end]) { end += 1 }
        guard end < bytes.endIndex, bytes[end] == UInt8(ascii: "]") || bytes[end] == UInt8(ascii: ")") else {
            return nil
        }
        var last = end
        while last > start, bytes[last - 1].isBlank { last -= 1 }
        guard last > start, PercentText.decode(bytes[start..<last]) != nil else { return nil }
        return (start..<last, end + 1)
    }

    private static func link(of bytes: ArraySlice<UInt8>) -> Range<Int>? {
        var end = bytes.endIndex
        while end > bytes.startIndex, bytes[end - 1].isBlank { end -= 1 }
        var start = end
        while start > bytes.startIndex, bytes[start - 1].isWord { start -= 1 }
        guard start < end, start > bytes.startIndex, bytes[start - 1] == UInt8(ascii: "^") else { return nil }
        start -= 1
        guard start > bytes.startIndex, bytes[start - 1].isBlank else { return nil }
        while start > bytes.startIndex, bytes[start - 1].isBlank { start -= 1 }
        return start..<end
    }
}

extension UInt8 {
    /// Whether a byte may be in the id of a task or a block: a letter, a digit, `-` or `_`.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
