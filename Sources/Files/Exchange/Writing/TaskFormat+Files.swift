import CivilTime

extension TaskFormat {
    /// The media type of such a file.
    public var mediaType: String {
        switch self {
        case .json, .taskwarrior: "application/json"
        case .ndjson: "application/x-ndjson"
        case .todotxt: "text/plain"
        case .ics: "text/calendar"
        case .markdown: "text/markdown"
        case .csv: "text/csv"
        }
    }

    /// Returns the name of the file of all tasks: `daybook-tasks-<day>.json`, with `.zst` at its end if it is compressed.
    ///
    /// - Parameter day: The present day where the person is.
    public func fileName(on day: Day, isCompressed: Bool = false) -> String {
        "daybook-tasks-\(day)\(fileSuffix)\(isCompressed ? ".zst" : "")"
    }
}
