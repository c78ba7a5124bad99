import ByteStreams

/// Reads Markdown: the check boxes with what stands below them. All else of the file is not imported.
///
/// What of a task has no field, and a task that Daybook would write otherwise, is kept word for word in `extra` under
/// `markdown`.
struct MarkdownReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()
    private var item: MarkdownItem?
    /// The block of code that is open outside a task, and how many `>` it stands in.
    private var fence: MarkdownFence?
    private var fenceQuotes = 0

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if item?.take(line) == true { return }
        try end(receive)
        if isCode(line) { return }
        item = MarkdownItem(line)
        if item == nil, let problem = line.problem { try receive(line.number, .failure(problem)) }
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        guard let item else { return }
        self.item = nil
        // An empty box is a line to write on.
        if item.problem == nil, item.bullet.rest.allSatisfy(\.isBlank) { return }
        let record: Result<TaskDocument, RecordProblem>
        do throws(RecordProblem) {
            if let problem = item.problem { throw problem }
            record = .success(try document(of: item))
        } catch {
            record = .failure(error)
        }
        try receive(item.number, record)
    }

    private mutating func document(of item: MarkdownItem) throws(RecordProblem) -> TaskDocument {
        let task = MarkdownTask(item)
        let line = "[\(item.bullet.box)]" + String(decoding: item.bullet.rest, as: UTF8.self)
        let content = ([line] + item.notes).joined(separator: "\n")
        let id = task.id ?? identifiers.next(for: content, in: .markdown)
        var document = try task.document(id: id, context)
        document.gaps.id = task.id == nil
        let original = item.lines.joined(separator: "\n")
        let written = MarkdownTask(document, zone: context.zone).lines
        if !written.isSpelled(as: task.id == nil ? MarkdownTask.identified(item, by: id) : original) {
            try document.keep(.string(original), of: .markdown)
        }
        return document
    }

    private mutating func isCode(_ line: TextLine) -> Bool {
        let bytes = Array(line.text.utf8)[...]
        if fence != nil {
            if let indentation = MarkdownIndentation(bytes, quotes: fenceQuotes) {
                fence.take(bytes[indentation.content...])
                return true
            }
            // The quotation is over, and its code with it.
            fence = nil
        }
        let content = bytes.drop { $0.isBlank || $0 == UInt8(ascii: ">") }
        fence = MarkdownFence(opening: content)
        fenceQuotes = bytes[..<content.startIndex].count { $0 == UInt8(ascii: ">") }
        return fence != nil
    }
}
