import Glibc

/// What an error number of the operating system (an `errno`) means: the one place that puts such a number into words.
///
/// The words are Daybook's and not the system's, so that they fit into a sentence and are the same everywhere; the
/// symbolic name follows, since that is what manuals and search engines know.
package struct SystemCondition: Sendable, Equatable, CustomStringConvertible {
    /// The number.
    package let code: Int32

    /// The condition with this number.
    package init(_ code: Int32) {
        self.code = code
    }

    /// The condition in words and by name, to follow a colon or to stand in parentheses: `the path is too long
    /// (ENAMETOOLONG)`.
    package var description: String {
        guard let entry = Self.table[code] else { return Self.rareNames[code] ?? "error \(code)" }
        return "\(entry.words) (\(entry.name))"
    }

    /// A sentence that says what to do; nil where that depends on what was attempted.
    package var advice: String? { Self.table[code]?.advice }

    private struct Entry {
        let name: String
        let words: String
        let advice: String?

        init(_ name: String, _ words: String, _ advice: String? = nil) {
            (self.name, self.words, self.advice) = (name, words, advice)
        }
    }

    private static let table: [Int32: Entry] = [
        EPERM: Entry("EPERM", "permission is denied", "Check who owns it and its mode."),
        EACCES: Entry("EACCES", "permission is denied", "Check who owns it and its mode."),
        EROFS: Entry("EROFS", "the file system is read-only", "Mount it for writing, or use another place."),
        ENOENT: Entry("ENOENT", "it does not exist", "Check the path."),
        ENOTDIR: Entry("ENOTDIR", "a part of the path is not a folder", "Check the path."),
        EISDIR: Entry("EISDIR", "it is a folder", "Name a file."),
        EEXIST: Entry("EEXIST", "it exists already", "Use another name."),
        ENOTEMPTY: Entry("ENOTEMPTY", "the folder is not empty", "Use another name."),
        ENAMETOOLONG: Entry("ENAMETOOLONG", "the path is too long", "Use a shorter path."),
        ELOOP: Entry("ELOOP", "too many symbolic links follow each other", "Check the links in the path."),
        EMLINK: Entry("EMLINK", "the file has too many links"),
        EXDEV: Entry("EXDEV", "the two places are on different file systems", "Use a place on the same file system."),
        ENOSPC: Entry("ENOSPC", "the disk is full", "Free some space."),
        EDQUOT: Entry("EDQUOT", "the quota of disk space is used up", "Free some space."),
        EFBIG: Entry("EFBIG", "the file is larger than allowed", "Raise the limit of file sizes (ulimit -f)."),
        EIO: Entry("EIO", "the device reports an error", "Check the disk."),
        ENXIO: Entry("ENXIO", "there is no such device"),
        ENODEV: Entry("ENODEV", "the device cannot do this"),
        ESTALE: Entry("ESTALE", "the file server no longer has the file", "Mount it again."),
        ENOMEM: Entry(
            "ENOMEM", "there is not enough memory or address space",
            "Raise the limit of the process (ulimit -v), or free some memory."),
        EMFILE: Entry(
            "EMFILE", "the process has too many open files", "Close some, or raise the limit (ulimit -n)."),
        ENFILE: Entry("ENFILE", "the system has too many open files", "End some programs."),
        ENOBUFS: Entry("ENOBUFS", "the system has no buffers left", "End some programs."),
        EAGAIN: Entry("EAGAIN", "it is not available at the moment"),
        EBUSY: Entry("EBUSY", "it is in use"),
        ETXTBSY: Entry("ETXTBSY", "the program is running"),
        EINTR: Entry("EINTR", "a signal interrupted it"),
        ETIMEDOUT: Entry("ETIMEDOUT", "it took too long"),
        EDEADLK: Entry("EDEADLK", "programs wait for each other"),
        ENOLCK: Entry("ENOLCK", "the file system has no locks left", "Use a local file system."),
        EINVAL: Entry("EINVAL", "an argument is not valid here"),
        EOVERFLOW: Entry("EOVERFLOW", "a number is too large"),
        ENOSYS: Entry("ENOSYS", "the system has no such function"),
        EOPNOTSUPP: Entry("EOPNOTSUPP", "the file system cannot do this", "Use another file system."),
        ENOTTY: Entry("ENOTTY", "the file is not of the right kind"),
        ESPIPE: Entry("ESPIPE", "the file is not of the right kind"),
        ENOEXEC: Entry("ENOEXEC", "it is not a program for this system", "Install it again."),
        E2BIG: Entry("E2BIG", "there are too many arguments"),
        EBADF: Entry("EBADF", "the file is not open"),
        EFAULT: Entry("EFAULT", "an address is not valid"),
        EPIPE: Entry("EPIPE", "the reader has gone"),
        ECHILD: Entry("ECHILD", "there is no such child process"),
        ESRCH: Entry("ESRCH", "there is no such process"),
        ECONNREFUSED: Entry("ECONNREFUSED", "the connection is refused"),
        ECONNRESET: Entry("ECONNRESET", "the other side ended the connection"),
        EHOSTUNREACH: Entry("EHOSTUNREACH", "the host cannot be reached"),
        ENETUNREACH: Entry("ENETUNREACH", "the network cannot be reached"),
        EADDRINUSE: Entry("EADDRINUSE", "the address is in use"),
    ]
}
