import ByteStreams
import FoundationEssentials
import Records

/// Checks whether an operation on files has kept its promise after a crash or a failed call.
struct FileJudge: Sendable {
    let recording: FileRecording
    /// Whether the operation reported success.
    var isAcknowledged = false
    /// Whether temporary files may remain: after a crash, not after an error.
    var mayLeaveFiles = true

    // MARK: By its files alone

    /// Returns what is wrong with the files; nil if nothing is. A promise about stores also needs `checkStores`.
    func problem(of image: DiskImage) -> String? {
        switch recording.operation.promise {
        case .file(let name): problem(of: "\(OperationFolder.home)/\(name)", in: image)
        case .folder(let name): problemBeside("\(OperationFolder.home)/\(name)", in: image)
        case .gone(let name): problemOfRemoval(of: "\(OperationFolder.home)/\(name)", in: image)
        case .store: problemBeside(Recording.storePath, in: image)
        }
    }

    private func problem(of target: String, in image: DiskImage) -> String? {
        let (old, new) = (recording.start.files[target], recording.end.files[target])
        let found = image.files[target]
        if found != new, isAcknowledged || found != old {
            if found == nil { return isAcknowledged ? "the file is gone" : "the file that was there is gone" }
            return found == old ? "the file is the old one although it was replaced" : "the file is torn"
        }
        for (path, content) in recording.start.files where path != target && image.files[path] != content {
            return "another file has changed: \(path)"
        }
        for path in image.files.keys where path != target && recording.start.files[path] == nil {
            let isTemporary = path.hasPrefix(target + ".") && path.hasSuffix(".tmp")
            guard isTemporary, mayLeaveFiles, !isAcknowledged else { return "a file is left: \(Self.nameless(path))" }
        }
        return nil
    }

    /// Checks everything outside the store that changes and the folders that become or were one.
    private func problemBeside(_ target: String, in image: DiskImage) -> String? {
        for (path, content) in recording.start.files where !path.hasPrefix(target + "/") && image.files[path] != content
        {
            return "another file has changed: \(path)"
        }
        // Between the exchange and the rename the old store has the temporary name; an error must not delete it.
        let data = "\(target)/data.mdb"
        let old = recording.start.files[data]
        let isExchanged = old != nil && image.files[data] != nil && image.files[data] != old
        for path in image.files.keys
        where path.contains(/\/(building|arriving)\//) && (!mayLeaveFiles || isAcknowledged) {
            return "a file is left: \(Self.nameless(path))"
        }
        for path in image.files.keys where recording.start.files[path] == nil && !path.hasPrefix(target + "/") {
            let isDraft = path.contains(/^home\/\.[^\/]*\.(restoring|creating)-[0-9]/)
            let isOldStore = path.hasPrefix(target + ".replaced-")
            guard isOldStore || isDraft && (mayLeaveFiles || isExchanged) && !isAcknowledged else {
                return "a file is left: \(Self.nameless(path))"
            }
        }
        return nil
    }

    /// Checks that files of a store are there unchanged, or not at all, and that a store which has data has its manifest, so
    /// that everyone sees a store.
    private func problemOfRemoval(of target: String, in image: DiskImage) -> String? {
        let draft = "\(DiskImage.folder(of: target))/.\(DiskImage.name(of: target))."
        func isOfStore(_ path: String) -> Bool {
            path == target || path.hasPrefix(target + "/") || path.hasPrefix(draft)
        }
        for (path, content) in image.files where content != recording.start.files[path] {
            return "a file has changed: \(Self.nameless(path))"
        }
        for path in recording.start.files.keys where !isOfStore(path) && image.files[path] == nil {
            return "another file is gone: \(path)"
        }
        if isAcknowledged, let left = image.folders.union(image.files.keys).filter(isOfStore).min() {
            return "a file of the store is left: \(Self.nameless(left))"
        }
        let files = Set(image.files.keys.filter { $0.hasPrefix(target + "/") })
        return files.isEmpty || files.contains("\(target)/store.json") ? nil : "the store has lost its manifest first"
    }

    /// Makes the problem read the same for every process id.
    private static func nameless(_ path: String) -> String { path.replacing(/[0-9]+/, with: "N") }

    // MARK: By opening stores

    /// Checks the stores in a folder of this process's own.
    func checkStores(at place: OperationFolder, reporter: ChildReporter) throws {
        let target: String
        switch recording.operation.promise {
        case .file, .store: return
        case .folder(let name): target = place.path(name)
        case .gone(let name):
            reporter.report("stage", "opening what is left")
            guard Self.isStore(place.path(name)),
                try Self.content(ofStoreAt: place.path(name)) != recording.contentAfter
            else { return }
            throw BrokenPromise("the store has lost something")
        }
        guard Self.isStore(target) else {
            if isAcknowledged { throw BrokenPromise("the store is gone") }
            if recording.contentBefore != nil { throw BrokenPromise("the store that was there is gone") }
            return
        }
        reporter.report("stage", "opening the target")
        let content = try Self.content(ofStoreAt: target)
        guard content == recording.contentAfter || !isAcknowledged && content == recording.contentBefore else {
            throw BrokenPromise("the target holds neither the old nor the new content")
        }
        guard let before = recording.contentBefore, content != before, recording.operation.keepsOldStore else { return }
        reporter.report("stage", "looking for the store that was replaced")
        let (home, name) = (DiskImage.folder(of: target), DiskImage.name(of: target))
        let beside = try FileManager.default.contentsOfDirectory(atPath: home)
            .filter { $0.hasPrefix(".\(name).restoring-") || $0.hasPrefix("\(name).replaced-") }
        let inside = try FileManager.default.contentsOfDirectory(atPath: target).filter { $0.hasPrefix("replaced-") }
        let others = (beside.map { "\(home)/\($0)" } + inside.map { "\(target)/\($0)" }).filter(Self.isStore)
        guard others.contains(where: { (try? Self.content(ofStoreAt: $0)) == before }) else {
            throw BrokenPromise("the store that was replaced is gone")
        }
    }

    /// Repeats a removal, which must complete it. There may be nothing left to remove but an empty folder.
    func repeatRemoval(at place: OperationFolder) throws {
        do {
            try recording.operation.begin(place)()
        } catch FileError.notFound {
        } catch RecordsError.notAStore, RecordsError.manifestMissing {
        }
        var judge = self
        judge.isAcknowledged = true
        var left = try FolderFiles.image(of: place.folder) { $0 != LockFile.fileName }
        if case .gone(let name) = recording.operation.promise {
            left.removeEmptyFolder("\(OperationFolder.home)/\(name)")
        }
        if let problem = judge.problem(of: left) { throw BrokenPromise("\(problem), when the operation is repeated") }
    }

    /// Whether there is a store that opening would find: in its place, or on its way there.
    static func isStore(_ path: String) -> Bool {
        ["data.mdb", "arriving"].contains { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }

    /// Returns a digest of a store's content after verifying the store.
    static func content(ofStoreAt path: String) throws -> UInt64 {
        let store = try LabStore(at: path)
        defer { store.close() }
        if let problem = try store.problems().first { throw BrokenPromise("verify reports: \(problem)") }
        return try LabImport.content(of: store)
    }
}
