import ByteStreams
import CivilTime
import FoundationEssentials
import Glibc
import Records
import Synchronization

/// The place of a store that is being restored, and the folder beside it where that happens.
package struct RestoredFolder {
    /// The place, without links and a slash at the end.
    package let path: String
    /// Where the store is built: beside its place, so that it only has to change its name.
    package let draft: String
    private let isTaken: Bool
    /// Restores begun by this process: with its number, that makes each draft its own.
    private static let count = Atomic<Int>(0)

    /// Looks at the place, and removes what a restore that did not live to its end has left beside it.
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
            // Looked at again at the end, but whoever has to close something first should not wait for that.
            _ = try Self.claim(path, named: folder)
        case .some: throw .notAStore(path: folder)
        }
        var status = stat()
        guard stat(parent, &status) == 0 else { throw FileError(code: errno, path: parent) }
        removeAbandoned(prefix, in: parent)
    }

    /// Puts the finished draft into the place; a store that was there is kept beside it.
    ///
    /// - Returns: where it is kept.
    package func take(at instant: Instant) throws(FileError) -> String? {
        do throws(FileError) {
            return try place(at: instant)
        } catch {
            // What could not take its place is of no use. After an exchange nothing has the draft's name.
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    private func place(at instant: Instant) throws(FileError) -> String? {
        let placement = FolderPlacement(draft: draft, target: path)
        guard isTaken else {
            try placement.place()
            return nil
        }
        // A process that had the old store open would write on into a folder that is only kept.
        let claim = try Self.claim(path, named: path)
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

    /// The right to replace the store that is there.
    private static func claim(_ path: String, named name: String) throws(FileError) -> StoreClaim {
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

    /// The names in a folder; nil when there is none. A file counts as a folder of other files.
    private static func content(of path: String) -> [String]? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [path]
    }

    private static func resolved(_ folder: String) -> String {
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
            // Another draft of this process may be of a restore that is at work; one of the name that was just given out
            // is of an earlier process that had the same number.
            let isGone = process > 0 && process != getpid() && kill(process, 0) != 0 && errno == ESRCH
            if isGone || name == FolderEntry.name(of: draft) {
                try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
    }
}
