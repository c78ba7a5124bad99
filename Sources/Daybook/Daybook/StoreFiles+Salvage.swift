import CivilTime
import FileSystem
import FoundationEssentials
import KeyValue
import Records
import Snapshots
import Sync

// What is left of a damaged store or snapshot.
extension StoreFiles {
    /// Saves what a damaged store, or a damaged snapshot, still holds into a new store. The damaged one is not changed.
    ///
    /// Every page of a store's file is read, and no tree, count or list in it is trusted: every value whose checksum is right for
    /// its table and key is known, wherever it is. Where a page of records is lost, former copies of them are taken if the
    /// indexes and the change log show that they are the last version. Works without `store.json`, for a file that is cut
    /// short, and for one whose first pages are gone.
    ///
    /// Of a snapshot, every block whose checksum is right is taken, and the snapshots that it continues are read from the same
    /// folder. A snapshot of version 1 has no checksum for each block: of it every collection is taken whose count and digest are
    /// right.
    ///
    /// The new store has another id, and that of a damaged store the history for undo as far back as it has no gap.
    ///
    ///     let report = try StoreFiles.salvage(damaged, to: folder)
    ///     print(report.records, report.missing)
    ///
    /// - Parameters:
    ///   - damaged: The folder of a damaged store, or a damaged snapshot. Nothing may write to it meanwhile.
    ///   - folder: A folder that does not exist or is empty.
    ///   - context: Clock, zone and random source; by default those of the system.
    ///   - records: The collections of your own record types, so that they are checked and indexed as well.
    ///   - options: Whether to take what was deleted.
    ///   - passphrase: Opens the snapshots if they are encrypted.
    /// - Complexity: reads a store's file three times, with some 60 bytes of memory for each record and each former version of one;
    ///   a snapshot four times, with two blocks of it in memory.
    /// - Throws: `RecordsError`: `newerFormat`, `notAStore` if nothing in the file is of a store; `FileError`: `storeIsOpen`,
    ///   `notFound`, `targetExists`, and for a snapshot `damagedSnapshot` if nothing in it can be trusted, `notASnapshot`,
    ///   `newerSnapshot`, `passphraseNeeded`, `notDecryptable`.
    ///   Nothing is left in the folder then.
    @discardableResult
    public static func salvage(
        _ damaged: some FileLocation, to folder: some FileLocation, context: Context = .system,
        records: Schema = Schema(), options: SalvageOptions = SalvageOptions(), passphrase: Passphrase? = nil
    ) async throws -> SalvageReport {
        try await onDedicatedThread {
            try salvage(
                damaged, to: folder, context: context, records: records, options: options, passphrase: passphrase)
        }
    }

    /// Salvages on the calling thread, for programs without concurrency.
    @discardableResult
    public static func salvage(
        _ damaged: some FileLocation, to folder: some FileLocation, context: Context = .system,
        records: Schema = Schema(), options: SalvageOptions = SalvageOptions(), passphrase: Passphrase? = nil
    ) throws -> SalvageReport {
        let damaged = damaged.filePath
        let place = try RestoredFolder(folder.filePath, replacing: false)
        let report: SalvageReport
        if isFile(damaged) {
            report = try SnapshotSalvage(
                damaged, schema: DaybookStore.schema.adding(records), options: options, passphrase: passphrase
            ).run(to: place.draft, context: context)
        } else {
            // What is written meanwhile would be salvaged in part. On a medium that is only read nobody writes.
            let claim = FileTree.isWritable(damaged) ? try RestoredFolder.claim(damaged, named: damaged) : nil
            defer { withExtendedLifetime(claim) {} }
            report = try salvage(damaged, into: place, context: context, records: records, options: options)
        }
        _ = try place.take(at: context.clock.wall)
        return report
    }

    /// Whether a path is that of a file, as a snapshot is, and not of a folder, as a store is.
    package static func isFile(_ path: String) -> Bool {
        FileStatus.kind(of: path) == .file
    }

