/// Reads CSV.
struct CommaSeparatedReader: TaskLineReader {
    private let context: ReadingContext

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(ArchiveError) {
        throw .malformed(format: .csv, line: line.number, reason: "not read yet")
    }

    mutating func end(_ receive: Receive) throws(ArchiveError) {}
}
