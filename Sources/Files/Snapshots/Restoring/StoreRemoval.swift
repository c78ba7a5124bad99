import ByteStreams
import FileSystem
import FoundationEssentials
import Injection
import Processes
import Records
import SystemErrors

/// The removal of a store: its files, and what interrupted operations have left of it.
package struct StoreRemoval {
    private let path: String
    private let name: String
    private let injectionPoint: ArmedInjectionPoints

    /// Checks the folder.
    ///
    /// - Throws: `FileError.notFound`, `RecordsError.notAStore`, `RecordsError.newerFormat`.
    package init(_ folder: String, injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints()) throws {
        self.injectionPoint = injectionPoint
        path = RestoredFolder.resolved(folder)
        name = FolderEntry.name(of: path)
        guard RestoredFolder.content(of: path) != nil else { throw FileError.notFound(path: folder) }
        guard try RecordStore.isStore(at: path) else { throw RecordsError.notAStore(path: folder) }
    }

    /// Removes everything that belongs to the store, and its folder unless other files are in it.
    ///
    /// The manifest goes last: until then the folder counts as a store, so that an interrupted removal can be repeated, and
    /// nobody creates a new store in it. The bytes are not overwritten.
    ///
    /// - Returns: the stores beside it, or in its folder, that restores have replaced; they are stores as well and stay.
    /// - Throws: `FileError`: `storeIsOpen` while a process has the store open.
    package func perform() throws(FileError) -> (isFolderRemoved: Bool, replaced: [String]) {
        let claim = try RestoredFolder.claim(path, named: path)
        defer { withExtendedLifetime(claim) {} }
        let parent = FolderEntry.folder(of: path)
        let data = names(in: path).filter(RecordStore.isData)
        for name in data where !RecordStore.isCommitLog(name) { try remove("\(path)/\(name)") }
        if let log = data.first(where: RecordStore.isCommitLog) {
            // What is left of an interrupted removal must not be a data file without its log, which counts as one in direct mode.
            try FolderEntry.flush(of: "\(path)/\(log)")
            try remove("\(path)/\(log)")
        }
        for entry in names(in: parent) where isAbandonedDraft(entry) { try remove("\(parent)/\(entry)") }
        // Before the manifest, too: without it, nothing shows that there is still something to remove.
        try FolderEntry.flush(of: path)
        let manifest = "\(path)/\(RecordStore.manifestName)"
        try FolderEntry.flush(of: manifest)
        try remove(manifest)
        try FolderEntry.flush(of: manifest)
        var isFolderRemoved = true
        do throws(SystemCondition) {
            try FileTree.removeFolder(path)
        } catch {
            isFolderRemoved = false
            // A mount point cannot be removed, nor can a folder in somebody else's.
            guard
                error.isPermission
                    || [.folderNotEmpty, .alreadyExists, .inUse, .readOnlyFileSystem].contains(error)
            else { throw FileError(code: error.code, path: path) }
        }
        if !injectionPoint(.skipsFolderFlush) { try FolderEntry.flush(of: path) }
        let beside = names(in: parent).filter { $0.hasPrefix("\(name).replaced-") }.map { "\(parent)/\($0)" }
        let inside = names(in: path).filter { $0.hasPrefix("replaced-") }.map { "\(path)/\($0)" }
        return (isFolderRemoved, beside + inside)
    }

    /// Whether a name beside the folder is that of a store which an earlier version was creating or restoring here, in a process
    /// that is gone.
    private func isAbandonedDraft(_ entry: String) -> Bool {
        for prefix in [".\(name).creating-", ".\(name).restoring-"] where entry.hasPrefix(prefix) {
            guard let process = Int32(entry.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0 else {
                return false
            }
            return !CurrentProcess.isAlive(process)
        }
        return false
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func remove(_ path: String) throws(FileError) {
        do throws(SystemCondition) {
            return try FileTree.removeFileIfPresent(path)
        } catch {
            guard error == .isAFolder || error == .notPermitted else { throw FileError(code: error.code, path: path) }
        }
        for name in names(in: path) { try remove("\(path)/\(name)") }
        try FileError.naming(path, FileTree.removeFolder(path))
    }
}
