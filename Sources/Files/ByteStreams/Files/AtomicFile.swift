import FoundationEssentials
import Glibc
import Injection
import Synchronization

/// A file that appears whole or not at all.
///
/// It is written under a temporary name beside its target, only for its owner to read (mode 0600). ``commit()`` puts it
/// on the disk and then in its place; ``cancel()``, a failure, and letting go of it remove it.
public final class AtomicFile {
    /// Where the file will be.
    public let path: String
    /// Where it is until then, for whoever has to remove it when the process is told to end.
    public private(set) var temporaryPath: String
    private let overwrite: Bool
    /// The promise that it is to break; the crash lab's alone.
    private let injectionPoint: ArmedInjectionPoints
    /// Files begun by this process: with its number, that makes each temporary name its own.
    private static let count = Atomic<Int>(0)
    private var descriptor: Int32

    /// Starts a file.
    ///
    /// - Parameter overwrite: whether a regular file that is there may be replaced.
    /// - Throws: ``FileError/targetExists(path:)``, ``FileError/notAFile(path:)``,
    ///   ``FileError/notFound(path:)`` for a missing folder, or what the system says.
    public convenience init(path: String, overwrite: Bool = false) throws(FileError) {
        try self.init(path: path, overwrite: overwrite, injectionPoint: ArmedInjectionPoints())
    }

    package init(path: String, overwrite: Bool, injectionPoint: ArmedInjectionPoints) throws(FileError) {
        self.path = path
        self.overwrite = overwrite
        self.injectionPoint = injectionPoint
        isPublished = injectionPoint(.writesInPlace)
        temporaryPath = path
        descriptor = -1
        try Self.checkTarget(path, overwrite: overwrite)
        let exclusion = isPublished ? O_TRUNC : O_EXCL
        repeat {
            let number = Self.count.add(1, ordering: .relaxed).newValue
            if !isPublished { temporaryPath = path + ".\(getpid())-\(number).tmp" }
            descriptor = open(temporaryPath, O_WRONLY | O_CREAT | exclusion | O_CLOEXEC, 0o600)
            // A process of the same number, long ago or in another container, has left a file of this name.
        } while descriptor < 0 && errno == EEXIST
        hasTemporary = descriptor >= 0 && !isPublished
        if descriptor < 0 {
            throw FileError(code: errno, path: errno == ENOENT ? FolderEntry.folder(of: path) : path)
        }
    }

    deinit {
        cancel()
    }

    /// Adds bytes at the end.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try Self.write(bytes, to: descriptor, path: path)
    }

    /// Puts the file on the disk and then in its place.
    public func commit() throws(FileError) {
        do throws(FileError) {
            if !injectionPoint(.skipsFileFlush) { try check(fsync(descriptor)) }
            // Whatever close says, the descriptor is gone: closing it again could hit somebody else's.
            let closing = descriptor
            descriptor = -1
            try check(close(closing))
            if !isPublished { try publish() }
        } catch {
            cancel()
            throw error
        }
        if !injectionPoint(.skipsFolderFlush) { try FolderEntry.flush(of: path) }
    }

    /// Removes what was written. After ``commit()`` it does nothing.
    public func cancel() {
        if descriptor >= 0 {
            _ = close(descriptor)
            descriptor = -1
        }
        // Only this object's own: another one may have got the name before.
        if hasTemporary, unlink(temporaryPath) == 0 { hasTemporary = false }
    }

    private var isPublished: Bool
    private var hasTemporary = false

    private func publish() throws(FileError) {
        // Unlike a rename, a link never replaces a file that somebody else made in the meantime.
        if !overwrite, link(temporaryPath, path) == 0 {
            isPublished = true
            // The file is in its place, whatever becomes of its other name; the end tries again.
            return hasTemporary = unlink(temporaryPath) != 0
        }
        // Some file systems have no links; there the last moment to look is now.
        if !overwrite {
            guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { return try check(-1) }
            try Self.checkTarget(path, overwrite: false)
        }
        try check(rename(temporaryPath, path))
        isPublished = true
        hasTemporary = false
    }

    private func check(_ result: Int32) throws(FileError) {
        if result < 0 { throw FileError(code: errno, path: path) }
    }

    /// Refuses early what ``commit()`` would refuse after all the work.
    private static func checkTarget(_ path: String, overwrite: Bool) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFLNK else { throw .notAFile(path: path) }
        if !overwrite { throw .targetExists(path: path) }
    }

    /// Writes all bytes, however many calls that takes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count == rest.count { return }
            if count > 0 {
                rest.removeFirst(count)
            } else if count == 0 {
                // What takes nothing and gives no reason has no room; trying again could go on for ever.
                throw .diskFull(path: path)
            } else if errno != EINTR {
                throw FileError(code: errno, path: path)
            }
        }
    }
}
