/// The right to replace or remove a store: no process has it open, and none can open it, until this value goes.
package final class StoreClaim: Sendable {
    private let gate: FileLock
    /// Nil for a folder without a data file.
    private let presence: FileLock?

    private init(gate: FileLock, presence: FileLock?) {
        self.gate = gate
        self.presence = presence
    }

    /// Claims the store in a folder. Waits for processes that are just opening it.
    ///
    /// - Returns: nil when any process has the store open, this one included.
    /// - Throws: `storeNotFound` when there is no folder, `permissionDenied`.
    package static func take(of path: String) throws(KeyValueError) -> StoreClaim? {
        let folder = StoreFolder(path: path)
        let gate = try folder.gate()
        guard folder.hasDataFile else { return StoreClaim(gate: gate, presence: nil) }
        guard let presence = try FileLock("\(path)/\(StoreFolder.dataFile)", .exclusive, waits: false) else {
            return nil
        }
        return StoreClaim(gate: gate, presence: presence)
    }
}

extension StoreFolder {
    /// Serializes opening between processes: an exclusive lock on the folder, held from before LMDB opens until it has
    /// opened. The system ends it when its holder dies.
    ///
    /// LMDB's own locks do not do this. Whoever opens a store alone resets the transaction number in the lock file to 0
    /// and corrects it only after the data file was mapped. A process that waits for its shared lock meanwhile inherits
    /// the 0 if the first one dies, and writes over the newest state (Documentation/Durability.md).
    func gate() throws(KeyValueError) -> FileLock {
        while true {
            // A lock that waits is never refused.
            guard let gate = try FileLock(path, .exclusive, waits: true) else { continue }
            // A restore may have put another folder into the place while this one waited.
            if gate.isOf(path) { return gate }
        }
    }

    var hasDataFile: Bool { fileLength(Self.dataFile) != nil }
}
