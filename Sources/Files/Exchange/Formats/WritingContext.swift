import CivilTime

/// What a writer has to know beside the tasks.
struct WritingContext: Sendable {
    /// When the file is written.
    var exportDate: Instant
    /// The version of the library that writes it.
    var appVersion: String
    /// Where days begin, for formats that know only instants, and where an instant lies, for those that know only days.
    var zone: Zone
    /// Whether text is written as it is, also where a spreadsheet would take it for a formula.
    var isRaw = false
}
