import Glibc
import Synchronization
import SystemErrors

/// The names of files and folders: how they are created, moved, found, removed and flushed.
package enum FileTree {
    // MARK: Finding

    /// Whether there is something at a path, links followed.
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this user may write to what is at a path.
    package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// Checks that this user may read and write what is at a path.
    package static func checkReadingAndWriting(_ path: String) throws(SystemCondition) {
        try check(unsafe access(path, R_OK | W_OK))
    }

    /// The names in a folder, in no order.
    package static func names(in folder: String) throws(SystemCondition) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw .last }
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                unsafe String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The paths that match a shell pattern, in no order; folders end in a slash.
    package static func paths(matching pattern: String) -> [String] {
        var matches = unsafe glob_t()
        defer { unsafe globfree(&matches) }
        guard unsafe glob(pattern, GLOB_MARK | GLOB_NOSORT, nil, &matches) == 0 else { return [] }
        return unsafe (0..<Int(matches.gl_pathc)).compactMap { index in
            unsafe matches.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }

    /// A path without symbolic links; nil when nothing is there.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The bytes of a small file.
    package static func read(_ path: String) throws(SystemCondition) -> [UInt8] {
        let file = try FileDescriptor(path, for: .reading)
        defer { file.close() }
        // The files of /proc have no length.
        var bytes = [UInt8](repeating: 0, count: max(try file.status.size, 1 << 16))
        let count = try file.fill(&bytes, at: 0)
        return Array(bytes.prefix(count))
    }

    /// The target of a symbolic link; nil when the path is no link.
    package static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: Changing

    /// Creates a folder with mode 0700.
    package static func makeFolder(_ path: String) throws(SystemCondition) { try check(unsafe mkdir(path, 0o700)) }

    /// Removes an empty folder.
    package static func removeFolder(_ path: String) throws(SystemCondition) { try check(unsafe rmdir(path)) }

    /// Removes the name of a file.
    package static func removeFile(_ path: String) throws(SystemCondition) { try check(unsafe unlink(path)) }

    /// Removes the name of a file, if there is one.
    package static func removeFileIfPresent(_ path: String) throws(SystemCondition) {
        guard unsafe unlink(path) != 0 else { return }
        let condition = SystemCondition.last
        if condition != .notFound { throw condition }
    }

    /// Gives a file or folder another name, in place of what has it.
    package static func move(_ path: String, to newPath: String) throws(SystemCondition) {
        try check(unsafe rename(path, newPath))
    }

    /// Gives a file a second name; fails if that is taken.
    package static func addName(_ newPath: String, to path: String) throws(SystemCondition) {
        try check(unsafe link(path, newPath))
    }

    /// Creates a file with a name that nobody has: the path, this process and a number.
    package static func makeTemporaryFile(
        _ path: String
    ) throws(SystemCondition) -> (path: String, descriptor: FileDescriptor) {
        while true {
            let number = temporaryFileCount.add(1, ordering: .relaxed).newValue
            let temporaryPath = "\(path).\(getpid())-\(number).tmp"
            do throws(SystemCondition) {
                return (temporaryPath, try FileDescriptor(temporaryPath, for: .creating))
            } catch {
                // A process with the same id, an earlier one or one in another container, has made a file of this name.
                if error != .alreadyExists { throw error }
            }
        }
    }

    /// Creates a file whose name is removed at once: it disappears when it is closed.
    package static func makeNamelessFile(_ path: String) throws(SystemCondition) -> FileDescriptor {
        let (temporaryPath, descriptor) = try makeTemporaryFile(path)
        try? removeFile(temporaryPath)
        return descriptor
    }

    private static let temporaryFileCount = Atomic<Int>(0)

    /// Replaces a small file as a whole with one of mode 0600, which is durable when the call returns.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemCondition) {
        let (draft, descriptor) = try makeTemporaryFile(path)
        do throws(SystemCondition) {
            try fill(descriptor, with: bytes)
            try move(draft, to: path)
        } catch {
            try? removeFile(draft)
            throw error
        }
        try flush(folder(of: path), openedFor: .folder)
    }

    private static func fill(_ descriptor: FileDescriptor, with bytes: [UInt8]) throws(SystemCondition) {
        defer { descriptor.close() }
        try descriptor.write(bytes)
        try descriptor.flush()
    }

    // MARK: Flushing

    /// Flushes a file, or the names in a folder.
    package static func flush(_ path: String, openedFor access: FileDescriptor.Access) throws(SystemCondition) {
        let descriptor = try FileDescriptor(path, for: access)
        defer { descriptor.close() }
        try descriptor.flush()
    }

    /// Flushes the names in a folder, or everything where this user may not read the folder, or its file system cannot flush one.
    package static func flushFolderOrEverything(_ path: String) throws(SystemCondition) {
        let folder: FileDescriptor
        do throws(SystemCondition) {
            folder = try FileDescriptor(path, for: .folder)
        } catch {
            guard error.isPermission else { throw error }
            return sync()
        }
        defer { folder.close() }
        do throws(SystemCondition) {
            try folder.flush()
        } catch {
            guard error == .invalidArgument || error == .notSupported else { throw error }
            sync()
        }
    }

    /// The folder of a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Space

    /// Whether the file system of a path has no space left for this user.
    package static func isFull(at path: String) -> Bool {
        var information = statvfs()
        return unsafe statvfs(path, &information) == 0 && information.f_bavail == 0
    }
}
