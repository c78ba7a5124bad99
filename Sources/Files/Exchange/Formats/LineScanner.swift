import ByteStreams

/// Goes through a file that is text in lines and hands out the records that a reader of its format finds.
struct LineScanner {
    private let source: ByteSource
    private let skipsInvalid: Bool
    private var reader: any TaskLineReader
    private var splitter = LineSplitter()
    /// What the lines so far hold and nobody has taken yet, the next one last.
    private var records: [TaskRecord] = []
    /// What comes after those.
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
        func receive(_ line: Int, _ record: Result<TaskDocument, RecordProblem>) throws(FileError) {
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
            // The records before it are as good as they were.
            failure = error
        }
        records = found.reversed()
    }
}
