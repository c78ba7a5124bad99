import ByteStreams

/// Reads one of the formats that are text in lines: is given line after line, and hands out records.
protocol TaskLineReader {
    /// Takes a record, or what is wrong with it, and the line on which it begins.
    typealias Receive = (_ line: Int, _ record: Result<TaskDocument, RecordProblem>) throws(FileError) -> Void

    /// Takes the next line; hands out what it completes. Throws only for what makes the rest of the file unreadable.
    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError)

    /// Takes the end of the file.
    mutating func end(_ receive: Receive) throws(FileError)
}
