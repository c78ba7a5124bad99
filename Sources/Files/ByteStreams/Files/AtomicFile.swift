import FoundationEssentials
import Glibc
import Injection
import Synchronization

/// A file that appears completely or not at all.
///
/// It is written under a temporary name beside its target with mode 0600. ``commit()`` flushes it and then puts it in
/// place; ``cancel()``, an error and the release of the object remove it.
public final class AtomicFile {
    /// The path of the target.
    public let path: String
    /// The path of the temporary file, which a signal handler has to remove.
    public private(set) var temporaryPath: String
    private let overwrite: Bool
    /// The fault injection points of the crash lab.
    private let injectionPoint: ArmedInjectionPoints
    /// The number of files that this process has begun, which makes temporary names unique.
    private static let count = Atomic<Int>(0)
    private var descriptor: Int32

    /// Creates the temporary file.
    ///
    /// - Parameter overwrite: whether an existing regular file may be replaced.
    /// - Throws: ``FileError/targetExists(path:)``, ``FileError/notAFile(path:)``,
    ///   ``FileError/notFound(path:)`` for a missing folder, or the error of the system.
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
            // A process with the same id, an earlier one or one in another container, has made a file of this name.
        } while descriptor < 0 && errno == EEXIST
        hasTemporary = descriptor >= 0 && !isPublished
        if descriptor < 0 {
            throw FileError(code: errno, path: errno == ENOENT ? FolderEntry.folder(of: path) : path)
        }
    }

    deinit {
        cancel()
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try Self.write(bytes, to: descriptor, path: path)
    }

    /// Flushes the file and puts it in place.
    public func commit() throws(FileError) {
        do throws(FileError) {
            if !injectionPoint(.skipsFileFlush) { try check(fsync(descriptor)) }
            // The descriptor is closed whatever `close` returns; closing it again could close another file.
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

    /// Removes the temporary file. Does nothing after ``commit()``.
    public func cancel() {
        if descriptor >= 0 {
            _ = close(descriptor)
            descriptor = -1
        }
        // Only a file of this object: another one may have had the name before.
        if hasTemporary, unlink(temporaryPath) == 0 { hasTemporary = false }
    }

    private var isPublished: Bool
    private var hasTemporary = false

    private func publish() throws(FileError) {
        // Unlike a rename, a link never replaces a file that was created in the meantime.
        if !overwrite, link(temporaryPath, path) == 0 {
            isPublished = true
            // The file is in place even if its temporary name cannot be removed; `cancel` tries again.
            return hasTemporary = unlink(temporaryPath) != 0
        }
        // Some file systems have no hard links; there the target is checked once more.
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

    /// Refuses a target early that ``commit()`` would refuse after all the work.
    private static func checkTarget(_ path: String, overwrite: Bool) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFLNK else { throw .notAFile(path: path) }
        if !overwrite { throw .targetExists(path: path) }
    }

    /// Writes all bytes, with as many calls as needed.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count == rest.count { return }
            if count > 0 {
                rest.removeFirst(count)
            } else if count == 0 {
                // A call that writes nothing without an error has no space; retrying might never end.
                throw .diskFull(path: path)
            } else if errno != EINTR {
                throw FileError(code: errno, path: path)
            }
        }
    }
}

/// Functions on the name of a file and the folder that contains it.
package enum FolderEntry {
    /// Returns the folder of a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func name(of path: String) -> String {
        String(path.split(separator: "/").last ?? "/")
    }

    /// Flushes the folder of a path, so that a new or removed name reaches the disk. If the folder cannot be opened or
    /// flushed, all file systems are flushed.
    package static func flush(of path: String) throws(FileError) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == EACCES || errno == EPERM else { throw FileError(code: errno, path: path) }
            return sync()
        }
        defer { _ = close(descriptor) }
        if fsync(descriptor) == 0 { return }
        guard errno == EINVAL || errno == ENOTSUP else { throw FileError(code: errno, path: path) }
        sync()
    }
}
