import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A row of a table of another program, by the names of its columns.
struct ForeignRow {
    let cells: [String: String]

    /// The cell of a column, without blanks around it; nil for an empty one.
    subscript(name: String) -> String? {
        guard let cell = cells[name]?.trimmingBlanks, !cell.isEmpty else { return nil }
        return cell
    }

    /// All that is in the row, for the identity of a task that has no other.
    var content: String { cells.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n") }

    /// Keeps the cells of all columns but some.
    func keep(allBut names: Set<String>, in task: inout ForeignTask) {
        for (name, value) in cells.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            task.keep(name, value)
        }
    }
}

/// What the rows of a table of one program mean.
protocol ForeignTable {
    /// The columns by which its header is recognized.
    static var marks: Set<String> { get }
    static var format: ImportFormat { get }

    init(_ context: ReadingContext, _ dates: DatePattern?)

    /// Takes a row; returns the task that is complete with it.
    mutating func take(_ row: ForeignRow) throws(RecordProblem) -> ImportedTask?

    /// Returns the last task, if it waited for more rows.
    mutating func end() throws(RecordProblem) -> ImportedTask?
}

extension ForeignTable {
    mutating func end() throws(RecordProblem) -> ImportedTask? { nil }
}

/// Reads a table of another program: rows before its header do not count.
struct ForeignTableReader<Table: ForeignTable>: TaskLineReader {
    /// How many rows may come before the header.
    private static var limit: Int { 20 }

    private var table: Table
    private var rows: CSVRows?
    private var header: [String]?
    private var skipped = 0
    private var last = 1

    init(_ context: ReadingContext, _ dates: DatePattern?) {
        table = Table(context, dates)
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if rows == nil {
            let commas = line.text.utf8.count { $0 == UInt8(ascii: ",") }
            let semicolons = line.text.utf8.count { $0 == UInt8(ascii: ";") }
            rows = CSVRows(separator: UInt8(ascii: semicolons > commas ? ";" : ","))
        }
        guard let row = try rows?.take(line) else { return }
        last = row.line
        guard let header else {
            if Table.marks.isSubset(of: Set(row.fields.map(\.trimmingBlanks))) {
                self.header = row.fields.map(\.trimmingBlanks)
            } else {
                skipped += 1
                if skipped > Self.limit { throw missing(row.line) }
            }
            return
        }
        if row.fields.allSatisfy({ $0.trimmingBlanks.isEmpty }) { return }
        let cells = Dictionary(zip(header, row.fields)) { first, _ in first }
        try report(row.line, receive) { (table) throws(RecordProblem) in
            if let problem = row.problem { throw problem }
            return try table.take(ForeignRow(cells: cells))
        }
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        try rows?.end()
        guard header != nil else { throw missing(1) }
        try report(last, receive) { (table) throws(RecordProblem) in try table.end() }
    }

    private mutating func report(
        _ line: Int, _ receive: Receive, _ body: (inout Table) throws(RecordProblem) -> ImportedTask?
    ) throws(FileError) {
        let result: ReadTask
        do throws(RecordProblem) {
            guard let task = try body(&table) else { return }
            result = .success(task)
        } catch {
            result = .failure(error)
        }
        try receive(line, result)
    }

    private func missing(_ line: Int) -> FileError {
        let names = Table.marks.sorted().joined(separator: ", ")
        return .malformed(
            format: Table.format.rawValue, line: line, reason: "it has no header with the columns \(names)")
    }
}

extension String {
    /// The text without white space at both ends.
    var trimmingBlanks: String {
        guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
        let rest = drop(while: \.isWhitespace)
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
    }
}
