/// The content of a check box.
struct MarkdownBox: Equatable {
    /// The state of the task.
    enum Meaning {
        case notStarted, active, completed, cancelled
    }

    var character: String

    init(_ character: String) {
        self.character = character
    }

    init(_ meaning: Meaning) {
        character =
            switch meaning {
            case .notStarted: " "
            case .active: "/"
            case .completed: "x"
            case .cancelled: "-"
            }
    }

    /// Users give other characters meanings of their choice; such a task is not started.
    var meaning: Meaning {
        switch character {
        case "/": .active
        case "x", "X": .completed
        case "-": .cancelled
        default: .notStarted
        }
    }
}

/// The beginning of a line that has a box: `  > 1. [x]`.
struct MarkdownBullet {
    /// Blanks and `>` before the bullet.
    var lead: String
    /// `-`, `*`, `+`, or a number with `.` or `)`.
    var bullet: String
    /// The character in the box.
    var box: String
    /// Backslashes before the box; with one, it is not a check box.
    var backslashes: Range<Int>
    /// The text after the box.
    var rest: ArraySlice<UInt8>

    /// Reads the beginning of a line; nil if it has no box.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.firstIndex { !$0.isBlank && $0 != UInt8(ascii: ">") } ?? bytes.endIndex
        guard let bulletEnd = Self.bulletEnd(from: start, in: bytes) else { return nil }
        let backslashes = bytes[bulletEnd...].firstIndex { !$0.isBlank } ?? bytes.endIndex
        guard backslashes > bulletEnd else { return nil }
        let bracket = bytes[backslashes...].firstIndex { $0 != UInt8(ascii: "\\") } ?? bytes.endIndex
        guard bytes[bracket...].first == UInt8(ascii: "[") else { return nil }
        // One character of UTF-8 has at most four bytes.
        guard let close = bytes[(bracket + 1)...].prefix(5).dropFirst().firstIndex(of: UInt8(ascii: "]")) else {
            return nil
        }
        let box = String(decoding: bytes[(bracket + 1)..<close], as: UTF8.self)
        let rest = bytes[(close + 1)...]
        guard box.unicodeScalars.count == 1, rest.first?.isBlank != false else { return nil }
        lead = String(decoding: bytes[..<start], as: UTF8.self)
        bullet = String(decoding: bytes[start..<bulletEnd], as: UTF8.self)
        self.box = box
        self.backslashes = backslashes..<bracket
        self.rest = rest
    }

    private static func bulletEnd(from start: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        switch bytes[start...].first {
        case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"):
            return start + 1
        default:
            let digits = bytes[start...].prefix(10).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // More than nine digits are no list in Markdown.
            guard (1...9).contains(digits.count), let sign = bytes[digits.endIndex...].first,
                sign == UInt8(ascii: ".") || sign == UInt8(ascii: ")")
            else { return nil }
            return digits.endIndex + 1
        }
    }
}

/// The indentation of a line in a quotation with the given number of `>`.
struct MarkdownIndentation {
    /// The position after the last `>` of the quotation.
    var start: Int
    /// The position of the first character that is not blank, or of the end.
    var content: Int
    /// The column of that character; a tab goes to the next multiple of four.
    var column: Int

    /// Measures a line; nil if it has fewer `>`.
    init?(_ bytes: ArraySlice<UInt8>, quotes: Int) {
        var start = bytes.startIndex
        for _ in 0..<quotes {
            while start < bytes.endIndex, bytes[start].isBlank { start += 1 }
            guard start < bytes.endIndex, bytes[start] == UInt8(ascii: ">") else { return nil }
            start += 1
        }
        self.start = start
        content = start
        column = 0
        while content < bytes.endIndex, bytes[content].isBlank {
            column = Self.column(after: bytes[content], at: column)
            content += 1
        }
    }

    /// Returns the column after a blank.
    static func column(after blank: UInt8, at column: Int) -> Int {
        blank == UInt8(ascii: "\t") ? (column / 4 + 1) * 4 : column + 1
    }
}

/// The line that opens a code block, and what closes it.
struct MarkdownFence {
    private let character: UInt8
    private let count: Int

    /// Returns the fence that a line opens; `content` begins after its blanks.
    init?(opening content: ArraySlice<UInt8>) {
        guard let character = content.first, character == UInt8(ascii: "`") || character == UInt8(ascii: "~") else {
            return nil
        }
        let rest = content.drop { $0 == character }
        count = rest.startIndex - content.startIndex
        self.character = character
        // Inline code may begin with three backticks as well.
        guard count >= 3, character == UInt8(ascii: "~") || !rest.contains(character) else { return nil }
    }

    /// Whether a line closes the block.
    func isClosed(by content: ArraySlice<UInt8>) -> Bool {
        let rest = content.drop { $0 == character }
        return rest.startIndex - content.startIndex >= count && rest.allSatisfy(\.isBlank)
    }
}

extension MarkdownFence? {
    /// Opens or closes a code block if the line does so.
    mutating func take(_ content: ArraySlice<UInt8>) {
        if let fence = self {
            if fence.isClosed(by: content) { self = nil }
        } else {
            self = MarkdownFence(opening: content)
        }
    }
}
