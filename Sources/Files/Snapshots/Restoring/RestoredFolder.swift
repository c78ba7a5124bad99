import ByteStreams
import CivilTime
import FileSystem
import FoundationEssentials
import Injection
import Records
import SystemErrors

/// The place of a store that is being restored, and the draft in which it is built, inside the place.
package struct RestoredFolder {
    /// The place, without symbolic links and a trailing slash.
    package let path: String
    /// The folder in which the store is built. It goes with this value unless it has taken the place.
    package var draft: String { building.path }
    private let building: StoreDraft
    private let isTaken: Bool

    /// Checks the place, and removes drafts in it that interrupted restores have left.
    ///
    /// - Throws: `targetExists` for a store that may not be replaced, `storeIsOpen` for one that a process has open,
    ///   `notAStore` for a folder of other files.
    package init(
        _ folder: String, replacing: Bool, injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints()
    ) throws(FileError) {
        let path = Self.resolved(folder)
        self.path = path
        try Self.translating(path) { () throws(RecordsError) in try RecordStore.completePlacement(at: path) }
        switch Self.content(of: path)?.filter({ !RecordStore.isBesideStore($0) }) {
        case nil:
            isTaken = false
            let parent = FolderEntry.folder(of: path)
            _ = try FileError.naming(parent, FileStatus(of: parent))
        case .some(let names) where names.isEmpty: isTaken = false
        case .some(let names) where names.contains("data.mdb") || names.contains("store.json"):
            guard replacing else { throw .targetExists(path: folder) }
            isTaken = true
            // Checked again at the end; checking now reports an open store before all the work.
            _ = try Self.claim(path, named: folder)
        case .some: throw .notAStore(path: folder)
        }
        building = try Self.translating(path) { () throws(RecordsError) in
            try RecordStore.draft(at: path, injectionPoint: injectionPoint)
        }
    }

    /// Lets the finished draft take its place; a store that was there is kept.
    ///
    /// - Parameter claim: the right to replace that store, if it was claimed already, so that nobody has written to it since.
    /// - Returns: where the old store is kept: beside the folder, or inside it where nothing can be put beside it.
    package func take(at instant: Instant, holding claim: StoreClaim? = nil) throws(FileError) -> String? {
        guard isTaken else {
            guard try Self.translating(path, { () throws(RecordsError) in try building.takePlace() }) else {
                throw .targetExists(path: path)
            }
            return nil
        }
        // A process that has the old store open would continue writing into files that are only kept.
        let held: StoreClaim
        if let claim { held = claim } else { held = try Self.claim(path, named: path) }
        let moment = instant.fileNameText
        let kept = try Self.translating(path) { () throws(RecordsError) in
            try building.replace(holding: held, keepingAs: moment)
        }
        return moveBeside(kept, moment)
    }

    /// Moves the store that was kept out of the folder, where it is in nobody's way.
    private func moveBeside(_ kept: String, _ moment: String) -> String {
        var beside = "\(path).replaced-\(moment)"
        var count = 1
        while FileTree.exists(beside) {
            count += 1
            beside = "\(path).replaced-\(moment)-\(count)"
        }
        // Not possible for a mount point, nor where the folder above is somebody else's.
        guard (try? FileTree.move(kept, to: beside)) != nil else { return kept }
        try? FolderEntry.flush(of: beside)
        return beside
    }

    /// The right to replace or remove the store that is there.
    package static func claim(_ path: String, named name: String) throws(FileError) -> StoreClaim {
        let claim = try translating(name) { () throws(RecordsError) in try RecordStore.claim(at: path) }
        guard let claim else { throw .storeIsOpen(path: name) }
        return claim
    }

    /// The names in a folder; nil when it does not exist. A file counts as a folder of other files.
    static func content(of path: String) -> [String]? {
        guard FileStatus.kind(of: path, followsLinks: false) != nil else { return nil }
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [path]
    }

    static func resolved(_ folder: String) -> String {
        if let resolved = FileTree.resolved(folder) { return resolved }
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Runs what the engine does to the folder, and reports its errors as those of a file.
    private static func translating<Result>(
        _ name: String, _ body: () throws(RecordsError) -> Result
    ) throws(FileError) -> Result {
        do throws(RecordsError) {
            return try body()
        } catch {
            guard case .engine(let error) = error else { throw .notFound(path: name) }
            switch error {
            case .storeNotFound: throw .notFound(path: name)
            case .permissionDenied: throw .permissionDenied(path: name)
            case .readOnlyFileSystem: throw .readOnlyFileSystem(path: name)
            case .storageFull: throw .diskFull(path: name)
            case .notAStore: throw .notAStore(path: name)
            case .system(_, let code), .busy(_, let code): throw FileError(code: code, path: name)
            case .lockHeld: throw .storeIsOpen(path: name)
            default: throw FileError(code: SystemCondition.inputOutput.code, path: name)
            }
        }
    }
}
