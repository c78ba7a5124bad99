import ByteStreams

/// One content line of iCalendar: a property, or the begin or the end of a component.
struct CalendarLine: Equatable {
    /// The longest line in a file, in bytes without its ending. What is longer goes on in the next one after a blank.
    static let widthLimit = 75

    /// The line of the file on which it begins; 0 outside a file.
    var number = 0
    /// The whole of it, however many lines of the file it takes.
    var text: String
    /// The lines of the file, where they end elsewhere than ours would.
    var pieces: [String]?

    init(_ text: String) {
        self.text = text
    }

    /// A line as it stood in a file.
    init(number: Int, text: String, pieces: [String]) {
        self.number = number
        self.text = text
        // Lines that are too long are mended; only those may stay that every program can read.
        if pieces.allSatisfy({ $0.utf8.count <= Self.widthLimit }), pieces != Self.folded(text) {
            self.pieces = pieces
        }
    }

    /// Whether both are the same bytes in a file.
    func isWritten(as other: CalendarLine) -> Bool {
        // `==` takes two spellings of one letter (é) for the same.
        text.utf8.elementsEqual(other.text.utf8) && pieces == other.pieces
    }

    /// The lines of the file that hold a text, none of which ends within a character.
    static func folded(_ text: String) -> [String] {
        var rest = text[...]
        var lines: [String] = []
        var blank = ""
        while rest.utf8.count + blank.utf8.count > widthLimit {
            var end = rest.utf8.index(rest.startIndex, offsetBy: widthLimit - blank.utf8.count)
            while rest.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = rest.utf8.index(before: end) }
            lines.append(blank + rest[..<end])
            rest = rest[end...]
            blank = " "
        }
        lines.append(blank + rest)
        return lines
    }
}

extension [UInt8] {
    /// Writes a content line.
    mutating func append(_ line: CalendarLine) {
        for piece in line.pieces ?? CalendarLine.folded(line.text) {
            append(contentsOf: piece.utf8)
            append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
        }
    }
}

// How `extra` keeps a line: as a string, or as an array of the lines that it took.
extension CalendarLine {
    var kept: JSONValue {
        pieces.map { .array($0.map(JSONValue.string)) } ?? .string(text)
    }

    /// A line that was kept; nil for anything that could not have been one.
    init?(kept value: JSONValue) {
        switch value {
        case .string(let text):
            guard Self.isOneLine(text) else { return nil }
            self.init(text)
        case .array(let values):
            var pieces: [String] = []
            for value in values {
                guard case .string(let piece) = value, Self.isOneLine(piece) else { return nil }
                pieces.append(piece)
            }
            guard let first = pieces.first else { return nil }
            for piece in pieces.dropFirst() where piece.utf8.first != 0x20 && piece.utf8.first != 0x09 { return nil }
            // Bytes, because the blank may be one character with an accent that follows it.
            let text = pieces.dropFirst().reduce(into: first) { $0 += Substring($1.utf8.dropFirst()) }
            self.init(number: 0, text: text, pieces: pieces)
        default: return nil
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }
}
