import ByteStreams
import CivilTime
import Exchange
import FoundationEssentials
import Journals
import Records
import Snapshots
import Tasks

/// A file or a folder: its path, or its URL.
public protocol FileLocation: Sendable {
    /// The path.
    var filePath: String { get }
}

extension String: FileLocation {
    /// This path.
    public var filePath: String { self }
}

extension URL: FileLocation {
    /// The path of the URL.
    public var filePath: String { path }
}

/// The files of a store: exports, imports and snapshots.
///
///     try store.files.export(to: file, as: .ndjson)
///     let report = try await store.files.import(file)
///     let snapshot = try await store.files.snapshot(to: backup)
///     try await StoreFiles.restore(backup, to: folder)
///
/// Memory stays bounded for files of any size, and others read and write in the meantime.
public struct StoreFiles: Sendable {
    let store: RecordStore
    /// The lock of the journals, which closes the files of threads as well.
    let lock: JournalLock
    private let transfer: TaskTransfer

    init(_ store: RecordStore, _ tasks: TaskList, _ lock: JournalLock) {
        self.store = store
        self.lock = lock
        transfer = TaskTransfer(tasks, context: store.context)
    }

    // MARK: Export

    /// Exports every task to a file, from one consistent snapshot. The file is complete or does not exist.
    ///
    /// - Throws: `FileError`: `busy` while another export of this store runs in this process, `targetExists` if the file
    ///   exists and `options.overwrite` is false; what `options.progress` throws.
    public func export(to file: URL, as format: TaskFormat, options: ExportOptions = ExportOptions()) throws {
        try repeatingLostSnapshots {
            let file = try AtomicFile(path: file.path, overwrite: options.overwrite)
            try export(as: format, options: options) { (bytes) throws(FileError) in try file.write(bytes) }
            try file.commit()
        }
    }

    /// Runs an operation that writes a file, and once more from its beginning, a few times, if the state that it read was lost: where
    /// this process cannot use the store's lock file, others may reuse the pages.
    package func repeatingLostSnapshots<Result>(_ operation: () throws -> Result) throws -> Result {
        for _ in 0..<4 {
            do {
                return try operation()
            } catch RecordsError.engine(.snapshotLost), TaskError.store(.engine(.snapshotLost)) {
                continue
            }
        }
        return try operation()
    }

    /// Exports every task to a sink, in chunks, from one consistent snapshot.
    ///
    /// - Throws: `FileError.busy` while another export of this store runs in this process; what the sink throws.
    public func export(
        as format: TaskFormat, options: ExportOptions = ExportOptions(), to sink: @escaping TaskWriter.Sink
    ) throws {
        try transfer.export(as: format, options: options, of: store.environment, to: sink)
    }

    // MARK: Import

    /// Imports the records of a file: of two versions of a task the newer is kept, so that importing a file again changes
    /// nothing. Each transaction writes a thousand records; all are undone as one if no other write came in between.
    ///
    /// All records are read and checked before the first is written, unless invalid records are skipped. Running an
    /// interrupted import again completes it.
    ///
    /// - Throws: `FileError` with the line of the first invalid record; what `options.progress` throws.
    @discardableResult
    public func `import`(_ file: URL, options: ImportOptions = ImportOptions()) async throws -> ImportReport {
        try await `import`(TaskFile(path: file.path), options: options)
    }

    /// Imports the records of a file that is in memory, of standard input or of any source of bytes.
    @discardableResult
    public func `import`(_ file: TaskFile, options: ImportOptions = ImportOptions()) async throws -> ImportReport {
        try await transfer.import(file, options: options)
    }

    /// Imports records that are in memory.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - format: The format that they were read from, for records without a time of change.
    @discardableResult
    public func `import`(_ records: TaskImport, format: TaskFormat = .json) async throws -> ImportReport {
        try await transfer.import(records, format: format, batch: nil) {}
    }

    /// Imports records in transactions of a given size, and calls a closure after each, for the crash lab.
    package func `import`(
        _ records: TaskImport, format: TaskFormat = .json, batch recordLimit: Int,
        acknowledged: @escaping @Sendable () throws -> Void
    ) async throws -> ImportReport {
        try await transfer.import(records, format: format, batch: recordLimit, acknowledged: acknowledged)
    }

    /// Imports the records of a file into a new store, which appears with all of them, or not at all.
    ///
    /// The store is built inside its folder and takes its place once it is durable.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - folder: A folder that does not exist or is empty.
    ///   - context: Clock, zone and random source; by default those of the system.
    ///   - records: The collections of your own record types.
    ///   - options: Format, invalid records, progress.
    /// - Throws: `FileError` with the line of the first invalid record, `targetExists`; what `options.progress` throws.
    @discardableResult
    public static func `import`(
        _ file: TaskFile, intoNewStoreAt folder: String, context: Context = .system, records: Schema = Schema(),
        options: ImportOptions = ImportOptions()
    ) async throws -> ImportReport {
        let place = try RestoredFolder(folder, replacing: false)
        let daybook = try DaybookStore.open(at: place.draft, context: context, records: records)
        defer { daybook.close() }
        let report = try await daybook.files.import(file, options: options)
        daybook.close()
        _ = try place.take(at: context.clock.wall)
        return report
    }

    /// Returns what an import of a file would do. Nothing is written, and no writer waits. A record that the file has
    /// twice counts twice.
    public func previewImport(_ file: TaskFile, options: ImportOptions = ImportOptions()) throws -> ImportReport {
        try transfer.preview(file, options: options)
    }

    /// Returns what an import of a file into a new store would do.
    public static func previewImport(
        _ file: TaskFile, intoNewStoreOf context: Context, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try TaskTransfer.preview(file, context: context, options: options)
    }

    /// Returns the first tasks of a file as an import would write them. Nothing is written.
    ///
    /// - Throws: `FileError` with the line of a record before those that is invalid.
    public static func firstTasks(
        of file: TaskFile, limit: Int, context: Context = .system, options: ImportOptions = ImportOptions()
    ) throws -> [ImportedTask] {
        try TaskTransfer.firstTasks(of: file, limit: limit, context: context, options: options)
    }

    /// Reads and checks all records of a file: the first half of an import, for programs that open the store only if the
    /// file is valid.
    ///
    /// - Throws: `FileError` with the line of the first invalid record.
    public static func checkImport(
        of file: TaskFile, context: Context = .system, options: ImportOptions = ImportOptions()
    ) throws {
        try TaskTransfer.check(file, context: context, options: options)
    }
}

extension DaybookStore {
    /// Exports, imports and snapshots of this store.
    public var files: StoreFiles { StoreFiles(store, tasks, journals.lock) }
}
