/// The formats in which tasks leave and enter the store.
public enum TaskFormat: String, CaseIterable, Sendable {
    /// One object with `exportDate`, `appVersion` and `tasks`, laid out for people.
    case json
    /// Lossless: one record a line, the first line says the format's version.
    case ndjson
    /// What `task export` writes and `task import` reads.
    case taskwarrior
    /// One task a line, as todo.txt has them.
    case todotxt
    /// iCalendar: a VTODO a task (RFC 5545).
    case ics
    /// Check boxes in Markdown, with the date signs of Obsidian Tasks.
    case markdown
    /// A table for spreadsheets (RFC 4180).
    case csv

    /// What the name of a file of this format ends with.
    public var fileSuffix: String {
        switch self {
        case .json: ".json"
        case .ndjson: ".ndjson"
        case .taskwarrior: ".taskwarrior.json"
        case .todotxt: ".txt"
        case .ics: ".ics"
        case .markdown: ".md"
        case .csv: ".csv"
        }
    }
}
