import ByteStreams
import FoundationEssentials
import Tasks

/// The options of an export.
public struct ExportOptions {
    /// Whether the file is compressed with zstd.
    public var isCompressed = false
    /// Whether an existing file may be replaced.
    public var overwrite = false
    /// Whether `csv` has text as it is, even if a spreadsheet would take it for a formula.
    public var isRaw = false
    /// Whether `csv` begins with a byte order mark, by which a spreadsheet recognizes UTF-8.
    public var hasByteOrderMark = false
    /// Called with the progress after every thousand tasks. An error that it throws ends the export.
    public var progress: (FileProgress) throws -> Void = { _ in }

    /// Creates the options of an uncompressed new file.
    public init() {}
}

/// The options of an import.
public struct ImportOptions {
    /// The format; nil to detect it by the content, then by the name.
    public var format: ImportFormat?
    /// How the columns and the dates of a table are read; nil for a table as Daybook writes it.
    public var table: TableOptions?
    /// Whether invalid records are skipped, instead of importing nothing.
    public var skipInvalid = false
    /// Whether the file was checked by `StoreFiles.checkImport`, so that it need not be checked again.
    public var isChecked = false
    /// Called with each record that is skipped.
    public var leftOut: (InvalidRecord) -> Void = { _ in }
    /// Called with the progress, at least a few times a second. An error that it throws ends the import between two
    /// batches: what was written stays, and running the same import again completes it.
    public var progress: (FileProgress) throws -> Void = { _ in }

    /// The bytes that were read in vain, before this reading of the file.
    var bytesReadBefore = 0

    /// Creates the options of an import of all records or none, in the detected format.
    public init() {}
}

/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// The number of records that were written.
    public var imported = 0
    /// The number of records that the store had already, as new or newer.
    public var unchanged = 0
    /// The number of invalid records that were skipped.
    public var skipped = 0
    /// The open tasks that recur by their file and not here: their rules are kept and exported again.
    public var unsupported: [UnsupportedRule] = []

    /// Creates an empty report.
    public init() {}
}

/// A rule of a file that Daybook keeps and does not follow.
public struct UnsupportedRule: Sendable, Equatable {
    /// The number of the record in its file, from 1; lists are not counted.
    public let record: Int
    /// The task.
    public let id: UUID
    /// Why it is not followed.
    public let reason: RecurrenceError

    /// The part that is not supported, by its name in RFC 5545; `RRULE` where the whole is no RRULE.
    public var part: String {
        switch reason {
        case .unsupported(let part), .invalidValue(let part): part
        case .malformedPhrase, .malformedDay, .malformedRule, .malformedPattern: "RRULE"
        }
    }

    /// Returns what is not supported of a record; nil if it recurs here as well, or by its file does not.
    init?(_ record: TaskRecord, number: Int) {
        guard case .task(let task) = record, let reason = task.unsupportedRecurrence else { return nil }
        (self.record, id, self.reason) = (number, task.id, reason)
    }
}

/// The progress of an operation on a file.
public struct FileProgress: Sendable, Equatable {
    /// The part that is done: tasks of an export, records of a snapshot, bytes of an import, which usually reads its file
    /// twice.
    public var done = 0
    /// The whole, if it is known.
    public var total: Int?
    /// What an import has done so far: with the last batch, durable.
    public var report = ImportReport()

    /// Creates a progress, by default of an operation that has not begun.
    public init(done: Int = 0, total: Int? = nil) {
        self.done = done
        self.total = total
    }

    /// The part that is done, from 0 to 1; nil if the whole is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(Double(done) / Double($0), 1) : 1 }
    }
}
