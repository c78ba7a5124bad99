import ByteStreams

/// The formats of imports: those that exports have, and those of other programs, which are only read.
public enum ImportFormat: String, CaseIterable, Sendable {
    /// The formats of exports.
    case json, ndjson, taskwarrior, todotxt, ics, markdown, csv
    /// Org mode: headings with a keyword such as TODO, and the boxes below them.
    case org
    /// A project of Todoist, exported as CSV.
    case todoist
    /// A backup of TickTick (CSV).
    case ticktick
    /// The tasks of Google's Takeout (JSON).
    case googleTasks = "google-tasks"
    /// Tasks of Microsoft To Do or Outlook, exported as CSV.
    case microsoftToDo = "microsoft-todo"
    /// The JSON of Things.
    case things

    /// The format of an export.
    public init(_ format: TaskFormat) {
        switch format {
        case .json: self = .json
        case .ndjson: self = .ndjson
        case .taskwarrior: self = .taskwarrior
        case .todotxt: self = .todotxt
        case .ics: self = .ics
        case .markdown: self = .markdown
        case .csv: self = .csv
        }
    }

    /// The format in which such a file can be written; nil for a format that is only read.
    public var written: TaskFormat? { TaskFormat(rawValue: rawValue) }
}
