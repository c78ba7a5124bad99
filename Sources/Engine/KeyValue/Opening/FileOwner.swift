import FileSystem

/// Who owns the files of a store, whoever has written them: what root restores or repairs stays the service's.
extension StoreFolder {
    /// Gives a file the owner, the group and the mode of another one, so that everybody who uses the store can use it.
    ///
    /// - Throws: `permissionDenied` when this user may not.
    static func giveOwner(of reference: String, to path: String) throws(KeyValueError) {
        let owner = try systemCall("look at the owner of a file", on: path, FileStatus(of: reference).owner)
        let present = try systemCall("look at the owner of a file", on: path, FileStatus(of: path).owner)
        try systemCall("set the owner of a file", on: path, owner.give(to: path, of: present))
    }

    /// Gives every file in the folder the owner and the group of a file or folder, and flushes what has changed. What this user may
    /// not give away keeps its owner, and gets the group if that is permitted.
    ///
    /// - Parameter includingMode: whether to take the mode as well, which a folder has another one of.
    func adoptOwner(of reference: String, includingMode: Bool) throws(KeyValueError) {
        guard let owner = try? FileStatus(of: reference).owner else { return }
        for name in try fileNames() where !isFolder(name) {
            let file = "\(path)/\(name)"
            let present = try call("look at a file", FileStatus(of: file).owner)
            guard !present.isSame(as: owner) || includingMode && !present.hasSameMode(as: owner) else { continue }
            owner.give(to: file)
            if includingMode { owner.giveMode(to: file) }
            try flush(name)
        }
    }
}
