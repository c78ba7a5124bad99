import ByteStreams

/// Cuts a text file into lines as its bytes come.
struct LineSplitter {
    /// The longest line, in bytes. A file without line ends must not fill the memory.
    static let lineLimit = 32 << 20

    private var rest: [UInt8] = []
    private var number = 0

    /// Takes the next bytes of the file and calls a closure with each line that they complete.
    mutating func take(
        _ bytes: [UInt8], _ body: (TextLine) throws(FileError) -> Void
    ) throws(FileError) {
        var start = 0
        var end = 0
        while end < bytes.count {
            guard bytes[end] == UInt8(ascii: "\n") else {
                end += 1
                continue
            }
            if rest.isEmpty {
                try body(line(bytes[start..<end], ending: "\n"))
            } else {
                rest += bytes[start..<end]
                try body(line(rest[...], ending: "\n"))
                rest = []
            }
            end += 1
            start = end
        }
        rest += bytes[start...]
        if rest.count > Self.lineLimit {
            throw .invalidRecord(line: number + 1, reason: "the line is longer than 32 MiB")
        }
    }

    /// Takes the end of the file.
    mutating func end(_ body: (TextLine) throws(FileError) -> Void) throws(FileError) {
        guard !rest.isEmpty else { return }
        let last = line(rest[...], ending: "")
        rest = []
        try body(last)
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>, ending: String) -> TextLine {
        number += 1
        var bytes = bytes
        var ending = ending
        if ending == "\n", bytes.last == UInt8(ascii: "\r") {
            bytes.removeLast()
            ending = "\r\n"
        }
        // A byte order mark belongs to the file, not to its first line.
        if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var line = TextLine(number: number, text: "", ending: ending)
        if let text = String(validating: bytes, as: UTF8.self) {
            line.text = text
        } else {
            line.text = String(decoding: bytes, as: UTF8.self)
            line.invalidBytes = Array(bytes)
            line.problem = RecordProblem("the text is not valid UTF-8")
        }
        if bytes.contains(0) { line.problem = RecordProblem("the text has a NUL character, which no text may have") }
        return line
    }
}
