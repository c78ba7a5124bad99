import FileSystem
import FoundationEssentials
import Injection
import SystemErrors

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
    private var descriptor: FileDescriptor?

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
        try Self.checkTarget(path, overwrite: overwrite)
        do throws(SystemCondition) {
            if isPublished {
                descriptor = try FileDescriptor(path, for: .overwriting)
            } else {
                (temporaryPath, descriptor) = try FileTree.makeTemporaryFile(path)
                hasTemporary = true
            }
        } catch {
            throw FileError(code: error.code, path: error == .notFound ? FolderEntry.folder(of: path) : path)
        }
    }

    deinit {
        cancel()
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try FileError.naming(path, open.write(bytes))
    }

    /// Flushes the file and puts it in place.
    public func commit() throws(FileError) {
        do throws(FileError) {
            let closing = open
            if !injectionPoint(.skipsFileFlush) { try FileError.naming(path, closing.flush()) }
            // The descriptor is closed whatever `close` returns; closing it again could close another file.
            descriptor = nil
            try FileError.naming(path, closing.closeReportingErrors())
            if !isPublished { try publish() }
        } catch {
            cancel()
            throw error
        }
        if !injectionPoint(.skipsFolderFlush) { try FolderEntry.flush(of: path) }
    }

    /// Removes the temporary file. Does nothing after ``commit()``.
    public func cancel() {
        descriptor?.close()
        descriptor = nil
        removeTemporary()
    }

    /// Removes the temporary name. Only of a file of this object: another one may have had the name before.
    private func removeTemporary() {
        if hasTemporary, (try? FileTree.removeFile(temporaryPath)) != nil { hasTemporary = false }
    }

    /// The descriptor; after the end one that is not open.
    private var open: FileDescriptor { descriptor ?? FileDescriptor(-1) }

    private var isPublished: Bool
    private var hasTemporary = false

    private func publish() throws(FileError) {
        // Unlike a rename, a link never replaces a file that was created in the meantime.
        if !overwrite {
            do throws(SystemCondition) {
                try FileTree.addName(path, to: temporaryPath)
                isPublished = true
                // The file is in place even if its temporary name cannot be removed; `cancel` tries again.
                return removeTemporary()
            } catch {
                // Some file systems have no hard links; there the target is checked once more.
                guard [.notPermitted, .notSupported, .notImplemented].contains(error) else {
                    throw FileError(code: error.code, path: path)
                }
                try Self.checkTarget(path, overwrite: false)
            }
        }
        try FileError.naming(path, FileTree.move(temporaryPath, to: path))
        isPublished = true
        hasTemporary = false
    }

    /// Refuses a target early that ``commit()`` would refuse after all the work.
    private static func checkTarget(_ path: String, overwrite: Bool) throws(FileError) {
        guard let kind = FileStatus.kind(of: path, followsLinks: false) else { return }
        guard kind == .file || kind == .link else { throw .notAFile(path: path) }
        if !overwrite { throw .targetExists(path: path) }
    }
}

/// Functions on the name of a file and the folder that contains it.
package enum FolderEntry {
    /// Returns the folder of a path.
    package static func folder(of path: String) -> String {
        FileTree.folder(of: path)
    }

    /// Returns the last component of a path.
    package static func name(of path: String) -> String {
        String(path.split(separator: "/").last ?? "/")
    }

    /// Flushes the folder of a path, so that a new or removed name reaches the disk. If the folder cannot be opened or
    /// flushed, all file systems are flushed.
    package static func flush(of path: String) throws(FileError) {
        try FileError.naming(path, FileTree.flushFolderOrEverything(FileTree.folder(of: path)))
    }
}
