import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An advisory lock (`flock`) on a file or folder, on a descriptor of its own. It ends with this value or its process.
///
/// It is never upgraded or downgraded: `flock` gives up the lock it has before it waits for the other one.
final class FileLock: Sendable {
    enum Mode {
        /// Many processes may hold it at once.
        case shared
        /// One process alone.
        case exclusive
    }

    private let descriptor: Int32
    private let generation = ForkGuard.generation

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
    }

    deinit {
        // The child of a fork has closed it; the number may belong to another file by now.
        guard generation == ForkGuard.generation else { return }
        ForkGuard.forget(descriptor)
        // Explicitly, since a child that was forked in between may not have closed its copy yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether the path still leads to what is locked.
    func isOf(_ path: String) -> Bool {
        var locked = stat()
        var named = stat()
        return unsafe fstat(descriptor, &locked) == 0 && stat(path, &named) == 0
            && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
    }
}

extension KeyValueError {
    fileprivate init(lockingFailedWith code: Int32, at path: String) {
        switch code {
        case ENOENT, ENOTDIR: self = .storeNotFound(path: path)
        case EACCES, EPERM: self = .permissionDenied(path: path)
        default: self = .refused("lock the store", code: code)
        }
    }
}
