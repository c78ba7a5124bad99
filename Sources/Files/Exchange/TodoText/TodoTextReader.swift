import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

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
        let record: Result<ImportedTask, RecordProblem>
        do throws(RecordProblem) {
            if let problem = line.problem { throw problem }
            record = .success(try document(of: line.text))
        } catch {
            record = .failure(error)
        }
        try receive(line.number, record)
    }

    mutating func end(_ receive: Receive) throws(FileError) {}

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

/// Writes todo.txt, a task a line.
struct TodoTextLayout: TaskLayout {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let context: WritingContext
    private var isFirst = true

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {}

    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8]) {
        let line = line(of: task).utf8
        // What looks like a byte order mark would be taken for the file's.
        if isFirst, line.starts(with: Self.mark) { bytes += Self.mark }
        isFirst = false
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func end(_ bytes: inout [UInt8]) {}

    /// The line of a file with the id that it has not got.
    static func identified(_ line: String, by id: UUID) -> String {
        "\(line) id:\(id.lowercased)"
    }

    private func line(of task: ImportedTask) -> String {
        var line = TodoTextLine(task, zone: context.zone)
        guard case .string(let original)? = task.kept(of: .todotxt),
            !original.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        else { return line.line }
        let kept = TodoTextLine(original)
        // A line that is only an `x` is a text, but with an id behind it a mark.
        let identified = kept.id == nil ? Self.identified(original, by: task.id) : original
        if means(TodoTextLine(identified), line, of: task) { return identified }
        line.priority = kept.priority
        return line.line
    }

    /// Whether reading the line of a file would give the fields that the task has now.
    private func means(_ kept: TodoTextLine, _ line: TodoTextLine, of task: ImportedTask) -> Bool {
        // The line may leave open when the task was created: that is then as the task says.
        let context = ReadingContext(zone: context.zone, now: task.createdAt)
        guard let document = try? kept.document(id: kept.id ?? task.id, context) else { return false }
        return TodoTextLine(document, zone: context.zone) == line
    }
}
