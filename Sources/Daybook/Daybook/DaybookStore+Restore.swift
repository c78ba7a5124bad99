import ByteStreams
import CivilTime
import FoundationEssentials
import Records
import Snapshots
import Tasks

extension DaybookStore {
    /// Makes a store of a snapshot.
    ///
    ///     try await DaybookStore.restore(file, to: folder)
    ///
    /// The new store is built beside its place, its indexes and counts are derived, and everything in it is checked and
    /// flushed before anything else is touched; then it takes its place in one step. It is a store of its own from then
    /// on. What other programs wrote into the snapshot comes back too. Memory stays bounded.
    ///
    /// - Parameters:
    ///   - snapshot: the file. One that holds only changes needs those that it continues in the same folder.
    ///   - folder: where nothing is, or an empty folder; or a store, if it may be replaced.
    ///   - records: the collections of record types of your own, so that they are checked and indexed as well.
    /// - Throws: `FileError`, `RecordsError`; `storeIsOpen` while any process has the store in the place open;
    ///   `newerFormat` for a snapshot of a store with a higher schema version. The
    ///   folder is as it was then.
    @discardableResult
    public static func restore(
        _ snapshot: String, to folder: String, context: Context = .system, records: Schema = Schema(),
        options: RestoreOptions = RestoreOptions()
    ) throws -> RestoreReport {
        let place = try RestoredFolder(folder, replacing: options.replacing)
        let chain = try SnapshotFile.chain(snapshot, passphrase: options.passphrase)
        let manifest = chain.manifest
        let schema = TaskList.schema.adding(records)
        // The loader would say so too, of a folder that nobody knows.
        guard manifest.schema <= schema.version else {
            throw RecordsError.newerFormat(
                path: snapshot, found: Int(manifest.schema), known: Int(schema.version))
        }
        let loader = try StoreLoader(
            at: place.draft, schema: schema, context: context, sequence: manifest.sequence,
            schemaVersion: manifest.schema)
        // An error on the way takes the folder with it.
        var progress = FileProgress()
        progress.total = manifest.recordCount
        while try chain.next() {
            try loader.append(
                key: chain.key.span.bytes, value: chain.value.span.bytes, to: chain.names[chain.collection])
            progress.done += 1
            if progress.done % 4096 == 0 { try options.progress(progress) }
        }
        let loaded = try loader.finish().map(SnapshotCollection.init)
        guard loaded == manifest.collections else {
            // It was finished, so that it no longer takes its folder with it.
            try? FileManager.default.removeItem(atPath: place.draft)
            throw FileError.damagedSnapshot(path: snapshot, reason: "its records did not arrive as they are in it")
        }
        do {
            // The last moment to give up.
            try options.progress(progress)
        } catch {
            try? FileManager.default.removeItem(atPath: place.draft)
            throw error
        }
        return RestoreReport(
            records: manifest.recordCount, sequence: manifest.sequence,
            replaced: try place.take(at: context.clock.wall))
    }

    /// The same without holding up the task that asks for it.
    @discardableResult
    public static func restore(
        _ snapshot: String, to folder: String, context: Context = .system, records: Schema = Schema(),
        options: RestoreOptions = RestoreOptions()
    ) async throws -> RestoreReport {
        try await onThreadOfItsOwn {
            try restore(snapshot, to: folder, context: context, records: records, options: options)
        }
    }
}
