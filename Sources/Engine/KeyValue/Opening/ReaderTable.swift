import FileSystem
import SystemErrors

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
        let found = try? FileStatus(of: file)
        do throws(SystemCondition) {
            if let found {
                try FileTree.checkReadingAndWriting(file)
                guard found.kind == .file else {
                    return .refused("open the lock file", code: SystemCondition.isAFolder.code)
                }
                if found.size > 0, found.allocatedSize >= found.size { return nil }
            }
            let descriptor = try FileDescriptor(file, for: .openingOrCreating)
            defer { descriptor.close() }
            let size = found?.size ?? 0
            // Where the file system cannot do it, the C library writes to each block, which must not be in use.
            guard size == 0 || !isLockFileInUse else { return nil }
            do throws(SystemCondition) {
                try descriptor.allocate(max(size, Self.lockHeader + Self.bytesOfReader * (readerSlots - 1)))
            } catch {
                if found == nil { removeFile(Self.lockFile) }
                return .refused("make room for the lock file", on: file, code: error.code)
            }
        } catch {
            return self.error("open the lock file", error)
        }
        if found == nil, let owner = try? FileStatus(of: "\(path)/\(Self.dataFile)").owner {
            owner.give(to: file)
            owner.giveMode(to: file)
        }
        return nil
    }
}
