import ByteStreams
import CivilTime
import Exchange
import FoundationEssentials
import Injection
import Records
import Snapshots
import Tasks

/// The options of a snapshot.
public struct SnapshotOptions: Sendable {
    /// The compression level of zstd, from 1 to 19.
    public var level: Int
    /// Whether an existing file may be replaced.
    public var overwrite: Bool
    /// An earlier snapshot of this store: only later changes are written, and a restore needs both files.
    public var since: URL?
    /// Encrypts the snapshot, and opens the earlier one if that is encrypted.
    public var passphrase: Passphrase?
    /// Called with the progress. An error that it throws ends the operation, and no file is left.
    public var progress: @Sendable (FileProgress) throws -> Void

    /// Creates the options of a full snapshot without encryption.
    public init(
        level: Int = 3, overwrite: Bool = false, since: URL? = nil, passphrase: Passphrase? = nil,
        progress: @escaping @Sendable (FileProgress) throws -> Void = { _ in }
    ) {
        self.level = level
        self.overwrite = overwrite
        self.since = since
        self.passphrase = passphrase
        self.progress = progress
    }
}

/// The options of a restore.
public struct RestoreOptions: Sendable {
    /// Whether an existing store may be replaced; it is kept under another name.
    public var replacing: Bool
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()
    /// Opens the snapshots if they are encrypted.
    public var passphrase: Passphrase?
    /// Called with the progress. An error that it throws ends the operation, and nothing is changed.
    public var progress: @Sendable (FileProgress) throws -> Void

    /// Creates the options of a restore to a new folder, from a snapshot without encryption.
    public init(
        replacing: Bool = false, passphrase: Passphrase? = nil,
        progress: @escaping @Sendable (FileProgress) throws -> Void = { _ in }
    ) {
        self.replacing = replacing
        self.passphrase = passphrase
        self.progress = progress
    }
}

/// The result of a restore.
public struct RestoreReport: Sendable, Equatable {
    /// The number of records of the store, all of which were checked.
    public var records: Int
    /// The sequence number of the last change in the snapshot.
    public var sequence: UInt64
    /// The present path of the store that was replaced.
    public var replaced: String?
}

// Snapshots of this store.
extension StoreFiles {
    /// Writes a snapshot of the store. It is read back, with all that it continues, and every record is checked before the
    /// file gets its name: it can be restored from its place.
    ///
    /// - Complexity: one pass over the records, and one over the file and those that it continues.
    /// - Throws: `FileError`, such as `notRestorable` when the snapshot in `options.since`, or one that this continues,
    ///   would not be in the folder of the new one, and `neededByAnother` when another snapshot continues the one that
    ///   would be replaced; `RecordsError` if a record is damaged, or the change log is truncated after the snapshot in
    ///   `options.since`. No file is left then.
    @discardableResult
    public func snapshot(
        to file: some FileLocation, options: SnapshotOptions = SnapshotOptions()
    ) throws -> SnapshotSummary {
        try snapshot(to: file.filePath, options: options, bases: nil)
    }

    /// Writes a snapshot of the store without blocking the calling task.
    @discardableResult
    public func snapshot(
        to file: some FileLocation, options: SnapshotOptions = SnapshotOptions()
    ) async throws -> SnapshotSummary {
        try await onDedicatedThread { try snapshot(to: file.filePath, options: options, bases: nil) }
    }

    /// Writes a snapshot to a path; `-` is standard output.
    ///
    /// - Parameter bases: Where the snapshots are that it continues; nil for the folder of the path.
    package func snapshot(
        to path: String, options: SnapshotOptions, bases: SnapshotBases?
    ) throws -> SnapshotSummary {
        var creation = SnapshotCreation()
        creation.bases = bases
        creation.level = options.level
        creation.overwrite = options.overwrite
        creation.passphrase = options.passphrase
        creation.pace = BackgroundPace(in: store)
        if let since = options.since?.path {
            // The rest of it is read at the end, since a damaged snapshot must not be continued.
            let base = try SnapshotFile.open(since, passphrase: options.passphrase).manifest
            creation.base = SnapshotBase(base, fileName: FolderEntry.name(of: since))
            creation.basePath = since
            creation.baseStoreID = base.storeID
        }
        let write = {
            try store.readImage { image in
                try creation.write(image, to: path, context: store.context) { done, total in
                    try options.progress(FileProgress(done: done, total: total))
                }
            }
        }
        return try path == "-" ? write() : repeatingLostSnapshots(write)
    }
}