    private static func salvage(
        _ store: String, into place: RestoredFolder, context: Context, records: Schema, options: SalvageOptions
    ) throws -> SalvageReport {
        try RecordStore.salvage(
            store, to: place.draft, schema: DaybookStore.schema(ofStoreAt: store).adding(records), context: context,
            options: options)
    }

    /// Salvages a store in its place.
    fileprivate static func salvageInPlace(
        _ folder: String, context: Context, records: Schema
    ) throws -> (report: SalvageReport, damaged: String) {
        let place = try RestoredFolder(folder, replacing: true)
        // Until the end: what somebody writes into the damaged store meanwhile would stay behind in it.
        let claim = try RestoredFolder.claim(place.path, named: folder)
        defer { withExtendedLifetime(claim) {} }
        let report = try salvage(place.path, into: place, context: context, records: records, options: SalvageOptions())
        // Whatever else is beside the data; folders stay where they are. A synced store from which something is missing belongs to
        // no space any more, as one that was restored: the other devices would take what is missing for deleted.
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
        where !RecordStore.isReplaced(name) && (report.isProvedComplete || !RecordStore.isData(name)) {
            let file = "\(place.path)/\(name)"
            guard isFile(file) else { continue }
            try FileManager.default.copyItem(atPath: file, toPath: "\(place.draft)/\(name)")
        }
        return (report, try place.take(at: context.clock.wall, holding: claim) ?? place.path)
    }
}

/// How a store was rebuilt.
public enum StoreRebuild: Sendable, Equatable {
    /// What is derived from the records was derived again, in place. Of what had to be repaired when the store was
    /// opened there is a line.
    case derived(RebuildReport, repairedAtOpening: String?)
    /// Records or the change log were damaged: what could be salvaged took the store's place. The damaged store is kept at the
    /// path.
    case salvaged(SalvageReport, damaged: String)
}

extension DaybookStore {
    /// Repairs the store in a folder that no process has open, whatever is damaged in it.
    ///
    /// Where every record is intact, indexes, roll-ups and counts are derived from them again. Otherwise a new store of
    /// everything that can be salvaged takes its place, and the damaged one is kept beside it under another name. Of a synced store
    /// whose pages are valid, damaged records are quarantined instead and come back from the hub.
    ///
    /// - Throws: `FileError.storeIsOpen`; `RecordsError`. The folder is unchanged then.
    @discardableResult
    public static func rebuild(
        at folder: some FileLocation, context: Context = .system, records: Schema = Schema()
    ) throws -> StoreRebuild {
        try rebuild(at: folder.filePath, context: context, records: records, salvages: false)
    }

    /// - Parameter salvages: Whether to salvage in any case, after damaged pages have ended a process that tried without.
    package static func rebuild(
        at folder: String, context: Context, records: Schema = Schema(), salvages: Bool
    ) throws -> StoreRebuild {
        let schema = schema(ofStoreAt: folder).adding(records)
        // The hub has the damaged records of a synced store on valid pages; a salvage would have to leave the space.
        let isSynced = SpaceIdentity.isThere(inStore: folder)
        if try !salvages
            && (RecordStore.hasIntactRecords(at: folder, schema: schema) || isSynced && hasValidPages(at: folder))
        {
            do {
                let store = try open(
                    at: folder, context: context, records: records, options: StoreOptions(createIfMissing: false))
                defer { store.close() }
                return .derived(try store.store.rebuild(), repairedAtOpening: store.repairedAtOpening)
            } catch let error as RecordsError where error.isDamage {
                // Pages between the records are damaged.
            }
        }
        let (report, damaged) = try StoreFiles.salvageInPlace(folder, context: context, records: records)
        return .salvaged(report, damaged: damaged)
    }

    /// Whether every page of a store that is in use is there and valid, so that it can be opened without danger.
    package static func hasValidPages(at folder: String) throws(RecordsError) -> Bool {
        try RecordStore.hasValidPages(at: folder)
    }
}
