import Glibc

/// The name of a file in its folder.
package enum FolderEntry {
    /// The folder that holds a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        String(path.split(separator: "/").last ?? "/")
    }

    /// Flushes the folder that holds a path: a name, or that it is gone, has to reach the disk too. Where the folder may
    /// not be opened, or its file system cannot flush folders, everything is flushed.
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
