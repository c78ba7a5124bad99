import ByteStreams
import CivilTime
import Exchange
import FoundationEssentials
import Records
import Snapshots
import Tasks

extension StoreFiles {
    /// Writes every record of every collection to a file as NDJSON, without loss and from one consistent moment, also of
    /// collections that this program does not declare. Compressed with zstd when the name ends with `.zst`.
    ///
    ///     try store.files.dump(to: file)
    ///
    /// Format.md, "Dump", describes the lines. Memory stays bounded, and the store can be used meanwhile.
    ///
    /// - Parameters:
    ///   - file: The file to write.
    ///   - overwrite: Whether to replace an existing file.
    ///   - progress: Called with the number of records so far. An error that it throws leaves no file behind.
    /// - Returns: The number of records that were written.
    @discardableResult
    public func dump(
        to file: URL, overwrite: Bool = false, progress: (FileProgress) throws -> Void = { _ in }
    ) throws -> Int {
        try repeatingLostSnapshots {
            let target = try AtomicFile(path: file.path, overwrite: overwrite)
            let count = try dump(isCompressed: file.path.hasSuffix(".zst"), progress: progress) {
                (bytes) throws(FileError) in try target.write(bytes)
            }
            try target.commit()
            return count
        }
    }

    /// Writes a dump to a sink, part by part.
    package func dump(
        isCompressed: Bool, progress: (FileProgress) throws -> Void = { _ in }, to sink: @escaping ByteSink
    ) throws -> Int {
        let compressed = isCompressed ? ZstdWriter(sink: sink) : nil
        var count = 0
        try store.readImage { image in
            try StoreDump.write(
                image, declarations: store.declarations,
                to: { (bytes) throws(FileError) in
                    if let compressed { try compressed.write(bytes) } else { try sink(bytes) }
                },
                progress: { done, total in
                    count = done
                    try progress(FileProgress(done: done, total: total))
                })
        }
        try compressed?.finish()
        return count
    }

    /// Loads a dump, compressed or not, into a new store. The store is built beside its place, verified and flushed,
    /// and then renamed into place; an error changes nothing.
    ///
    /// - Parameters:
    ///   - file: The dump.
    ///   - folder: A folder that does not exist or is empty, or a store that has never had a record.
    ///   - context: Clock, zone and random source; by default those of the system.
    ///   - records: The collections of your own record types, so that they are checked and indexed as well.
    ///   - progress: Called with the number of records so far. An error that it throws ends the load.
    /// - Throws: `FileError.invalidDump` with the line that cannot be loaded, `FileError.storeNotEmpty`;
    ///   `RecordsError.newerFormat` for a dump of a store with a higher schema version.
    @discardableResult
    public static func load(
        _ file: some FileLocation, into folder: some FileLocation, context: Context = .system,
        records: Schema = Schema(), progress: (FileProgress) throws -> Void = { _ in }
    ) throws -> RestoreReport {
        try load(
            TaskFile(path: file.filePath), into: folder.filePath, context: context, records: records,
            progress: progress)
    }

    /// Loads a dump from any source of bytes.
    @discardableResult
    package static func load(
        _ file: TaskFile, into folder: String, context: Context = .system, records: Schema = Schema(),
        progress: (FileProgress) throws -> Void = { _ in }
    ) throws -> RestoreReport {
        let loaded = try StoreDump.load(
            file.bytes(again: false), into: folder, schema: DaybookStore.schema.adding(records), context: context,
            progress: { try progress(FileProgress(done: $0)) })
        return RestoreReport(records: loaded.records, sequence: loaded.sequence)
    }
}
