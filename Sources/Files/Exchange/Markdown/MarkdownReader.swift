import ByteStreams
import FoundationEssentials
import Tasks

/// Reads Markdown: check boxes with the content below them. Other content is not imported.
///
/// Symbols without a field, and tasks that Daybook would write differently, are kept unchanged in `extra` under
/// `markdown`.
struct MarkdownReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()
    private var item: MarkdownItem?
    /// The tasks that the next one may be a part of: their columns and ids, each deeper than the one before.
    private var above: [(column: Int, quotes: Int, id: UUID)] = []
    /// The open code block outside of a task, and its quotation level.
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
        // Text that is not below a task ends its list.
        if item == nil, !line.text.utf8.allSatisfy(\.isBlank) { above = [] }
        if item == nil, let problem = line.problem { try receive(line.number, .failure(problem)) }
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        guard let item else { return }
        self.item = nil
        // An empty box is not a task.
        if item.problem == nil, item.bullet.rest.allSatisfy(\.isBlank) { return }
        let record = ReadTask { () throws(RecordProblem) in
            if let problem = item.problem { throw problem }
            return try document(of: item)
        }
        try receive(item.number, record)
    }

    private mutating func document(of item: MarkdownItem) throws(RecordProblem) -> ImportedTask {
        let task = MarkdownTask(item)
        let line = "[\(item.bullet.box)]" + String(decoding: item.bullet.rest, as: UTF8.self)
        let content = ([line] + item.notes).joined(separator: "\n")
        let id = task.id ?? identifiers.next(for: content, in: .markdown)
        var document = try task.document(id: id, context)
        document.gaps.id = task.id == nil
        above.removeAll { $0.column >= item.column || $0.quotes != item.quotes }
        // A line with an id of ours says by itself what it is a part of: exports have each task where its day puts it.
        if document.parentTaskID == nil, task.id == nil { document.parentTaskID = above.last?.id }
        above.append((item.column, item.quotes, id))
        let original = item.lines.joined(separator: "\n")
        var rewritten = MarkdownTask(document, zone: context.zone)
        // Exports indent a task below the one that it says to be a part of.
        if task.parent != nil, task.lead.allSatisfy({ $0 == " " }) { rewritten.lead = task.lead }
        let written = rewritten.lines
        let isWritten = written.isSpelled(as: task.id == nil ? MarkdownTask.identified(item, by: id) : original)
        // Names of other programs mean something beside their own ids only.
        if !isWritten || !document.gaps.links.blockers.isEmpty {
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
            // The quotation ends, and with it the code block.
            fence = nil
        }
        let content = bytes.drop { $0.isBlank || $0 == UInt8(ascii: ">") }
        fence = MarkdownFence(opening: content)
        fenceQuotes = bytes[..<content.startIndex].count { $0 == UInt8(ascii: ">") }
        return fence != nil
    }
}

/// The lines of one task: the one with the box, and the more deeply indented ones below it.
struct MarkdownItem {
    /// The limits of a task.
    private static let limit = (lines: 100_000, bytes: 32 << 20)

    /// The line of the file on which it begins.
    let number: Int
    let bullet: MarkdownBullet
    private(set) var lines: [String]
    /// The lines of its notes.
    private(set) var notes: [String] = []
    private(set) var problem: RecordProblem?
    /// The code block that is open at its end.
    private(set) var fence: MarkdownFence?

    /// How many levels of quotation it is in, and how far it is indented.
    let quotes: Int
    let column: Int
    private var byteCount = 0
    /// Blank lines: part of the task only if more of it follows.
    private var blanks: [TextLine] = []
    private var blankBytes = 0

    /// Begins a task; nil if the line has no box.
    init?(_ line: TextLine) {
        let bytes = Array(line.text.utf8)[...]
        guard let bullet = MarkdownBullet(bytes), bullet.backslashes.isEmpty else { return nil }
        let quotes = bullet.lead.utf8.count { $0 == UInt8(ascii: ">") }
        guard let indentation = MarkdownIndentation(bytes, quotes: quotes) else { return nil }
        number = line.number
        self.bullet = bullet
        self.quotes = quotes
        column = indentation.column
        lines = [line.text]
        problem = line.problem
    }

    /// Returns the task that a complete text consists of; nil if it is not exactly one.
    init?(whole text: String) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let texts = lines.map { String(Substring($0)) }
        guard let first = texts.first, !text.utf8.contains(UInt8(ascii: "\r")) else { return nil }
        self.init(TextLine(number: 1, text: first))
        for text in texts.dropFirst() {
            guard take(TextLine(number: 1, text: text)) else { return nil }
        }
        guard blanks.isEmpty else { return nil }
    }

    /// Takes the next line if it belongs to the task.
    mutating func take(_ line: TextLine) -> Bool {
        let bytes = Array(line.text.utf8)[...]
        guard let indentation = MarkdownIndentation(bytes, quotes: quotes) else { return false }
        if indentation.content == bytes.endIndex {
            blankBytes += line.text.utf8.count
            guard blanks.count < Self.limit.lines, blankBytes <= Self.limit.bytes else { return false }
            blanks.append(line)
            return true
        }
        guard indentation.column > column else { return false }
        if fence == nil, let bullet = MarkdownBullet(bytes), bullet.backslashes.isEmpty { return false }
        fence.take(bytes[indentation.content...])
        for line in blanks { add(line) }
        blanks = []
        blankBytes = 0
        add(line)
        return true
    }

    private mutating func add(_ line: TextLine) {
        if let problem = line.problem { self.problem = problem }
        byteCount += line.text.utf8.count
        guard lines.count < Self.limit.lines, byteCount < Self.limit.bytes else {
            problem = RecordProblem("the task has more than 100,000 lines, or more than 32 MiB")
            return
        }
        lines.append(line.text)
        let bytes = Array(line.text.utf8)[...]
        let start = MarkdownIndentation(bytes, quotes: quotes)?.start ?? bytes.startIndex
        notes.append(String(decoding: bytes[start...], as: UTF8.self))
    }
}
