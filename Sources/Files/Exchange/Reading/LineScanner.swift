import ByteStreams
import Tasks

/// Reads the records of a text file line by line.
struct LineScanner {
    private let source: ByteSource
    private let skipsInvalid: Bool
    private var reader: any TaskLineReader
    private var splitter = LineSplitter()
    /// The records that were read and not returned yet, the next one last.
    private var records: [TaskRecord] = []
    /// The error after these records.
    private var failure: FileError?
    private var isAtEnd = false

    init(_ source: @escaping ByteSource, _ reader: any TaskLineReader, skipsInvalid: Bool) {
        self.source = source
        self.reader = reader
        self.skipsInvalid = skipsInvalid
    }

    /// The next record; nil at the end.
    mutating func next() throws(FileError) -> TaskRecord? {
        while true {
            if let record = records.popLast() { return record }
            if let failure { throw failure }
            if isAtEnd { return nil }
            try readOn()
        }
    }

    private mutating func readOn() throws(FileError) {
        let skipsInvalid = skipsInvalid
        var found: [TaskRecord] = []
        func receive(_ line: Int, _ record: ReadTask) throws(FileError) {
            switch record {
            case .success(let task): found.append(.task(task))
            case .failure(let problem):
                guard skipsInvalid else { throw .invalidRecord(line: line, reason: problem.reason) }
                found.append(.invalid(InvalidRecord(line: line, reason: problem.reason)))
            }
        }
        let part = try source()
        do throws(FileError) {
            if part.isEmpty {
                isAtEnd = true
                try splitter.end { (line) throws(FileError) in try reader.take(line, receive) }
                try reader.end(receive)
            } else {
                try splitter.take(part) { (line) throws(FileError) in try reader.take(line, receive) }
            }
        } catch {
            // The records before it remain valid.
            failure = error
        }
        records = found.reversed()
    }
}

/// A task as a reader found it, or its problem.
typealias ReadTask = Result<ImportedTask, RecordProblem>

/// A reader of a line-based format.
protocol TaskLineReader {
    /// Receives a record or its problem, with the line on which it begins.
    typealias Receive = (_ line: Int, _ record: ReadTask) throws(FileError) -> Void

    /// Takes the next line and reports the records that it completes. Throws only if the rest of the file is unreadable.
    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError)

    /// Takes the end of the file.
    mutating func end(_ receive: Receive) throws(FileError)
}

extension TaskLineReader {
    mutating func end(_ receive: Receive) throws(FileError) {}
}

/// Splits the bytes of a text file into lines.
struct LineSplitter {
    /// The length limit of a line in bytes, so that memory stays bounded.
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

/// One line of a text file.
struct TextLine: Sendable, Equatable {
    /// Its number, from 1.
    var number: Int
    /// The line without its ending. Invalid UTF-8 is replaced and noted in `problem`.
    var text: String
    /// The ending: "\n", "\r\n", or nothing at the end of the file.
    var ending: String = "\n"
    /// The bytes if they are not UTF-8: in iCalendar a line may be folded within a character.
    var invalidBytes: [UInt8] = []
    /// The reason why no record can be made of it.
    var problem: RecordProblem?
}
