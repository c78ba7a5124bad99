/// How deep a line stands, in a quotation of so many `>`.
struct MarkdownIndentation {
    /// Where the line begins behind the last `>` of the quotation.
    var start: Int
    /// Where its first character that is not blank stands; the end, if all are.
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

    /// The column behind a blank.
    static func column(after blank: UInt8, at column: Int) -> Int {
        blank == UInt8(ascii: "\t") ? (column / 4 + 1) * 4 : column + 1
    }
}
