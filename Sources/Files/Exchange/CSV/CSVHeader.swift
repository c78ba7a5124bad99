import ByteStreams
import FoundationEssentials
import Records

/// A column of a table of tasks: a field, by its key in `json`.
struct CSVColumn: Hashable, Sendable {
    /// The columns in the order of `json`.
    static let all = TaskField.all.map { CSVColumn(name: $0.name, kind: $0.kind) }

    let name: String
    let kind: FieldKind

    private static let byName: [String: CSVColumn] = {
        var columns = Dictionary(uniqueKeysWithValues: all.map { ($0.name.lowercased(), $0) })
        // As the command line shows a task; each stands for several fields.
        for name in ["dueDate", "recurrence"] { columns[name.lowercased()] = CSVColumn(name: name, kind: .instant) }
        for (former, name) in TaskField.formerNames { columns[former.lowercased()] = columns[name.lowercased()] }
        return columns
    }()

    private init(name: String, kind: FieldKind) {
        self.name = name
        self.kind = kind
    }

    /// The column of a name in the header, in upper or lower case.
    init?(header: String) {
        guard let column = Self.byName[header.trimmed.lowercased()] else { return nil }
        self = column
    }

    /// Whether a cell is text that a spreadsheet could take for a formula.
    var isText: Bool { kind == .text && name != "extra" }

    /// Returns the value that `json` has for a cell; nil for an empty one, which means the default.
    func value(of cell: String) throws(RecordProblem) -> JSONValue? {
        if isText { return cell.isEmpty ? nil : .string(FormulaGuard.removed(from: cell)) }
        let cell = cell.trimmed
        if cell.isEmpty { return nil }
        switch kind {
        case .integer, .integer32, .unsigned32, .unsigned8: return .number(cell)
        case .enumeration: return UInt8(cell) == nil ? .string(cell) : .number(cell)
        case .boolean, .booleanDefaultingToTrue:
            guard let value = Booleans.value(cell) else { throw RecordProblem("`\(name)` must be true or false") }
            return .bool(value)
        case .text:
            var parser = JSONParser(Array(cell.utf8))
            guard let value = try? parser.value(), parser.peek() == nil else {
                throw RecordProblem("`extra` must be the JSON text of an object")
            }
            if let problem = parser.problem { throw problem }
            return value
        default: return name == "reminderDate" ? Self.reminder(cell) : .string(cell)
        }
    }

    /// The value of a reminder: an instant, or a day and a time, as an object or with a blank between them.
    private static func reminder(_ cell: String) -> JSONValue {
        var parser = JSONParser(Array(cell.utf8))
        if case .object(let members)? = try? parser.value(), parser.peek() == nil { return .object(members) }
        let words = cell.split(separator: " ")
        guard words.count == 2, Array(words[0].utf8)[...].day != nil else { return .string(cell) }
        return .object(zip(["day", "time"], words).map { JSONMember(key: $0, value: .string(String($1))) })
    }
}

extension String {
    /// Without blanks around it.
    fileprivate var trimmed: String {
        guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
        let start = utf8.firstIndex { $0 > 0x20 } ?? utf8.endIndex
        let end = utf8.lastIndex { $0 > 0x20 }.map(utf8.index(after:)) ?? start
        return String(self[start..<max(start, end)])
    }
}

/// The header of a table: its columns and its separator.
struct CSVHeader {
    /// A known or an unknown column.
    enum Column {
        case field(CSVColumn)
        case unknown(String)
    }

    let columns: [Column]
    /// The names of our columns among them.
    let fields: Set<String>

    /// - Throws: what makes every row after it unreadable.
    ///
    /// - Parameter isTable: Whether somebody has said that it is a table, so that an error may name its columns.
    init(_ names: [String], isTable: Bool = false) throws(RecordProblem) {
        var columns: [Column] = []
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            guard let column = CSVColumn(header: name) else {
                // Spreadsheets also write columns without a name.
                let isNew = !name.isEmpty && seen.insert("unknown \(name)").inserted
                columns.append(.unknown(isNew ? name : "\(name) (column \(index + 1))"))
                continue
            }
            guard seen.insert(column.name).inserted else {
                throw RecordProblem("the header has the column `\(column.name)` twice")
            }
            columns.append(.field(column))
        }
        guard seen.contains("text") else {
            // What is in a file that is no table must not be quoted.
            let found = isTable ? ". It has \(Self.list(names))" : ""
            throw RecordProblem(
                "the header has no column `text`\(found): name the column with the tasks' texts, as in --columns text=Title"
            )
        }
        self.columns = columns
        fields = seen
    }

    /// The names of columns as a text.
    static func list(_ names: [String]) -> String {
        names.prefix(40).map { String($0.prefix(60)) }.joined(separator: ", ")
    }

    /// Returns the separator of a header: comma, semicolon or tab, whichever gives most known columns.
    static func separator(of line: String) -> UInt8 {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        let counts = separators.map { knownColumns(in: line, separator: $0).count }
        guard let most = counts.max(), most > 0, let index = counts.firstIndex(of: most) else {
            let uses = separators.map { separator in line.utf8.count { $0 == separator } }
            return uses.max().flatMap { uses.firstIndex(of: $0) }.map { separators[$0] } ?? UInt8(ascii: ",")
        }
        return separators[index]
    }

    /// Whether a line is the header of a table of tasks.
    static func recognises(_ line: String) -> Bool {
        if separatorLine(line) != nil { return true }
        let known = knownColumns(in: line, separator: separator(of: line))
        return known.count >= 2 && known.contains { $0.name == "text" }
    }

    /// Returns the separator of a line `sep=;`, which Excel writes before the header.
    static func separatorLine(_ line: String) -> UInt8? {
        let bytes = Array(line.utf8)
        guard bytes.count == 5, line.lowercased().hasPrefix("sep="), [0x2C, 0x3B, 0x09].contains(bytes[4])
        else { return nil }
        return bytes[4]
    }

    private static func knownColumns(in line: String, separator: UInt8) -> Set<CSVColumn> {
        var rows = CSVRows(separator: separator)
        let row = try? rows.take(TextLine(number: 1, text: line))
        return Set((row?.fields ?? []).compactMap(CSVColumn.init(header:)))
    }
}
