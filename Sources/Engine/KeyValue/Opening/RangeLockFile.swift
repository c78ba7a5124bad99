import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An open file or folder with locks on ranges of its bytes that belong to its open file description (`F_OFD_SETLK`).
///
/// Such a lock has no process id: it excludes processes of other PID namespaces as well. It ends with this value or its process,
/// and does not exclude other threads that use this value. Elsewhere than on Linux no lock is supported.
final class RangeLockFile: Sendable {
    enum Mode {
        /// Many may hold it at once.
        case shared
        /// One alone; needs a file that is open for writing.
        case exclusive
    }

    enum Attempt {
        case taken
        case heldElsewhere
        /// The file system or the kernel has no such locks.
        case unsupported
    }

    private let descriptor: Int32
    private let generation = ForkGuard.generation

    /// Opens what is at a path.
    ///
    /// - Parameter store: the store's folder, which errors name.
    init(_ path: String, _ mode: Mode, store: String) throws(KeyValueError) {
        let opened = unsafe open(path, (mode == .exclusive ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard opened >= 0 else { throw KeyValueError(lockingFailedWith: errno, at: store) }
        ForkGuard.closeInChildren(opened)
        descriptor = opened
    }

    deinit {
        // The child of a fork has closed it; the number may belong to another file.
        guard generation == ForkGuard.generation else { return }
        // Explicitly, since a child that was forked in between may not have closed its copy yet.
        unlock(from: 0, count: 0)
        FileRelease.close(descriptor)
    }

    /// Locks a range if nobody else holds a lock that excludes this one.
    func tryLock(_ mode: Mode, from start: Int64, count: Int64 = 1) throws(KeyValueError) -> Attempt {
        var range = Self.range(from: start, count: count, mode == .shared ? F_RDLCK : F_WRLCK)
        while unsafe call(Self.setLock, &range) != 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return .heldElsewhere
            case EINVAL, ENOSYS, ENOTSUP: return .unsupported
            default: throw .refused("lock the store", code: errno)
            }
        }
        return .taken
    }

    /// Whether somebody else holds any lock in a range; false where there are no such locks.
    func isLockedElsewhere(from start: Int64, count: Int64 = 1) throws(KeyValueError) -> Bool {
        var range = Self.range(from: start, count: count, F_WRLCK)
        while unsafe call(Self.getLock, &range) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOSYS, ENOTSUP: return false
            default: throw .refused("lock the store", code: errno)
            }
        }
        return range.l_type != Int16(F_UNLCK)
    }

    /// - Parameter count: how many bytes; 0 for all from `start`.
    func unlock(from start: Int64, count: Int64 = 1) {
        var range = Self.range(from: start, count: count, F_UNLCK)
        while unsafe call(Self.setLock, &range) != 0, errno == EINTR {}
    }

    /// What it is, for a search among the open files of other processes.
    var identity: (device: UInt64, inode: UInt64)? {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return nil }
        return (UInt64(information.st_dev), UInt64(information.st_ino))
    }

    #if os(Linux)
        // GNU extensions, which Swift's module leaves out: <bits/fcntl-linux.h>.
        private static let (getLock, setLock): (Int32, Int32) = (36, 37)

        private func call(_ command: Int32, _ range: UnsafeMutablePointer<flock>) -> Int32 {
            unsafe fcntl(descriptor, command, range)
        }
    #else
        private static let (getLock, setLock): (Int32, Int32) = (0, 0)

        private func call(_ command: Int32, _ range: UnsafeMutablePointer<flock>) -> Int32 {
            errno = ENOTSUP
            return -1
        }
    #endif

    private static func range(from start: Int64, count: Int64, _ type: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(start)
        range.l_len = off_t(count)
        return range
    }
}
