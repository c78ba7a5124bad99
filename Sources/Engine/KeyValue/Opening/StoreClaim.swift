import FileSystem

/// The right to replace or remove a store: no process has it open, and none can open it, until this value is released.
package final class StoreClaim: Sendable {
    private let gate: FileLock
    /// Nil for a folder without a data file.
    private let presence: FileLock?

    private init(gate: FileLock, presence: FileLock?) {
        self.gate = gate
        self.presence = presence
    }

    /// Claims the store in a folder. Waits for processes that are opening it.
    ///
    /// - Returns: nil when any process has the store open, this one included.
    /// - Throws: `storeNotFound` when there is no folder, `permissionDenied`.
    package static func take(of path: String) throws(KeyValueError) -> StoreClaim? {
        // First, since closing the lock file below would end LMDB's own locks of this process.
        if EnvironmentRegistry.shared.hasOpen(path) { return nil }
        let folder = StoreFolder(path: path)
        let gate = try folder.gate()
        try StorePlacement.complete(in: folder)
        guard folder.hasDataFile else { return StoreClaim(gate: gate, presence: nil) }
        guard let presence = try FileLock.take("\(path)/\(StoreFolder.dataFile)", .exclusive) else {
            return nil
        }
        // A process that has not used the store since it was compacted has locked the old data file.
        if folder.isLockFileInUse { return nil }
        return StoreClaim(gate: gate, presence: presence)
    }
}

extension StoreFolder {
    /// Serializes opening between processes: an exclusive lock on the folder, held from before LMDB opens until it has
    /// opened. The system ends it when its holder dies.
    ///
    /// LMDB's own locks do not do this. A process that opens a store alone resets the transaction number in the lock
    /// file to 0 and corrects it only after the data file was mapped. A process that waits for its shared lock at that
    /// time inherits the 0 if the first one dies, and overwrites the newest state (Documentation/Commits.md).
    ///
    /// - Throws: `lockHeld` when the wait takes too long.
    func gate(waiting wait: LockWait = .ofOpening) throws(KeyValueError) -> FileLock {
        var pending = PendingWait(wait.ofGate, path: path)
        while true {
            if let gate = try FileLock.take(path, .exclusive) {
                // A restore may have replaced the folder while this one was locked.
                if gate.isOf(path) { return gate }
            } else {
                try pending.pause {
                    guard let folder = FileIdentity(ofFolder: path) else { return LockHolder(.opening) }
                    return LockHolder.find(.opening, ofKind: "FLOCK", from: 0, in: folder)
                }
            }
        }
    }

    var hasDataFile: Bool { fileLength(Self.dataFile) != nil }

    /// Whether another process holds LMDB's lock on the lock file. Not in a process that has the store open.
    var isLockFileInUse: Bool { RangeLockFile.isFirstByteLocked("\(path)/\(Self.lockFile)") }
}
