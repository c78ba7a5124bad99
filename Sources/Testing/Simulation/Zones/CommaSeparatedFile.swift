import FoundationEssentials

/// The rows of a CSV file by the names of its columns.
struct CommaSeparatedFile {
    /// The rows after the heading; the line that each is on counts from 1.
    let rows: [Row]

    struct Row {
        let line: Int
        private let fields: [String: String]
        private let file: String

        fileprivate init(line: Int, fields: [String: String], file: String) {
            self.line = line
            self.fields = fields
            self.file = file
        }

        /// The field of a column, made into what it stands for.
        func value<Value>(_ column: String, _ make: (String) throws -> Value?) throws(ZoneTruthError) -> Value {
            if let text = fields[column], let value = try? make(text) { return value }
            throw .malformedRow(file: file, line: line, column: column)
        }

        /// The text of a column.
        func text(_ column: String) throws(ZoneTruthError) -> String {
            try value(column) { $0 }
        }
    }

    init(at path: String) throws(ZoneTruthError) {
        do {
            self.init(text: try String(contentsOfFile: path, encoding: .utf8), path: path)
        } catch {
            throw .unreadableFile(path: path)
        }
    }

    init(text: String, path: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let heading = lines.first.map(CommaSeparatedFile.fields) ?? []
        rows = lines.enumerated().dropFirst().filter { !$0.element.isEmpty }.map { index, line in
            Row(
                line: index + 1,
                fields: Dictionary(
                    zip(heading, CommaSeparatedFile.fields(of: line)), uniquingKeysWith: { first, _ in first }),
                file: path)
        }
    }

    /// The fields of a line; those in double quotes may hold commas.
    private static func fields(of line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
