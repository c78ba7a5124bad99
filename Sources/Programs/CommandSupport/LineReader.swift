import Daybook

/// The lines of an input as they arrive: lines that arrive together are returned together.
package struct LineReader {
    /// One line, without its end.
    package enum Line {
        case text(String)
        /// A line that cannot be the text of a task, and the reason.
        case unusable(String)
    }

    /// A line's number in the input, from 1, and its content.
    package typealias Numbered = (number: Int, line: Line)

    /// The length limit of a text. The rest of a longer line is read and dropped.
    private static let lengthLimit = 16 << 20

    private let input: InputFile
    private var rest: [UInt8] = []
    private var isTooLong = false
    private var number = 0
    private var hasEnded = false

    package init(_ input: InputFile) {
        self.input = input
    }

    /// Returns the next lines, waiting for one; nil at the end. The last line needs no line break.
    package mutating func next() throws(FileError) -> [Numbered]? {
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
        if rest.contains(0) { return (number, .unusable("contains a NUL character")) }
        guard let text = String(validating: rest, as: UTF8.self) else {
            return (number, .unusable("is not valid UTF-8"))
        }
        return (number, .text(text))
    }
}
