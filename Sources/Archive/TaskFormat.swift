/// The formats in which tasks leave and enter the store.
public enum TaskFormat: String, CaseIterable, Sendable {
    /// One object with `exportDate`, `appVersion` and `tasks`, laid out for people.
    case json
    /// Lossless: one record a line, the first line says the format's version.
    case ndjson
    /// What `task export` writes and `task import` reads.
    case taskwarrior
}
