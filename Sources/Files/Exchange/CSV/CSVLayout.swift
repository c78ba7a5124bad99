import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Writes CSV: one row for each task, one column for each field.
struct CSVLayout: TaskLayout {
    private let context: WritingContext

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {
        bytes += CSVColumn.all.map(\.name).joined(separator: ",").utf8
        bytes += "\r\n".utf8
    }

    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8]) {
        for (index, field) in TaskField.all.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            field.appendCell(task, &bytes, context.isRaw)
        }
        bytes += "\r\n".utf8
    }
}

/// A value that can be a cell of CSV.
protocol CSVValue {
    /// Appends the value.
    ///
    /// - Parameter isRaw: Whether text is written as it is, even if a spreadsheet would take it for a formula.
    func appendCell(to bytes: inout [UInt8], isRaw: Bool)
}

extension String: CSVValue {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) {
        bytes.append(cell: isRaw ? self : FormulaGuard.added(to: self))
    }
}

extension UUID: CSVValue {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { bytes.append(self) }
}

extension Instant: CSVValue {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { bytes.append(self) }
}

extension Day: CSVValue {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { bytes.append(self) }
}

extension Optional: CSVValue where Wrapped: CSVValue {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { self?.appendCell(to: &bytes, isRaw: isRaw) }
}

extension CSVValue where Self: CustomStringConvertible {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { bytes += description.utf8 }
}

extension Bool: CSVValue {}
extension Int: CSVValue {}
extension Int32: CSVValue {}
extension Int64: CSVValue {}
extension UInt8: CSVValue {}
extension UInt32: CSVValue {}

extension CSVValue where Self: TaskChoice {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) { bytes += name.utf8 }
}

extension TaskState: CSVValue {}
extension TaskRegion: CSVValue {}
extension TaskBucket: CSVValue {}
extension TaskPriority: CSVValue {}

extension Array: CSVValue where Element == String {
    func appendCell(to bytes: inout [UInt8], isRaw: Bool) {
        if !isEmpty { NameList.text(of: self).appendCell(to: &bytes, isRaw: isRaw) }
    }
}

/// Several names in one cell, with commas between them.
enum NameList {
    /// Returns the text of names. One with a comma, a quotation mark or a blank at an end is in quotation marks.
    static func text(of names: [String]) -> String {
        names.map { name in
            guard name.contains(where: { ",\"".contains($0) }) || name.first == " " || name.last == " " else {
                return name
            }
            return "\"" + name.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",")
    }

    /// Returns the names in a text. Blanks around a name do not count, and a quotation mark without a second one is part of it.
    static func names(in text: String) -> [String] {
        var rows = CSVRows(separator: UInt8(ascii: ","))
        let line = text.replacing("\n", with: " ").replacing(", ", with: ",")
        if let row = try? rows.take(TextLine(number: 1, text: line)), (try? rows.end()) != nil, row.problem == nil {
            return row.fields
        }
        return text.split(separator: ",").map(String.init)
    }
}

extension [UInt8] {
    /// Writes a text, in quotation marks if needed.
    fileprivate mutating func append(cell text: String) {
        let mark = UInt8(ascii: "\"")
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != mark && byte != UInt8(ascii: ",") && byte != UInt8(ascii: ";")
        }
        if isPlain, text.utf8.first != 0x20, text.utf8.last != 0x20 { return append(contentsOf: text.utf8) }
        append(mark)
        for byte in text.utf8 {
            if byte == mark { append(mark) }
            append(byte)
        }
        append(mark)
    }
}

/// Protects text that spreadsheets would evaluate as a formula by an apostrophe.
enum FormulaGuard {
    /// Returns the protected text.
    static func added(to text: String) -> String {
        isSuspect(text) ? "'" + text : text
    }

    /// Returns the text without the protection.
    static func removed(from field: String) -> String {
        guard field.utf8.first == apostrophe, isSuspect(field) else { return field }
        return String(Substring(field.utf8.dropFirst()))
    }

    private static let apostrophe = UInt8(ascii: "'")

    /// Whether the text begins with a formula, or with apostrophes before one: such a text gets one more apostrophe, so that
    /// removing one always restores it.
    private static func isSuspect(_ text: String) -> Bool {
        switch text.utf8.first(where: { $0 != apostrophe }) {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }
}
