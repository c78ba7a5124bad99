import ByteStreams
import CFolderExchange
import CivilTime
import FoundationEssentials
import Glibc
import Records
import Synchronization

/// The place of a store that is being restored, and the folder beside it in which it is built.
package struct RestoredFolder {
    /// The place, without symbolic links and a trailing slash.
    package let path: String
    /// The folder in which the store is built. It is beside the place, so that only a rename remains.
    package let draft: String
    private let isTaken: Bool
    /// The number of restores that this process has begun, which makes the names of drafts unique.
    private static let count = Atomic<Int>(0)

    /// Checks the place, and removes drafts beside it that interrupted restores have left.
    ///
    /// - Throws: `targetExists` for a store that may not be replaced, `storeIsOpen` for one that a process has open,
    ///   `notAStore` for a folder of other files.
    package init(_ folder: String, replacing: Bool) throws(FileError) {
        path = Self.resolved(folder)
        let prefix = ".\(FolderEntry.name(of: path)).restoring-"
        let parent = FolderEntry.folder(of: path)
        draft = "\(parent)/\(prefix)\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
        switch Self.content(of: path) {
        case nil: isTaken = false
        case .some(let names) where names.isEmpty: isTaken = false
        case .some(let names) where names.contains("data.mdb") || names.contains("store.json"):
            guard replacing else { throw .targetExists(path: folder) }
            isTaken = true
            // Checked again at the end; checking now reports an open store before all the work.
            _ = try Self.claim(path, named: folder)
        case .some: throw .notAStore(path: folder)
        }
        var status = stat()
        guard stat(parent, &status) == 0 else { throw FileError(code: errno, path: parent) }
        removeAbandoned(prefix, in: parent)
    }

    /// Moves the finished draft to its place; a store that was there is kept beside it.
    ///
    /// - Parameter claim: the right to replace that store, if it was claimed already, so that nobody has written to it since.
    /// - Returns: where the old store is kept.
    package func take(at instant: Instant, holding claim: StoreClaim? = nil) throws(FileError) -> String? {
        do throws(FileError) {
            return try place(at: instant, holding: claim)
        } catch {
            // A draft that could not be moved is useless. After an exchange nothing has the draft's name.
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    private func place(at instant: Instant, holding held: StoreClaim?) throws(FileError) -> String? {
        let placement = FolderPlacement(draft: draft, target: path)
        guard isTaken else {
            try placement.place()
            return nil
        }
        // A process that has the old store open would continue writing into a folder that is only kept.
        let claim: StoreClaim
        if let held { claim = held } else { claim = try Self.claim(path, named: path) }
        defer { withExtendedLifetime(claim) {} }
        let moment = instant.fileNameText
        var aside = "\(path).replaced-\(moment)"
        var count = 1
        while access(aside, F_OK) == 0 {
            count += 1
            aside = "\(path).replaced-\(moment)-\(count)"
        }
        try placement.replace(keepingOldAt: aside)
        return aside
    }

    /// The right to replace or remove the store that is there.
    package static func claim(_ path: String, named name: String) throws(FileError) -> StoreClaim {
        do {
            if let claim = try RecordStore.claim(at: path) { return claim }
        } catch .engine(.permissionDenied) {
            throw .permissionDenied(path: name)
        } catch .engine(.system(_, let code)), .engine(.busy(_, let code)) {
            throw FileError(code: code, path: name)
        } catch {
            throw .notFound(path: name)
        }
        throw .storeIsOpen(path: name)
    }

    /// The names in a folder; nil when it does not exist. A file counts as a folder of other files.
    static func content(of path: String) -> [String]? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [path]
    }

    static func resolved(_ folder: String) -> String {
        if let resolved = realpath(folder, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private func removeAbandoned(_ prefix: String, in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }) else { continue }
            // Other drafts of this process may belong to running restores. One with the new draft's name is from an
            // earlier process with the same id.
            let isGone = process > 0 && process != getpid() && kill(process, 0) != 0 && errno == ESRCH
            if isGone || name == FolderEntry.name(of: draft) {
                try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
    }
}

/// Moves a complete and flushed folder to its place in one step.
struct FolderPlacement {
    /// The finished folder, beside its place.
    let draft: String
    /// Its place.
    let target: String

    /// Moves the draft to a place where nothing or an empty folder is.
    func place() throws(FileError) {
        guard rename(draft, target) == 0 else {
            if errno == ENOTEMPTY || errno == EEXIST { throw .targetExists(path: target) }
            throw FileError(code: errno, path: target)
        }
        try FolderEntry.flush(of: target)
    }

    /// Replaces the folder at the place, which is kept under another name.
    ///
    /// At every moment one of the two folders is at the place, since they are exchanged in one step where the file
    /// system supports it.
    func replace(keepingOldAt aside: String) throws(FileError) {
        // The exchange gives the draft's name to the old folder. A crash at that moment must not leave it under a name
        // that the next restore would remove as an abandoned draft.
        try move(draft, to: aside)
        do throws(FileError) {
            try FolderEntry.flush(of: target)
        } catch {
            try? move(aside, to: draft)
            throw error
        }
        if exchange_names(aside, target) != 0 {
            let code = errno
            try move(aside, to: draft)
            guard code == EINVAL || code == ENOSYS || code == ENOTSUP else {
                throw FileError(code: code, path: target)
            }
            try move(target, to: aside)
            do throws(FileError) {
                try move(draft, to: target)
            } catch {
                try? move(aside, to: target)
                throw error
            }
        }
        try FolderEntry.flush(of: target)
    }

    private func move(_ from: String, to new: String) throws(FileError) {
        if rename(from, new) != 0 { throw FileError(code: errno, path: new) }
    }
}
