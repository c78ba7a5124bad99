import ByteStreams
import CivilTime

/// Reads tables of tasks: the first row names the columns, in any order; each row after it is a task.
struct CommaSeparatedReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()
    private var rows: CommaSeparatedRows?
    private var header: CommaSeparatedHeader?

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if rows == nil {
            if line.text.isEmpty { return }
            if let separator = CommaSeparatedHeader.separatorLine(line.text) {
                rows = CommaSeparatedRows(separator: separator)
                return
            }
            rows = CommaSeparatedRows(separator: CommaSeparatedHeader.separator(of: line.text))
        }
        guard let row = try rows?.take(line) else { return }
        guard let header else { return try takeHeader(row) }
        try receive(row.line, result(of: row, header))
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        try rows?.end()
        if header == nil { throw .malformed(format: .csv, line: 1, reason: "it has no header") }
    }

    private mutating func takeHeader(_ row: CommaSeparatedRows.Row) throws(FileError) {
        do throws(RecordProblem) {
            if let problem = row.problem { throw problem }
            header = try CommaSeparatedHeader(row.fields)
        } catch {
            throw .malformed(format: .csv, line: row.line, reason: error.reason)
        }
    }

    private mutating func result(
        of row: CommaSeparatedRows.Row, _ header: CommaSeparatedHeader
    ) -> Result<TaskDocument, RecordProblem> {
        do throws(RecordProblem) {
            return .success(try document(of: row, header))
        } catch {
            return .failure(error)
        }
    }

    private mutating func document(
        of row: CommaSeparatedRows.Row, _ header: CommaSeparatedHeader
    ) throws(RecordProblem) -> TaskDocument {
        if let problem = row.problem { throw problem }
        let count = header.columns.count
        guard row.fields.count == count else {
            throw RecordProblem("the row has \(row.fields.count) fields, but the header has \(count)")
        }
        var members: [JSONMember] = []
        var unknown: [JSONMember] = []
        for (column, field) in zip(header.columns, row.fields) {
            switch column {
            case .field(let column):
                if let value = try column.value(of: field) {
                    members.append(JSONMember(key: column.rawValue, value: value))
                }
            case .unknown(let name):
                if !field.isEmpty { unknown.append(JSONMember(key: name, value: .string(field))) }
            }
        }
        let isDated = members["updatedAt"] != nil
        let hasID = members["id"] != nil
        let content = members + unknown
        if !hasID {
            let id = identifiers.next(for: JSONValue.canonicalText(of: content), in: .csv)
            members.append(JSONMember(key: "id", value: .string(id.lowercased)))
        }
        var document = try TaskDocument(json: members, now: context.now)
        document.isUndated = !isDated
        document.gaps.id = !hasID
        document.gaps.given = isDated ? nil : header.fields
        if !unknown.isEmpty {
            var kept: [JSONMember] = []
            if case .object(let before)? = document.kept(of: .csv) { kept = before }
            try document.keep(.object(kept + unknown), of: .csv)
        }
        return document
    }
}
