/// The beginning of a line that has a box: `  > 1. [x]`.
struct MarkdownBullet {
    /// Blanks and `>` before the bullet.
    var lead: String
    /// `-`, `*`, `+`, or a number with `.` or `)`.
    var bullet: String
    /// The character in the box.
    var box: String
    /// Backslashes before the box: with one it is no box.
    var backslashes: Range<Int>
    /// What stands behind the box.
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
