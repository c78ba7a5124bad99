import Glibc
import SystemErrors
import Threading

/// An open file or folder with locks on ranges of its bytes that belong to its open file description (`F_OFD_SETLK`).
///
/// Such a lock has no process id: it excludes processes of other PID namespaces as well. It ends with this value or its process,
/// and does not exclude other threads that use this value. Elsewhere than on Linux no lock is supported.
package final class RangeLockFile: Sendable {
    package enum Attempt: Sendable {
        case taken
        case heldElsewhere
        /// The file system or the kernel has no such locks.
        case unsupported
    }

    private let descriptor: FileDescriptor
    private let generation = ForkGuard.generation

    /// Opens what is at a path, for locks of a mode.
    package init(_ path: String, _ mode: LockMode) throws(SystemCondition) {
        descriptor = try FileDescriptor(path, for: mode == .exclusive ? .readingAndWriting : .reading)
        ForkGuard.closeInChildren(descriptor.number)
    }

    deinit {
        // The child of a fork has closed it; the number may belong to another file.
        guard generation == ForkGuard.generation else { return }
        // Explicitly, since a child that was forked in between may not have closed its copy yet.
        unlock(from: 0, count: 0)
        FileRelease.close(descriptor)
    }

    /// Locks a range if nobody else holds a lock that excludes this one.
    package func tryLock(_ mode: LockMode, from start: Int64, count: Int64 = 1) throws(SystemCondition) -> Attempt {
        var range = Self.range(from: start, count: count, mode == .shared ? F_RDLCK : F_WRLCK)
        do throws(SystemCondition) {
            try call(Self.setLock, &range)
            return .taken
        } catch {
            if error == .unavailable || error == .permissionDenied { return .heldElsewhere }
            guard error.isUnsupported else { throw error }
            return .unsupported
        }
    }

    /// Whether somebody else holds any lock in a range; false where there are no such locks.
    package func isLockedElsewhere(from start: Int64, count: Int64 = 1) throws(SystemCondition) -> Bool {
        var range = Self.range(from: start, count: count, F_WRLCK)
        do throws(SystemCondition) {
            try call(Self.getLock, &range)
            return range.l_type != Int16(F_UNLCK)
        } catch {
            guard error.isUnsupported else { throw error }
            return false
        }
    }

    /// - Parameter count: how many bytes; 0 for all from `start`.
    package func unlock(from start: Int64, count: Int64 = 1) {
        var range = Self.range(from: start, count: count, F_UNLCK)
        try? call(Self.setLock, &range)
    }

    /// What it is, for a search among the open files of other processes.
    package var identity: FileIdentity? { try? descriptor.status.identity }

    /// Whether another process has a POSIX lock on the first byte of a file, as LMDB takes it. Not for a file that this process has
    /// open elsewhere: closing the descriptor ends its own locks.
    ///
    /// - Returns: false for a file that is not there, true for one that cannot be looked into.
    package static func isFirstByteLocked(_ path: String) -> Bool {
        do throws(SystemCondition) {
            let file = try FileDescriptor(path, for: .reading)
            defer { file.close() }
            var range = Self.range(from: 0, count: 1, F_WRLCK)
            try check(unsafe fcntl(file.number, F_GETLK, &range))
            return range.l_type != Int16(F_UNLCK)
        } catch {
            return error != .notFound
        }
    }

    private func call(_ command: Int32, _ range: inout flock) throws(SystemCondition) {
        while unsafe fcntl(descriptor.number, command, &range) != 0 {
            let condition = SystemCondition.last
            if condition != .interrupted { throw condition }
        }
    }

    // GNU extensions, which Swift's module leaves out: <bits/fcntl-linux.h>.
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)

    private static func range(from start: Int64, count: Int64, _ type: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(start)
        range.l_len = off_t(count)
        return range
    }
}
