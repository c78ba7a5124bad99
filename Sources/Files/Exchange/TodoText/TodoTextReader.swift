import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Reads todo.txt: every nonblank line is a task.
///
/// Lines that Daybook would write differently, are kept unchanged in
/// `extra` under `todotxt`.
struct TodoTextReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if line.text.utf8.allSatisfy(\.isBlank) { return }
        let record = ReadTask { () throws(RecordProblem) in
            if let problem = line.problem { throw problem }
            return try document(of: line.text)
        }
        try receive(line.number, record)
    }

    private mutating func document(of text: String) throws(RecordProblem) -> ImportedTask {
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

/// Writes todo.txt: one line for each task.
struct TodoTextLayout: TaskLayout {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let context: WritingContext
    private var isFirst = true

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8]) {
        let line = line(of: task).utf8
        // A text that begins like a byte order mark must not be mistaken for one.
        if isFirst, line.starts(with: Self.mark) { bytes += Self.mark }
        isFirst = false
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns a line with an id added.
    static func identified(_ line: String, by id: UUID) -> String {
        "\(line) id:\(id.lowercased)"
    }

    private func line(of task: ImportedTask) -> String {
        var line = TodoTextLine(task, zone: context.zone)
        guard case .string(let original)? = task.kept(of: .todotxt),
            !original.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        else { return line.line }
        let kept = TodoTextLine(original)
        // A line `x` is a text, but with an id after it the `x` is a mark.
        let identified = kept.id == nil ? Self.identified(original, by: task.id) : original
        if means(TodoTextLine(identified), line, of: task) { return identified }
        // The letter stays while it means the same.
        if let letter = kept.priority, PriorityLevels.priority(ofLetter: letter) == task.priority {
            line.priority = letter
        }
        return line.line
    }

    /// Whether reading a kept line gives the present fields of the task.
    private func means(_ kept: TodoTextLine, _ line: TodoTextLine, of task: ImportedTask) -> Bool {
        // A line without a day of creation gets that of the task.
        let context = ReadingContext(zone: context.zone, now: task.createdAt)
        guard let document = try? kept.document(id: kept.id ?? task.id, context) else { return false }
        return TodoTextLine(document, zone: context.zone) == line
    }
}