// Snapshots without an open store.
extension StoreFiles {
    /// Restores a snapshot into a new store.
    ///
    /// The store is built inside its folder; its indexes and counts are derived, and everything in it is verified and
    /// flushed before it takes its place in one step. It has a new id. Collections of other programs are restored, too.
    ///
    /// - Parameters:
    ///   - snapshot: The file; `-` is standard input. One that holds only changes needs the files that it continues in the same folder.
    ///   - folder: A folder that does not exist or is empty, or a store if `options.replacing` is true.
    ///   - context: Clock, zone and random source; by default those of the system.
    ///   - records: The collections of your own record types, so that they are checked and indexed as well.
    ///   - options: Whether to replace a store, the passphrase, and progress.
    /// - Throws: `FileError`, `RecordsError`: `storeIsOpen` while any process has the store in the folder open,
    ///   `newerFormat` for a snapshot of a store with a higher schema version. The folder is unchanged then.
    @discardableResult
    public static func restore(
        _ snapshot: some FileLocation, to folder: some FileLocation, context: Context = .system,
        records: Schema = Schema(), options: RestoreOptions = RestoreOptions()
    ) async throws -> RestoreReport {
        try await onDedicatedThread {
            try restore(snapshot, to: folder, context: context, records: records, options: options)
        }
    }

    /// Restores a snapshot on the calling thread, for programs without concurrency.
    @discardableResult
    public static func restore(
        _ snapshot: some FileLocation, to folder: some FileLocation, context: Context = .system,
        records: Schema = Schema(), options: RestoreOptions = RestoreOptions()
    ) throws -> RestoreReport {
        let snapshot = snapshot.filePath
        let place = try RestoredFolder(
            folder.filePath, replacing: options.replacing, injectionPoint: options.injectionPoint)
        let chain = try SnapshotFile.chain(snapshot, passphrase: options.passphrase)
        let manifest = chain.manifest
        let schema = DaybookStore.schema.adding(records)
        // The loader would report the path of a temporary folder.
        guard manifest.schema <= schema.version else {
            throw RecordsError.newerFormat(path: snapshot, found: Int(manifest.schema), known: Int(schema.version))
        }
        let loader = try StoreLoader(
            at: place.draft, schema: schema, context: context, sequence: manifest.sequence,
            schemaVersion: manifest.schema)
        // An error removes the folder, until the loader has finished.
        var progress = FileProgress(total: manifest.recordCount)
        while try chain.next() {
            try loader.append(
                key: chain.key.span.bytes, value: chain.value.span.bytes, to: chain.names[chain.collection])
            progress.done += 1
            if progress.done % 4096 == 0 { try options.progress(progress) }
        }
        let loaded = try loader.finish().map(SnapshotCollection.init)
        guard loaded == manifest.collections else {
            throw FileError.damagedSnapshot(path: snapshot, reason: "its records did not arrive as they are in it")
        }
        // The last chance to cancel.
        try options.progress(progress)
        return RestoreReport(
            records: manifest.recordCount, sequence: manifest.sequence,
            replaced: try place.take(at: context.clock.wall))
    }

    /// Checks every byte and record of a snapshot, and of those that it continues, without restoring it.
    ///
    /// - Throws: `FileError` when it could not be restored from where it is: `baseMissing` when a snapshot that it
    ///   continues is not in its folder, another one for damage; what `progress` throws.
    public static func verify(
        _ snapshot: URL, passphrase: Passphrase? = nil, progress: (FileProgress) throws -> Void = { _ in }
    ) throws -> SnapshotSummary {
        try SnapshotFile.verify(snapshot.path, passphrase: passphrase) { done, total in
            try progress(FileProgress(done: done, total: total))
        }
    }

    /// Returns the snapshots of a folder, the oldest first.
    public static func list(_ folder: URL) throws(FileError) -> [SnapshotListing] {
        try SnapshotFolder(folder.path).listing()
    }

    /// Removes the snapshots of a folder that a retention rule does not keep, after it has verified those that stay.
    ///
    /// Snapshots that are dated later than now, by the clock of the context, do not count for the rule and are kept. The
    /// one with the highest sequence number of its store is never removed, whatever its date.
    ///
    /// - Returns: What was kept, what was removed, what is later than now, and what could not be verified.
    @discardableResult
    public static func prune(
        _ folder: URL, keeping retention: SnapshotRetention, context: Context = .system,
        passphrase: @autoclosure () throws -> Passphrase? = nil, progress: (FileProgress) throws -> Void = { _ in }
    ) throws -> SnapshotPruning {
        let pruning = try SnapshotFolder(folder.path).plan(
            keeping: retention, now: context.clock.wall, zone: context.zone, weekStart: context.weekStart,
            passphrase: try passphrase()
        ) { done, total in
            try progress(FileProgress(done: done, total: total))
        }
        try pruning.perform()
        return pruning
    }
}
