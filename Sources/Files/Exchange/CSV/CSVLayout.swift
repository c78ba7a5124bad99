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
            switch field.value(task) {
            case nil: break
            case let text as String where field.name == "extra": bytes.append(cell: text)
            case let text as String: bytes.append(cell: guarded(text))
            case let id as UUID: bytes.append(id)
            case let instant as Instant: bytes.append(instant)
            case let day as Day: bytes.append(day)
            case let choice as any TaskChoice: bytes += choice.name.utf8
            case let value?: bytes += "\(value)".utf8
            }
        }
        bytes += "\r\n".utf8
    }

    mutating func end(_ bytes: inout [UInt8]) {}

    private func guarded(_ text: String) -> String {
        context.isRaw ? text : FormulaGuard.added(to: text)
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
