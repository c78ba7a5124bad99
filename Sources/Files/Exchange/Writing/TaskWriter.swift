import ByteStreams
import CivilTime
import Records
import Tasks

/// Writes tasks to a file, one record at a time, with bounded memory.
///
/// ```swift
/// var writer = TaskWriter(format: .json, exportDate: now) { (bytes) throws(FileError) in try file.write(bytes) }
/// for task in tasks { try writer.append(task) }
/// try writer.finish()
/// ```
public struct TaskWriter {
    /// Takes the next part of the file.
    public typealias Sink = ([UInt8]) throws(FileError) -> Void

    private static let chunkSize = 64 * 1024

    private let format: TaskFormat
    private let zone: Zone
    private let sink: Sink
    private var json: JSONWriter
    private var layout: (any TaskLayout)?
    private var bytes: [UInt8] = []
    private var isEmpty = true

    /// Creates a writer; nothing reaches the sink before the first 64 KiB or the end.
    ///
    /// - Parameters:
    ///   - pretty: Whether `json` is indented; the other formats have a fixed layout.
    ///   - exportDate: The time of the export, for `json`.
    ///   - appVersion: The version of the writing program, for `json`.
    ///   - zone: The zone in which days begin, for formats that have only instants.
    ///   - lists: The lists that `json` and `ndjson` describe before the tasks. Other formats have the names of tasks' lists.
    ///   - isRaw: Whether `csv` has text as it is, even if a spreadsheet would take it for a formula.
    public init(
        format: TaskFormat, pretty: Bool = true, exportDate: Instant, appVersion: String = LibraryVersion.current,
        zone: Zone = .utc,
        lists: [CustomList] = [], isRaw: Bool = false, sink: @escaping Sink
    ) {
        self.format = format
        self.zone = zone
        self.sink = sink
        let context = WritingContext(exportDate: exportDate, appVersion: appVersion, zone: zone, isRaw: isRaw)
        layout = Self.layout(of: format, context)
        json = JSONWriter(pretty && format == .json ? .pretty : .compact)
        switch format {
        case .json:
            json.beginObject()
            json.field("exportDate", exportDate)
            json.field("appVersion", appVersion)
            if !lists.isEmpty { json.field("lists", lists) }
            json.key("tasks")
            json.beginArray()
        case .ndjson:
            json.object { json in
                json.field("format", "daybook")
                json.field("version", RecordScanner.supportedVersion)
            }
            json.newline()
            for list in lists { line("lists") { list.writeFields(to: &$0) } }
        case .taskwarrior:
            json.raw("[")
            json.newline()
        case .todotxt, .ics, .markdown, .csv:
            layout?.begin(&bytes)
        }
    }

    private static func layout(of format: TaskFormat, _ context: WritingContext) -> (any TaskLayout)? {
        switch format {
        case .json, .ndjson, .taskwarrior: nil
        case .todotxt: TodoTextLayout(context)
        case .ics: ICalendarLayout(context)
        case .markdown: MarkdownLayout(context)
        case .csv: CSVLayout(context)
        }
    }

    /// Writes a task.
    public mutating func append(_ task: ImportedTask) throws(FileError) { try append(task, depth: 0) }

    /// Writes a task.
    ///
    /// - Parameter depth: How many of the tasks that it is a part of were written above it, for formats that indent.
    mutating func append(_ task: ImportedTask, depth: Int) throws(FileError) {
        let task = task.withShiftedExtra(in: zone)
        switch format {
        case .json:
            json.value(task)
        case .ndjson:
            line("tasks") { task.writeFields(to: &$0) }
        case .taskwarrior:
            if !isEmpty {
                json.separator()
                json.newline()
            }
            json.value(JSONValue.object(Taskwarrior.attributes(of: task, zone: zone)))
        case .todotxt, .ics, .markdown, .csv:
            layout?.append(task, depth: depth, to: &bytes)
        }
        isEmpty = false
        try flush(atLeast: Self.chunkSize)
    }

    /// Writes a tombstone. Formats other than `ndjson` omit it.
    public mutating func append(_ tombstone: Tombstone) throws(FileError) {
        guard format == .ndjson else { return }
        line("tombstones") { tombstone.writeFields(to: &$0) }
        try flush(atLeast: Self.chunkSize)
    }

    /// Writes the end of the file, which is incomplete without it.
    public mutating func finish() throws(FileError) {
        switch format {
        case .json:
            json.endArray()
            json.endObject()
            json.newline()
        case .ndjson:
            break
        case .taskwarrior:
            if !isEmpty { json.newline() }
            json.raw("]")
            json.newline()
        case .todotxt, .ics, .markdown, .csv:
            layout?.end(&bytes)
        }
        try flush(atLeast: 1)
    }

    private mutating func line(_ collection: String, _ fields: (inout JSONWriter) -> Void) {
        json.object { json in
            json.field("collection", collection)
            fields(&json)
        }
        json.newline()
    }

    private mutating func flush(atLeast size: Int) throws(FileError) {
        if json.bytes.count >= size { try sink(json.take()) }
        if bytes.count >= size {
            try sink(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }
}

/// Writes tasks in one format, to the end of a buffer that the caller empties.
protocol TaskLayout {
    /// Writes what comes before the first task.
    mutating func begin(_ bytes: inout [UInt8])

    /// Writes a task.
    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8])

    /// Writes a task below those that it is a part of.
    mutating func append(_ task: ImportedTask, depth: Int, to bytes: inout [UInt8])

    /// Writes what comes after the last task.
    mutating func end(_ bytes: inout [UInt8])
}

extension TaskLayout {
    mutating func begin(_ bytes: inout [UInt8]) {}
    mutating func append(_ task: ImportedTask, depth: Int, to bytes: inout [UInt8]) { append(task, to: &bytes) }
    mutating func end(_ bytes: inout [UInt8]) {}
}

/// The context of an export.
struct WritingContext: Sendable {
    /// The time of the export.
    var exportDate: Instant
    /// The version of the library that writes it.
    var appVersion: String
    /// The zone for the conversion between days and instants, for formats that have only one of them.
    var zone: Zone
    /// Whether text is written as it is, even if a spreadsheet would take it for a formula.
    var isRaw = false
}
