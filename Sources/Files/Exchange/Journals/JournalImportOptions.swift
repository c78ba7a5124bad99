import FoundationEssentials

/// The order of day and month in a date of numbers.
public enum JournalDateOrder: String, Sendable, CaseIterable {
    /// `24/07/2019`.
    case dayFirst = "day-first"
    /// `07/24/2019`.
    case monthFirst = "month-first"
}

/// The options of an import of a journal.
public struct JournalImportOptions: Sendable {
    /// Whether invalid entries are skipped, instead of importing nothing.
    public var skipInvalid = false
    /// The order of day and month in headings of jrnl such as `07/05/2019`, where none of the file shows it.
    public var dateOrder: JournalDateOrder?

    /// Creates the options of an import of all entries or none.
    public init() {}
}

/// An entry of a file that was not imported, and why.
public struct SkippedEntry: Sendable, Equatable {
    /// Which entry of the file it is, from 1.
    public let number: Int
    /// The line on which it begins, from 1.
    public let line: Int
    /// Its id in the file; nil for none.
    public let id: UUID?
    /// The reason, without the entry's text.
    public let reason: String
}
