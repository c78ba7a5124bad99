import Glibc
import SystemErrors
import Threading

/// Whether others may hold a lock at the same time.
package enum LockMode: Sendable {
    /// Many may hold it at once.
    case shared
    /// One alone. A lock on a range needs a file that is open for writing.
    case exclusive
}

/// An advisory lock (`flock`) on a file or folder, on a separate descriptor. It ends with this value or its process.
///
/// It is never upgraded or downgraded: `flock` releases the present lock before it waits for the other one.
package final class FileLock: Sendable {
    @usableFromInline let descriptor: Int32
    private let generation = ForkGuard.generation
    /// Nil when it cannot be looked up, which does not happen to an open descriptor.
    private let identity: FileIdentity?

    /// Locks what is at a path; nil when `waits` is false and another process, or another part of this one, holds a lock
    /// that excludes this one.
    package init?(_ path: String, _ mode: LockMode, waits: Bool) throws(SystemCondition) {
        let opened = try FileDescriptor(path, for: .reading)
        ForkGuard.closeInChildren(opened.number)
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        while flock(opened.number, operation) != 0 {
            let condition = SystemCondition.last
            if condition == .interrupted { continue }
            ForkGuard.forget(opened.number)
            opened.close()
            if condition == .unavailable { return nil }
            throw condition
        }
        descriptor = opened.number
        identity = try? opened.status.identity
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
    @inlinable package var length: Int { Int(lseek(descriptor, 0, SEEK_END)) }

    /// Whether the path still leads to what is locked.
    package func isOf(_ path: String) -> Bool {
        (try? FileStatus(of: path).identity).map { $0 == identity } ?? false
    }

    /// Whether the path leads to something else than what is locked. False when it leads nowhere.
    package func isReplaced(at path: String) -> Bool {
        (try? FileStatus(of: path).identity).map { $0 != identity } ?? false
    }
}
