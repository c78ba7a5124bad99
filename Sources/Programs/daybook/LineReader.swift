import Daybook

/// The lines of an input as they arrive: those that come together are handed out together.
struct LineReader {
    /// One line, without its end.
    enum Line {
        case text(String)
        /// A line that cannot become a task's text, and why.
        case unusable(String)
    }

    /// A line's place in the input, from 1, and what it holds.
    typealias Numbered = (number: Int, line: Line)

    /// No text is longer; the rest of such a line is read and forgotten.
    private static let lengthLimit = 16 << 20

    private let input: InputFile
    private var rest: [UInt8] = []
    private var isTooLong = false
    private var number = 0
    private var hasEnded = false

    init(_ input: InputFile) {
        self.input = input
    }

    /// The next lines, waiting for one; nil at the end. A last line needs no line break.
    mutating func next() throws(FileError) -> [Numbered]? {
        while !hasEnded {
            let chunk = try input.chunk()
            var lines: [Numbered] = []
            if chunk.isEmpty {
                hasEnded = true
                if !rest.isEmpty || isTooLong { lines.append(takeLine()) }
            }
            for piece in chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
                if piece.offset > 0 { lines.append(takeLine()) }
                add(piece.element)
            }
            if !lines.isEmpty { return lines }
        }
        return nil
    }

    private mutating func add(_ piece: ArraySlice<UInt8>) {
        guard !isTooLong, rest.count + piece.count <= Self.lengthLimit else {
            isTooLong = true
            rest = []
            return
        }
        rest += piece
    }

    private mutating func takeLine() -> Numbered {
        defer {
            rest = []
            isTooLong = false
        }
        number += 1
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        if isTooLong { return (number, .unusable("is longer than 16 MiB")) }
        if rest.contains(0) { return (number, .unusable("holds a NUL character")) }
        guard let text = String(validating: rest, as: UTF8.self) else {
            return (number, .unusable("is not valid UTF-8"))
        }
        return (number, .text(text))
    }
}
