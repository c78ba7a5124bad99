import CivilTime

/// Reads tasks from files.
public enum TaskReader {
    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - zone: where days that a format knows only as instants are.
    ///   - skipInvalid: whether records that break a rule are left out and listed, instead of refusing the file.
    ///   - now: when a task was created that does not say so; without it, such a task is refused.
    /// - Throws: ``ArchiveError``, with the line of the first record that cannot be taken.
    public static func read(
        _ bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil
    ) throws(ArchiveError) -> TaskImport {
        var result = TaskImport()
        try forEach(in: bytes, format: format, zone: zone, skipInvalid: skipInvalid, now: now) {
            (record) throws(ArchiveError) in
            switch record {
            case .task(let task): result.tasks.append(task)
            case .tombstone(let tombstone): result.tombstones.append(tombstone)
            case .invalid(let invalid): result.invalid.append(invalid)
            }
        }
        return result
    }

    /// Reads a file a record at a time, so that memory stays bounded; the parameters are those of
    /// ``read(_:format:zone:skipInvalid:now:)``.
    ///
    /// A record that is not valid may come after thousands that are: whoever wants all or nothing goes through the file
    /// once without keeping anything, then a second time.
    public static func forEach(
        in bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil,
        _ body: (TaskRecord) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let context = ReadingContext(zone: zone, now: now)
        if var reader = lineReader(of: format, context) {
            return try forEachLine(of: bytes, with: &reader, skipInvalid: skipInvalid, body)
        }
        var scanner = RecordScanner(bytes, format: format, skipsInvalid: skipInvalid)
        switch format {
        case .json:
            try scanner.scanDocument(body) { (members) throws(RecordProblem) in
                .task(try TaskDocument(json: members, now: now))
            }
        case .ndjson:
            try scanner.scanHeader()
            try scanner.scanValues(body) { (members) throws(RecordProblem) in
                try record(ofLine: members, now: now)
            }
        case .taskwarrior:
            try scanner.scanValues(body) { (members) throws(RecordProblem) in
                .task(try Taskwarrior.document(of: members, zone: zone, now: now))
            }
        case .todotxt, .ics, .markdown, .csv:
            break
        }
    }

    private static func lineReader(of format: TaskFormat, _ context: ReadingContext) -> (any TaskLineReader)? {
        switch format {
        case .json, .ndjson, .taskwarrior: nil
        case .todotxt: TodoTextReader(context)
        case .ics: CalendarReader(context)
        case .markdown: MarkdownReader(context)
        case .csv: CommaSeparatedReader(context)
        }
    }

    private static func forEachLine(
        of bytes: [UInt8], with reader: inout any TaskLineReader, skipInvalid: Bool,
        _ body: (TaskRecord) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        func receive(_ line: Int, _ record: Result<TaskDocument, RecordProblem>) throws(ArchiveError) {
            switch record {
            case .success(let task): try body(.task(task))
            case .failure(let problem):
                guard skipInvalid else { throw .invalidRecord(line: line, reason: problem.reason) }
                try body(.invalid(InvalidRecord(line: line, reason: problem.reason)))
            }
        }
        var splitter = LineSplitter()
        try splitter.take(bytes) { (line) throws(ArchiveError) in try reader.take(line, receive) }
        try splitter.end { (line) throws(ArchiveError) in try reader.take(line, receive) }
        try reader.end(receive)
    }

    private static func record(ofLine members: [JSONMember], now: Instant?) throws(RecordProblem) -> TaskRecord {
        let fields = members.filter { $0.key != "collection" }
        switch members["collection"] {
        case .string("tasks"): return .task(try TaskDocument(json: fields, now: now))
        case .string("tombstones"): return .tombstone(try TombstoneDocument(json: fields))
        default: throw RecordProblem("`collection` must be one of tasks, tombstones")
        }
    }
}
