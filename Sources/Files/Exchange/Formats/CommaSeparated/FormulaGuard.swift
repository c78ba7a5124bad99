/// Keeps spreadsheets from running text: an apostrophe before what they would take for a formula makes it text again.
enum FormulaGuard {
    /// The text as a spreadsheet may have it.
    static func added(to text: String) -> String {
        isSuspect(text) ? "'" + text : text
    }

    /// The text as it was before an apostrophe was added.
    static func removed(from field: String) -> String {
        guard field.utf8.first == apostrophe, isSuspect(field) else { return field }
        return String(Substring(field.utf8.dropFirst()))
    }

    private static let apostrophe = UInt8(ascii: "'")

    /// Whether a formula begins here, or apostrophes before one: a text that looks guarded by itself gets one more, so
    /// that taking one away always gives the text back.
    private static func isSuspect(_ text: String) -> Bool {
        switch text.utf8.first(where: { $0 != apostrophe }) {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }
}
