import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An advisory lock (`flock`) on a file or folder, on a separate descriptor. It ends with this value or its process.
///
/// It is never upgraded or downgraded: `flock` releases the present lock before it waits for the other one.
final class FileLock: Sendable {
    enum Mode {
        /// Many processes may hold it at once.
        case shared
        /// One process alone.
        case exclusive
    }

    private let descriptor: Int32
    private let generation = ForkGuard.generation
    private let device: UInt64
    private let inode: UInt64

    /// Locks what is at a path; nil when `waits` is false and another process, or another part of this one, holds a lock
    /// that excludes this one.
    init?(_ path: String, _ mode: Mode, waits: Bool) throws(KeyValueError) {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw KeyValueError(lockingFailedWith: errno, at: path) }
        ForkGuard.closeInChildren(opened)
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        while flock(opened, operation) != 0 {
            let code = errno
            if code == EINTR { continue }
            ForkGuard.forget(opened)
            close(opened)
            if code == EWOULDBLOCK { return nil }
            throw KeyValueError(lockingFailedWith: code, at: path)
        }
        descriptor = opened
        var locked = stat()
        guard unsafe fstat(opened, &locked) == 0 else {
            // Cannot happen to an open descriptor; the path then counts as another file's.
            (device, inode) = (0, 0)
            return
        }
        (device, inode) = (UInt64(locked.st_dev), UInt64(locked.st_ino))
    }

    deinit {
        // The child of a fork has closed it; the number may belong to another file.
        guard generation == ForkGuard.generation else { return }
        ForkGuard.forget(descriptor)
        // Explicitly, since a child that was forked in between may not have closed its copy yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The length of what is locked; negative when it cannot be looked up. Cheaper than `fstat`: nothing else uses this
    /// descriptor's position, unlike that of LMDB's.
    var length: Int { Int(lseek(descriptor, 0, SEEK_END)) }

    /// Whether the path still leads to what is locked.
    func isOf(_ path: String) -> Bool {
        var named = stat()
        return unsafe stat(path, &named) == 0 && isThis(named)
    }

    /// Whether the path leads to something else than what is locked. False when it leads nowhere.
    func isReplaced(at path: String) -> Bool {
        var named = stat()
        return unsafe stat(path, &named) == 0 && !isThis(named)
    }

    private func isThis(_ named: stat) -> Bool {
        UInt64(named.st_dev) == device && UInt64(named.st_ino) == inode
    }
}

extension KeyValueError {
    init(lockingFailedWith code: Int32, at path: String) {
        switch code {
        case ENOENT, ENOTDIR: self = .storeNotFound(path: path)
        default: self = .refused("lock the store", on: path, code: code)
        }
    }
}

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
        guard let presence = try FileLock("\(path)/\(StoreFolder.dataFile)", .exclusive, waits: false) else {
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
            if let gate = try FileLock(path, .exclusive, waits: false) {
                // A restore may have replaced the folder while this one was locked.
                if gate.isOf(path) { return gate }
            } else {
                try pending.pause {
                    guard let folder = FolderIdentity(path: path) else { return LockHolder(.opening) }
                    return LockHolder.find(
                        .opening, ofKind: "FLOCK", from: 0, device: folder.device, inode: folder.inode)
                }
            }
        }
    }

    var hasDataFile: Bool { fileLength(Self.dataFile) != nil }

    /// Whether another process holds LMDB's lock on the lock file. Not in a process that has the store open.
    var isLockFileInUse: Bool {
        let descriptor = unsafe open("\(path)/\(Self.lockFile)", O_RDONLY | O_CLOEXEC)
        // One that cannot be looked into may be in use.
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { _ = close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }
}
