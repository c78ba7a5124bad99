import ByteStreams

/// Reads todo.txt: every line that is not blank is a task.
///
/// What of a line has no field (the priority), and a line that Daybook would write otherwise, is kept word for word in
/// `extra` under `todotxt`.
struct TodoTextReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if line.text.utf8.allSatisfy(\.isBlank) { return }
        let record: Result<TaskDocument, RecordProblem>
        do throws(RecordProblem) {
            if let problem = line.problem { throw problem }
            record = .success(try document(of: line.text))
        } catch {
            record = .failure(error)
        }
        try receive(line.number, record)
    }

    mutating func end(_ receive: Receive) throws(FileError) {}

    private mutating func document(of text: String) throws(RecordProblem) -> TaskDocument {
        let line = TodoTextLine(text)
        let id = line.id ?? identifiers.next(for: text, in: .todotxt)
        var document = try line.document(id: id, context)
        document.gaps.id = line.id == nil
        let written = TodoTextLine(document, zone: context.zone).line
        if !written.isSpelled(as: line.id == nil ? TodoTextLayout.identified(text, by: id) : text) {
            try document.keep(.string(text), of: .todotxt)
        }
        return document
    }
}
