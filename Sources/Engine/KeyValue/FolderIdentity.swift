#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which folder it is, whatever it is called: two paths to one store must not open it twice.
struct FolderIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    /// Nil when there is no folder at the path.
    init?(path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else { return nil }
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
    }
}
