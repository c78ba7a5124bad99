import Snapshots

/// The result of removing a store.
public struct WipeReport: Sendable, Equatable {
    /// Whether the folder was removed, too. It stays if it has files of others.
    public let isFolderRemoved: Bool
    /// The stores beside the folder that restores have replaced and kept. They were not removed.
    public let replacedStores: [String]
}

extension DaybookStore {
    /// Removes the store in a folder and every trace of it: its files, its folder if nothing else is in it, and what
    /// interrupted operations have left beside it. Cannot be undone.
    ///
    /// Files are removed, but their bytes are not overwritten on the disk. Exports and snapshots are files of yours and stay.
    /// An interrupted removal is completed by the next one.
    ///
    /// - Throws: `FileError`: `storeIsOpen` while any process has the store open, this one included, `notFound`;
    ///   `RecordsError.notAStore`, or `manifestMissing`, for any other folder. The folder is unchanged then.
    @discardableResult
    public static func wipe(at folder: some FileLocation) throws -> WipeReport {
        let (isFolderRemoved, replaced) = try StoreRemoval(folder.filePath).perform()
        return WipeReport(isFolderRemoved: isFolderRemoved, replacedStores: replaced)
    }

    /// Throws what `wipe` throws for a folder that is no store.
    package static func checkWipe(at folder: String) throws {
        _ = try StoreRemoval(folder)
    }
}
