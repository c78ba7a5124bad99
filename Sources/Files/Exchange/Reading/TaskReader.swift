import ByteStreams
import CivilTime
import Tasks

/// Reads the records of a file one by one, with bounded memory.
///
/// ```swift
/// var reader = try TaskReader(file.bytes(), format: .json, zone: zone)
/// while let record = try reader.next() { ... }
/// ```
/// An invalid record may follow thousands of valid ones: to import all or nothing, read the file once
/// to check it, then a second time.
public struct TaskReader {
    // Two of the three are nil. An enumeration would be copied for every record.
    private var values: RecordScanner?
    private var lines: LineScanner?
    private var foreign: ForeignJSONReader?
    /// Whether a task of the file that gives no place among its parent's parts has the first one, as in our own formats.
    private let statesSubtaskOrder: Bool

    /// Creates a reader at the beginning of a file.
    ///
    /// - Parameters:
    ///   - source: The decompressed bytes.
    ///   - zone: The zone for the conversion between days and instants.
    ///   - skipInvalid: Whether invalid records are returned as such, instead of throwing an error.
    ///   - now: The time of creation of tasks without one; if nil, such tasks are refused.
    /// - Throws: Errors of the source.
    public init(
        _ source: @escaping ByteSource, format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil
    ) throws(FileError) {
        try self.init(
            source, format: format, zone: zone, skipInvalid: skipInvalid, now: now, windowSize: 1 << 18)
    }

    /// Creates a reader of a file that may be one of another program.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - table: How the columns and the dates of a table are read.
    public init(
        _ source: @escaping ByteSource, format: ImportFormat, table: TableOptions? = nil, zone: Zone,
        skipInvalid: Bool = false, now: Instant? = nil
    ) throws(FileError) {
        if let written = format.written, written != .csv || table == nil {
            try self.init(source, format: written, zone: zone, skipInvalid: skipInvalid, now: now)
            return
        }
        let context = ReadingContext(zone: zone, now: now)
        func scanner(_ reader: some TaskLineReader) -> LineScanner {
            LineScanner(source, reader, skipsInvalid: skipInvalid)
        }
        switch format {
        case .org: self.init(scanner(OrgReader(context)))
        case .todoist: self.init(scanner(ForeignTableReader<TodoistTable>(context, table?.dates)))
        case .ticktick: self.init(scanner(ForeignTableReader<TickTickTable>(context, table?.dates)))
        case .microsoftToDo: self.init(scanner(ForeignTableReader<MicrosoftToDoTable>(context, table?.dates)))
        case .googleTasks, .things:
            self.init(foreign: try ForeignJSONReader(source, format, context, skipsInvalid: skipInvalid))
        case .csv, .json, .ndjson, .taskwarrior, .todotxt, .ics, .markdown:
            self.init(scanner(CSVReader(context, table)))
        }
    }

    /// Another program's file, or a table whose columns the caller has named.
    private init(_ lines: LineScanner? = nil, foreign: ForeignJSONReader? = nil) {
        self.lines = lines
        self.foreign = foreign
        statesSubtaskOrder = false
    }

    /// Creates a reader with another size of the window, for the fuzzer.
    package init(
        _ source: @escaping ByteSource, format: TaskFormat, zone: Zone, skipInvalid: Bool, now: Instant?,
        windowSize: Int
    ) throws(FileError) {
        let context = ReadingContext(zone: zone, now: now)
        statesSubtaskOrder = [.json, .ndjson, .csv].contains(format)
        switch format {
        case .json:
            let window = try JSONWindow(source, size: windowSize)
            values = RecordScanner(
                window, format: format, .document, skipsInvalid: skipInvalid,
                readPlain: { bytes, position in
                    PlainTaskParser.task(in: bytes, at: position, isLine: false).map { (.task($0), $1) }
                }
            ) {
                (members) throws(RecordProblem) in .task(try ImportedTask(json: members, now: now, zone: zone))
            }
        case .ndjson:
            let window = try JSONWindow(source, size: windowSize)
            values = RecordScanner(
                window, format: format, .headedValues, skipsInvalid: skipInvalid,
                readPlain: { bytes, position in
                    PlainTaskParser.task(in: bytes, at: position, isLine: true).map { (.task($0), $1) }
                }
            ) {
                (members) throws(RecordProblem) in try Self.record(ofLine: members, now: now, zone: zone)
            }
        case .taskwarrior:
            let window = try JSONWindow(source, size: windowSize)
            values = RecordScanner(window, format: format, .values, skipsInvalid: skipInvalid) {
                (members) throws(RecordProblem) in
                .task(try Taskwarrior.document(of: members, zone: zone, now: now))
            }
        case .todotxt: lines = LineScanner(source, TodoTextReader(context), skipsInvalid: skipInvalid)
        case .ics: lines = LineScanner(source, ICalendarReader(context), skipsInvalid: skipInvalid)
        case .markdown: lines = LineScanner(source, MarkdownReader(context), skipsInvalid: skipInvalid)
        case .csv: lines = LineScanner(source, CSVReader(context), skipsInvalid: skipInvalid)
        }
    }

    /// Returns the next record; nil at the end.
    ///
    /// - Throws: ``FileError``, with the line of the first record that cannot be taken.
    public mutating func next() throws(FileError) -> TaskRecord? {
        if statesSubtaskOrder { return try values != nil ? values?.next() : lines?.next() }
        var record = try values != nil ? values?.next() : foreign != nil ? foreign?.next() : lines?.next()
        if case .task(var task) = record, task.parentTaskID != nil, task.subtaskOrder == 0 {
            task.gaps.subtaskOrder = true
            record = .task(task)
        }
        return record
    }

    private static func record(
        ofLine members: [JSONMember], now: Instant?, zone: Zone
    ) throws(RecordProblem) -> TaskRecord {
        let fields = members.filter { $0.key != "collection" }
        switch members["collection"] {
        case .string("tasks"): return .task(try ImportedTask(json: fields, now: now, zone: zone))
        case .string("lists"): return .list(try CustomList(json: fields))
        case .string("tombstones"): return .tombstone(try Tombstone(json: fields))
        default: throw RecordProblem("`collection` must be one of lists, tasks, tombstones")
        }
    }
}

extension TaskReader {
    /// Reads all records of a file; the parameters are those of the initializer.
    public static func read(
        _ bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil
    ) throws(FileError) -> TaskImport {
        var result = TaskImport()
        try forEach(in: bytes, format: format, zone: zone, skipInvalid: skipInvalid, now: now) {
            (record) throws(FileError) in
            switch record {
            case .list(let list): result.lists.append(list)
            case .task(let task): result.tasks.append(task)
            case .tombstone(let tombstone): result.tombstones.append(tombstone)
            case .invalid(let invalid): result.invalid.append(invalid)
            }
        }
        return result
    }

    /// Calls a closure with each record of a file that is in memory.
    public static func forEach(
        in bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil,
        _ body: (TaskRecord) throws(FileError) -> Void
    ) throws(FileError) {
        var reader = try TaskReader(
            byteSource(of: bytes), format: format, zone: zone, skipInvalid: skipInvalid, now: now)
        while let record = try reader.next() { try body(record) }
    }
}

/// The context of an import.
struct ReadingContext: Sendable {
    /// The zone for the conversion between days and instants.
    var zone: Zone
    /// The time of creation of tasks without one; if nil, such tasks are refused.
    var now: Instant?
}
