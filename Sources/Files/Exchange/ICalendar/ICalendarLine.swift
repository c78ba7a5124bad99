import ByteStreams

/// A content line of iCalendar: a property, or the beginning or the end of a component.
struct ICalendarLine: Equatable {
    /// The length limit of a line, in bytes without its ending. Longer lines are folded.
    static let widthLimit = 75

    /// The line of the file on which it begins; 0 outside a file.
    var number = 0
    /// The unfolded text.
    var text: String
    /// The lines of the file, if they are folded in other places than ours.
    var pieces: [String]?

    init(_ text: String) {
        self.text = text
    }

    /// Creates a line as it was in a file.
    init(number: Int, text: String, pieces: [String]) {
        self.number = number
        self.text = text
        // Lines over the limit are folded again; only lines that every program can read are kept.
        if pieces.allSatisfy({ $0.utf8.count <= Self.widthLimit }), pieces != Self.folded(text) {
            self.pieces = pieces
        }
    }

    /// Whether both are the same bytes in a file.
    func isWritten(as other: ICalendarLine) -> Bool {
        // `==` ignores canonical differences (é).
        text.utf8.elementsEqual(other.text.utf8) && pieces == other.pieces
    }

    /// Folds a text into lines, none of which ends within a character.
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
    mutating func append(_ line: ICalendarLine) {
        for piece in line.pieces ?? ICalendarLine.folded(line.text) {
            append(contentsOf: piece.utf8)
            append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
        }
    }
}

// The form of a line in `extra`: a string, or an array of its folded lines.
extension ICalendarLine {
    var kept: JSONValue {
        pieces.map { .array($0.map(JSONValue.string)) } ?? .string(text)
    }

    /// Reads a line from `extra`; nil if it is not valid.
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
            // Bytes, because the blank and a following accent are one character.
            let text = pieces.dropFirst().reduce(into: first) { $0 += Substring($1.utf8.dropFirst()) }
            self.init(number: 0, text: text, pieces: pieces)
        default: return nil
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }
}

/// Unfolds content lines: a line of a file that begins with a blank continues the previous one.
struct ICalendarUnfolder {
    private var number = 0
    private var bytes: [UInt8] = []
    private var pieces: [String] = []
    /// Whether one of the lines ends within a character.
    private var isCut = false
    private var problem: RecordProblem?

    /// Takes the next line; returns the previous content line, with its problem if it has one.
    mutating func take(_ line: TextLine) -> (ICalendarLine, RecordProblem?)? {
        var text = line.text
        // Some programs end their lines twice.
        while text.utf8.last == 0x0D { text.unicodeScalars.removeLast() }
        let isMore = text.utf8.first == 0x20 || text.utf8.first == 0x09
        let done = isMore && number > 0 ? nil : end()
        if text.isEmpty { return done }
        if number == 0 {
            number = line.number
            if isMore { problem = RecordProblem("line \(line.number) begins with a blank, but none is before it") }
        }
        append(text, line, isMore: isMore)
        return done
    }

    private mutating func append(_ text: String, _ line: TextLine, isMore: Bool) {
        if let wrong = line.problem, line.invalidBytes.isEmpty || line.invalidBytes.contains(0) {
            problem = problem ?? wrong
        }
        if text.utf8.contains(0x0D) {
            problem = problem ?? RecordProblem("line \(line.number) has a carriage return in it")
        }
        guard pieces.count < ICalendarReader.lineLimit, bytes.count + text.utf8.count <= ICalendarReader.byteLimit
        else {
            problem = RecordProblem("line \(number) goes on for more than \(ICalendarReader.lineLimit) lines or 32 MiB")
            (bytes, pieces) = ([], [])
            return
        }
        if line.invalidBytes.isEmpty {
            bytes += isMore ? text.utf8.dropFirst() : text.utf8[...]
        } else {
            isCut = true
            bytes += isMore ? line.invalidBytes.dropFirst() : line.invalidBytes[...]
        }
        pieces.append(text)
    }

    /// Returns the last content line.
    mutating func end() -> (ICalendarLine, RecordProblem?)? {
        guard number > 0 else { return nil }
        defer { (number, bytes, pieces, isCut, problem) = (0, [], [], false, nil) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let line = ICalendarLine(number: number, text: String(decoding: bytes, as: UTF8.self), pieces: pieces)
            return (line, problem ?? RecordProblem("the text of line \(number) is not valid UTF-8"))
        }
        // A fold within a character cannot be kept as text.
        return (ICalendarLine(number: number, text: text, pieces: isCut ? ICalendarLine.folded(text) : pieces), problem)
    }
}

/// TEXT values: `\\`, `\;`, `\,` and `\n`.
enum ICalendarText {
    /// Escapes a text. Control characters other than the tab are not allowed in iCalendar and are omitted.
    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): escaped += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","): escaped += [UInt8(ascii: "\\"), byte]
            case 0x09: escaped.append(byte)
            case 0..<0x20, 0x7F: continue
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The text of a value.
    static func plain(_ value: String) -> String {
        list(value, separator: nil)[0]
    }

    /// The texts of a value that is a list.
    static func list(_ value: String) -> [String] {
        list(value, separator: UInt8(ascii: ","))
    }

    private static func list(_ value: String, separator: UInt8?) -> [String] {
        var texts: [String] = []
        var text: [UInt8] = []
        var bytes = value.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == separator {
                texts.append(String(decoding: text, as: UTF8.self))
                text = []
            } else if byte != UInt8(ascii: "\\") {
                text.append(byte)
            } else {
                switch bytes.next() {
                case UInt8(ascii: "n")?, UInt8(ascii: "N")?: text.append(UInt8(ascii: "\n"))
                case let escaped?
                where escaped == UInt8(ascii: "\\") || escaped == UInt8(ascii: ";")
                    || escaped == UInt8(ascii: ","):
                    text.append(escaped)
                // Not an escape: both are text.
                case let other?: text += [byte, other]
                case nil: text.append(byte)
                }
            }
        }
        texts.append(String(decoding: text, as: UTF8.self))
        return texts
    }
}
