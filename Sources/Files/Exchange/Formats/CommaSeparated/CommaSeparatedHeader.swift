import ByteStreams

/// What the first row of a table says: which column is what, and what stands between fields.
struct CommaSeparatedHeader {
    /// A column: one of ours, or another program's.
    enum Column {
        case field(CommaSeparatedColumn)
        case unknown(String)
    }

    let columns: [Column]
    /// The names of our columns among them.
    let fields: Set<String>

    /// - Throws: what makes every row after it unreadable.
    init(_ names: [String]) throws(RecordProblem) {
        var columns: [Column] = []
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            guard let column = CommaSeparatedColumn(header: name) else {
                // Spreadsheets also write columns that nobody has named.
                let isNew = !name.isEmpty && seen.insert("unknown \(name)").inserted
                columns.append(.unknown(isNew ? name : "\(name) (column \(index + 1))"))
                continue
            }
            guard seen.insert(column.rawValue).inserted else {
                throw RecordProblem("the header has the column `\(column.rawValue)` twice")
            }
            columns.append(.field(column))
        }
        guard seen.contains(CommaSeparatedColumn.text.rawValue) else {
            throw RecordProblem("the header has no column `text`")
        }
        self.columns = columns
        fields = seen
    }

    /// What separates the fields of a header: that of comma, semicolon and tab which gives most columns of ours.
    static func separator(of line: String) -> UInt8 {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        let counts = separators.map { knownColumns(in: line, separator: $0).count }
        guard let most = counts.max(), let index = counts.firstIndex(of: most) else { return UInt8(ascii: ",") }
        return separators[index]
    }

    /// Whether a first line is the header of a table of tasks.
    static func recognises(_ line: String) -> Bool {
        if separatorLine(line) != nil { return true }
        let known = knownColumns(in: line, separator: separator(of: line))
        return known.count >= 2 && known.contains(.text)
    }

    /// What `sep=;` says, the line before the header that Excel reads and writes.
    static func separatorLine(_ line: String) -> UInt8? {
        let bytes = Array(line.utf8)
        guard bytes.count == 5, line.lowercased().hasPrefix("sep="), [0x2C, 0x3B, 0x09].contains(bytes[4])
        else { return nil }
        return bytes[4]
    }

    private static func knownColumns(in line: String, separator: UInt8) -> Set<CommaSeparatedColumn> {
        var rows = CommaSeparatedRows(separator: separator)
        let row = try? rows.take(TextLine(number: 1, text: line))
        return Set((row?.fields ?? []).compactMap(CommaSeparatedColumn.init(header:)))
    }
}
