import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Reads CSV: the first row names the columns in any order, each other row is a task.
struct CSVReader: TaskLineReader {
    private let context: ReadingContext
    private var identifiers = LineIdentifiers()
    private var rows: CSVRows?
    private var header: CSVHeader?

    private let table: TableOptions?

    /// - Parameter table: How a table of another program is read; nil for one that Daybook wrote.
    init(_ context: ReadingContext, _ table: TableOptions? = nil) {
        self.context = context
        self.table = table
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if rows == nil, let separator = table?.separator { rows = CSVRows(separator: separator) }
        if rows == nil {
            if line.text.isEmpty { return }
            if let separator = CSVHeader.separatorLine(line.text) {
                rows = CSVRows(separator: separator)
                return
            }
            rows = CSVRows(separator: CSVHeader.separator(of: line.text))
        }
        guard let row = try rows?.take(line) else { return }
        guard let header else { return try takeHeader(row) }
        // A spreadsheet can write rows that have nothing in them.
        if table != nil, row.fields.allSatisfy(\.isEmpty) { return }
        try receive(row.line, ReadTask { () throws(RecordProblem) in try document(of: row, header) })
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        try rows?.end()
        if header == nil { throw .malformed(format: .csv, line: 1, reason: "it has no header") }
    }

    private mutating func takeHeader(_ row: CSVRows.Row) throws(FileError) {
        do throws(RecordProblem) {
            if let problem = row.problem { throw problem }
            header = try CSVHeader(table?.renamed(row.fields) ?? row.fields, isTable: table != nil)
        } catch {
            throw .malformed(format: .csv, line: row.line, reason: error.reason)
        }
    }

    private mutating func document(
        of row: CSVRows.Row, _ header: CSVHeader
    ) throws(RecordProblem) -> ImportedTask {
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
                let cell = try table?.converted(field, of: column, in: context) ?? field
                if let name = Self.listName(in: cell, of: column, header) {
                    members.append(JSONMember(key: "listName", value: .string(name)))
                    continue
                }
                if let value = try column.value(of: cell) {
                    members.append(JSONMember(key: column.name, value: value))
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
        let days = takeDays(in: &members)
        var document = try ImportedTask(json: members, now: context.now, zone: context.zone)
        try document.note(days, in: context.zone)
        document.isUndated = !isDated
        document.gaps.id = !hasID
        if !isDated {
            var given = header.fields.union(
                ["dueDate", "recurrence"].filter(header.fields.contains).flatMap(ImportedTask.fields))
            if document.reminderDay != nil { given.formUnion(ImportedTask.fields(shownAs: "reminderDate")) }
            document.gaps.given = given
        }
        if !unknown.isEmpty {
            var kept: [JSONMember] = []
            if case .object(let before)? = document.kept(of: .csv) { kept = before }
            try document.keep(.object(kept + unknown), of: .csv)
        }
        return document
    }

    /// The name of a list that stands in the column of lists, as people write it; nil for an id.
    private static func listName(in cell: String, of column: CSVColumn, _ header: CSVHeader) -> String? {
        guard column.name == "list", !header.fields.contains("listName") else { return nil }
        let name = FormulaGuard.removed(from: cell).trimmingBlanks
        return name.isEmpty || UUID(uuidString: name) != nil ? nil : name
    }

    /// Replaces days where an instant belongs, as people write them in tables, by their starts. Returns the days.
    private func takeDays(in members: inout [JSONMember]) -> [FileDays.Field: Day] {
        var days: [FileDays.Field: Day] = [:]
        for (index, member) in members.enumerated() {
            guard let field = FileDays.Field(rawValue: member.key),
                ![.scheduledDate, .dueDay, .waitUntil].contains(field),
                let day = try? member.value.day(member.key)
            else { continue }
            days[field] = day
            members[index].value = .string("\(context.zone.beginning(of: day))")
        }
        return days
    }
}

/// Parses rows (RFC 4180): a quoted field may span several lines.
package struct CSVRows {
    /// The limits of a row; a longer one lacks its closing quotation mark.
    static let lineLimit = 100_000
    static let byteLimit = 32 << 20
    static let fieldLimit = 10_000

    package struct Row {
        /// The line on which it begins.
        package fileprivate(set) var line: Int
        package fileprivate(set) var fields: [String]
        var problem: RecordProblem?
    }

    private enum Place {
        case fieldStart, plain, quoted, afterQuote
    }

    private let separator: UInt8
    private var place = Place.fieldStart
    private var row = Row(line: 0, fields: [])
    private var field: [UInt8] = []
    private var byteCount = 0
    private var lineCount = 0
    private var quoteLine = 0

    init(separator: UInt8) {
        self.separator = separator
    }

    /// Returns the rows of a complete text with commas.
    ///
    /// - Throws: `FileError.malformed` for the first row that cannot be read.
    package static func rows(of text: String) throws(FileError) -> [Row] {
        var parser = CSVRows(separator: UInt8(ascii: ","))
        var rows: [Row] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard let row = try parser.take(TextLine(number: index + 1, text: String(line))) else { continue }
            if let problem = row.problem { throw .malformed(format: .csv, line: row.line, reason: problem.reason) }
            rows.append(row)
        }
        try parser.end()
        return rows
    }

    /// Takes the next line; returns the row that ends with it. Empty lines are skipped.
    mutating func take(_ line: TextLine) throws(FileError) -> Row? {
        if place == .fieldStart, row.line == 0 {
            if line.text.isEmpty { return nil }
            row = Row(line: line.number, fields: [])
            (byteCount, lineCount) = (0, 0)
        }
        row.problem = row.problem ?? line.problem
        byteCount += line.text.utf8.count
        lineCount += 1
        guard byteCount <= Self.byteLimit, lineCount <= Self.lineLimit else { throw endless() }
        for byte in line.text.utf8 { take(byte, in: line) }
        if place == .quoted {
            field += line.ending.utf8
            return nil
        }
        endField()
        defer { row = Row(line: 0, fields: []) }
        return row
    }

    /// Takes the end of the file.
    func end() throws(FileError) {
        if place == .quoted { throw endless() }
    }

    private func endless() -> FileError {
        let reason = "a quotation mark in this line has no second one"
        return .malformed(format: .csv, line: quoteLine == 0 ? row.line : quoteLine, reason: reason)
    }

    private mutating func take(_ byte: UInt8, in line: TextLine) {
        let isQuote = byte == UInt8(ascii: "\"")
        switch place {
        case .quoted:
            if isQuote { place = .afterQuote } else { field.append(byte) }
        case _ where byte == separator:
            endField()
        case .fieldStart where isQuote:
            place = .quoted
            quoteLine = line.number
        case .afterQuote where isQuote:
            // Two quotation marks in a field mean one.
            place = .quoted
            field.append(byte)
        case .afterQuote:
            row.problem = row.problem ?? RecordProblem("something follows a quoted field before the separator")
        case .fieldStart, .plain:
            place = .plain
            field.append(byte)
        }
    }

    private mutating func endField() {
        if row.fields.count < Self.fieldLimit {
            row.fields.append(String(decoding: field, as: UTF8.self))
        } else {
            row.problem = row.problem ?? RecordProblem("the row has more than \(Self.fieldLimit) fields")
        }
        field.removeAll(keepingCapacity: true)
        place = .fieldStart
        quoteLine = 0
    }
}
