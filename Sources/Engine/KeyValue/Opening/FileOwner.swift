#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Who owns the files of a store, whoever has written them: what root restores or repairs stays the service's.
extension StoreFolder {
    /// Gives a file the owner, the group and the mode of another one, so that everybody who uses the store can use it.
    ///
    /// - Throws: `permissionDenied` when this user may not.
    static func giveOwner(of reference: String, to path: String) throws(KeyValueError) {
        guard let owner = FileOwner(of: reference), let present = FileOwner(of: path) else {
            throw .refused("look at the owner of a file", on: path, code: errno)
        }
        guard unsafe present.hasOwner(of: owner) || chown(path, owner.user, owner.group) == 0,
            unsafe present.mode == owner.mode || chmod(path, owner.mode) == 0
        else { throw .refused("set the owner of a file", on: path, code: errno) }
    }

    /// Gives every file in the folder the owner and the group of a file or folder, and flushes what has changed. What this user may
    /// not give away keeps its owner, and gets the group if that is permitted.
    ///
    /// - Parameter includingMode: whether to take the mode as well, which a folder has another one of.
    func adoptOwner(of reference: String, includingMode: Bool) throws(KeyValueError) {
        guard let owner = FileOwner(of: reference) else { return }
        for name in try fileNames() where !isFolder(name) {
            let file = "\(path)/\(name)"
            guard let present = FileOwner(of: file) else { throw error("look at a file") }
            guard !present.hasOwner(of: owner) || includingMode && present.mode != owner.mode else { continue }
            owner.give(to: file)
            if includingMode { unsafe chmod(file, owner.mode) }
            try flush(name)
        }
    }
}

/// The owner, the group and the mode of a file or folder.
struct FileOwner {
    let user: uid_t
    let group: gid_t
    /// The permissions.
    let mode: mode_t

    /// Nil when it cannot be looked at.
    init?(of path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        user = information.st_uid
        group = information.st_gid
        mode = information.st_mode & 0o7777
    }

    func hasOwner(of other: FileOwner) -> Bool { user == other.user && group == other.group }

    /// Gives a file or folder this owner as far as this user may.
    func give(to path: String) {
        if unsafe chown(path, user, group) != 0 { unsafe chown(path, uid_t.max, group) }
    }
}
