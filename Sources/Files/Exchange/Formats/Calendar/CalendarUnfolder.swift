import ByteStreams

/// Puts content lines together from the lines of a file: one that begins with a blank goes on with the one before.
struct CalendarUnfolder {
    private var number = 0
    private var bytes: [UInt8] = []
    private var pieces: [String] = []
    /// Whether one of the lines ends within a character.
    private var isCut = false
    private var problem: RecordProblem?

    /// Takes the next line; hands out the content line before it, and why it is none.
    mutating func take(_ line: TextLine) -> (CalendarLine, RecordProblem?)? {
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
        guard pieces.count < CalendarReader.lineLimit, bytes.count + text.utf8.count <= CalendarReader.byteLimit else {
            problem = RecordProblem("line \(number) goes on for more than \(CalendarReader.lineLimit) lines or 32 MiB")
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

    /// Hands out the content line that is not handed out yet.
    mutating func end() -> (CalendarLine, RecordProblem?)? {
        guard number > 0 else { return nil }
        defer { (number, bytes, pieces, isCut, problem) = (0, [], [], false, nil) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let line = CalendarLine(number: number, text: String(decoding: bytes, as: UTF8.self), pieces: pieces)
            return (line, problem ?? RecordProblem("the text of line \(number) is not valid UTF-8"))
        }
        // A fold within a character cannot be kept as text; it is mended.
        return (CalendarLine(number: number, text: text, pieces: isCut ? CalendarLine.folded(text) : pieces), problem)
    }
}
