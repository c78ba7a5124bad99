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
    /// Called with the progress after every thousand tasks. An error that it throws ends the export.
    public var progress: (FileProgress) throws -> Void = { _ in }

    /// Creates the options of an uncompressed new file.
    public init() {}
}

/// The options of an import.
public struct ImportOptions {
    /// The format; nil to detect it by the content, then by the name.
    public var format: TaskFormat?
    /// Whether invalid records are skipped, instead of importing nothing.
    public var skipInvalid = false
    /// Whether the file was checked by `StoreFiles.checkImport`, so that it need not be checked again.
    public var isChecked = false
    /// Called with each record that is skipped.
    public var leftOut: (InvalidRecord) -> Void = { _ in }
    /// Called with each open task that recurs by its file and not here, and with the reason: its rule is kept and exported again.
    public var unfollowed: (UUID, RecurrenceError) -> Void = { _, _ in }
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
    /// The number of open tasks that recur by their file and not here.
    public var unfollowed = 0

    /// Creates an empty report.
    public init() {}
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
