import ByteStreams
import Records
import Snapshots

/// The copies of a store that are kept elsewhere: `daybook.archive`.
public struct DaybookArchive: Sendable {
    let store: RecordStore

    /// Writes a snapshot of the whole store as it is at this moment, small and verified: it is read back and every record
    /// checked before the file gets its name. Others go on reading and writing meanwhile.
    ///
    ///     let snapshot = try await daybook.archive.snapshot(to: file)
    ///
    /// Memory stays bounded, whatever the size. Cost: one pass over the records, and one over the file.
    ///
    /// - Throws: `FileError`; `RecordsError` when a record is damaged, or the change log does not reach back to the
    ///   snapshot to continue. Nothing is left of the file then.
    @discardableResult
    public func snapshot(to path: String, options: SnapshotOptions = SnapshotOptions()) throws -> SnapshotSummary {
        var creation = SnapshotCreation()
        creation.level = options.level
        creation.overwrite = options.overwrite
        creation.passphrase = options.passphrase
        if let since = options.since {
            // All of it is read: a damaged one is nothing to build on.
            let base = try SnapshotFile.verify(since, passphrase: options.passphrase) { done, total in
                try options.progress(FileProgress(done: done, total: total))
            }
            try SnapshotFile.checkChain(endingWith: since, base: base.manifest.base?.id)
            creation.base = SnapshotBase(base.manifest, fileName: FolderEntry.name(of: since))
            creation.baseStoreID = base.manifest.storeID
        }
        return try store.readImage { image in
            try creation.write(image, to: path, context: store.context) { done, total in
                var progress = FileProgress()
                progress.done = done
                progress.total = total
                try options.progress(progress)
            }
        }
    }

    /// The same without holding up the task that asks for it.
    @discardableResult
    public func snapshot(
        to path: String, options: SnapshotOptions = SnapshotOptions()
    ) async throws -> SnapshotSummary {
        try await onThreadOfItsOwn { try snapshot(to: path, options: options) }
    }
}

extension DaybookStore {
    /// Snapshots of this store.
    public var archive: DaybookArchive { DaybookArchive(store: store) }
}
