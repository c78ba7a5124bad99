#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LMDB's lock file, in which readers say which state they see, so that no writer reuses its pages.
extension StoreFolder {
    /// The bytes of LMDB's lock file without readers, and for each of them.
    private static let (lockHeader, bytesOfReader) = (192, 64)

    /// Makes the lock file usable before LMDB opens it: it is there, with all of its blocks, and belongs to whom the data file
    /// belongs. Inside the gate, while this process does not have it open: closing a descriptor of it ends LMDB's locks.
    ///
    /// LMDB maps the file, and touching a block that a full disk cannot give it ends the process. And what root leaves behind by
    /// looking must not keep a service from its store.
    ///
    /// - Returns: why it cannot be used; nil if it can. Cost: one or two looks at it, in nearly all cases.
    func prepareLockFile(readerSlots: Int) -> KeyValueError? {
        let file = "\(path)/\(Self.lockFile)"
        var found = stat()
        let isThere = unsafe stat(file, &found) == 0
        if isThere {
            guard unsafe access(file, R_OK | W_OK) == 0 else { return error("open the lock file") }
            guard found.st_mode & S_IFMT == S_IFREG else { return .refused("open the lock file", code: EISDIR) }
            if found.st_size > 0, Int(found.st_blocks) * 512 >= Int(found.st_size) { return nil }
        }
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return error("open the lock file") }
        defer { _ = close(descriptor) }
        let length = max(Int(found.st_size), Self.lockHeader + Self.bytesOfReader * readerSlots - Self.bytesOfReader)
        // Where the file system cannot do it, the C library writes to each block, which must not be in use.
        guard found.st_size == 0 || !isLockFileInUse else { return nil }
        let code = posix_fallocate(descriptor, 0, off_t(length))
        guard code == 0 else {
            if !isThere { removeFile(Self.lockFile) }
            return .refused("make room for the lock file", on: file, code: code)
        }
        if !isThere, let owner = FileOwner(of: "\(path)/\(Self.dataFile)") {
            owner.give(to: file)
            unsafe chmod(file, owner.mode)
        }
        return nil
    }
}
