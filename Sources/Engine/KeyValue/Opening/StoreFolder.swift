import FileSystem
import SystemErrors

/// The folder of a store: its contents, and its atomic creation.
///
/// LMDB's creation is not crash-safe: a crash between its first two pages leaves a file that cannot be opened again. So
/// a store is created as a draft inside its folder, flushed and put in its place in one step (`StoreDraft`), and the folder's
/// entry in the parent folder is flushed before the first write to it.
struct StoreFolder {
    let path: String

    enum State {
        /// Nothing there, or an empty folder.
        case vacant
        /// LMDB's data file is there.
        case store
    }

    static let dataFile = "data.mdb"
    static let lockFile = "lock.mdb"

    func inspect() throws(KeyValueError) -> State {
        let status: FileStatus
        do throws(SystemCondition) {
            status = try FileStatus(of: path)
        } catch {
            if error == .notFound { return .vacant }
            throw self.error("inspect the store's folder", error)
        }
        guard status.kind == .folder else { throw .notAStore(path: path) }
        let names = try fileNames()
        // Opening it completes what was begun.
        if names.contains(Self.arrivingFolder) { return .store }
        if names.allSatisfy(Self.isBesideStore) { return .vacant }
        guard names.contains(Self.dataFile) else { throw .notAStore(path: path) }
        // LMDB takes a file shorter than its two meta pages for a new one and would start over on top of it.
        guard let length = fileLength(Self.dataFile), length >= 2 * 4096 else {
            throw .damaged(path: path, detail: "the data file is truncated")
        }
        return .store
    }

    /// How many transactions creation takes at most: one for the tables, one for the entries.
    static let creationTransactions: UInt64 = 2

    /// Creates a store at `path` atomically. Its entry in the parent folder has been flushed then.
    func create(_ content: NewStoreContent, configuration: EnvironmentConfiguration) throws(KeyValueError) {
        let draft = try StoreDraft(
            in: path, flushesEntry: !configuration.injectionPoint(.skipsParentFlush), waiting: configuration.lockWait)
        let folder = StoreFolder(path: draft.path)
        try folder.call("create the store", FileTree.makeFolder(draft.path))
        try folder.fill(content, configuration: configuration)
        // Where another process was faster, its store is equivalent.
        _ = try draft.takeVacantPlace()
    }

    /// Flushes the folder's entry in its parent, without which a power failure can remove the entire folder.
    ///
    /// A parent that this user may not read cannot be flushed, nor can folders of some file systems: then `sync`
    /// flushes everything. That is slow, but happens only when the store is new. After a failed flush the store is not created,
    /// or does not open: it is empty, and what is written to it now could be lost with it.
    func flushEntry() throws(KeyValueError) {
        let parent = Self.parent(of: resolvedPath ?? path)
        try call("flush the store's parent folder", FileTree.flushFolderOrEverything(parent))
    }

    private func fill(_ content: NewStoreContent, configuration: EnvironmentConfiguration) throws(KeyValueError) {
        for (name, bytes) in content.files.sorted(by: { $0.key < $1.key }) {
            try write(bytes, to: name)
        }
        if configuration.commitLog.makesFile { try write(CommitFile.contentOfNew, to: CommitFile.name) }
        let handle = try EnvironmentHandle(creatingIn: path, configuration: configuration)
        do throws(KeyValueError) {
            let tables = try handle.openTables(content.tables)
            let state = try handle.beginWrite()
            do throws(KeyValueError) {
                let transaction = RawWriteTransaction(state)
                for entry in content.entries {
                    guard let table = tables.first(where: { $0.name == entry.table }) else {
                        throw KeyValueError.tableMissing(name: entry.table)
                    }
                    try unsafe transaction.put(entry.key.span.bytes, entry.value.span.bytes, in: table)
                }
            } catch {
                handle.abort(state)
                throw error
            }
            try handle.check(handle.commit(state), "create the store")
            handle.close()
        } catch {
            handle.close()
            throw error
        }
        // The file itself is durable: the first commit flushes all of it, including the two pages that LMDB writes when
        // it opens a new file.
    }

    /// Creates the folder of a draft and opens it. Only the files are flushed.
    func createDraft(
        files: [String: [UInt8]], configuration: EnvironmentConfiguration
    ) throws(KeyValueError) -> EnvironmentHandle {
        _ = try StoreFolder(path: Self.parent(of: path)).createWithAncestors()
        do throws(SystemCondition) {
            try FileTree.makeFolder(path)
        } catch {
            throw error == .alreadyExists ? .notAStore(path: path) : self.error("create the store", error)
        }
        do throws(KeyValueError) {
            for (name, bytes) in files.sorted(by: { $0.key < $1.key }) { try write(bytes, to: name) }
            return try EnvironmentHandle(creatingIn: path, configuration: configuration, isDraft: true)
        } catch {
            remove()
            throw error
        }
    }

    /// Refuses a data file that ends before the pages it should hold; touching those would end the process with a
    /// signal. Free pages may legitimately be missing: a transaction allocated them at the end of the file and freed
    /// them before it ended, so they were never written.
    func checkLength() throws(KeyValueError) {
        let file = "\(path)/\(Self.dataFile)"
        while true {
            let meta = try MetaPage.newest(in: file)
            let length = try call("inspect the data file", FileStatus(of: file).size)
            let pagesInFile = UInt64(length / meta.pageSize)
            guard meta.lastPage >= pagesInFile else { return }
            if try FreePages(in: file, of: meta).contains(all: pagesInFile...meta.lastPage) { return }
            // Another process may have committed in the meantime: then check again.
            guard try MetaPage.newest(in: file).transaction != meta.transaction else {
                throw .damaged(path: path, detail: "the data file is truncated")
            }
        }
    }

    // MARK: Files

    func write(_ bytes: [UInt8], to name: String) throws(KeyValueError) {
        let file = try call("create a file", FileDescriptor("\(path)/\(name)", for: .creating))
        defer { file.close() }
        try call("write a file", file.write(bytes))
        try call("flush a file", file.flush())
    }

    /// Replaces a file, and flushes both the file and its entry.
    func replace(_ name: String, with bytes: [UInt8]) throws(KeyValueError) {
        try call("replace a file", FileTree.removeFileIfPresent("\(path)/\(name)"))
        try write(bytes, to: name)
        try flush()
    }

    func flush(_ name: String? = nil) throws(KeyValueError) {
        let (target, access) =
            name.map { ("\(path)/\($0)", .readingAndWriting) } ?? (path, FileDescriptor.Access.folder)
        try call("flush the store's folder", FileTree.flush(target, openedFor: access))
    }

    /// Creates the folder if it is missing, and flushes its entry. Returns whether it was missing.
    func createWithAncestors(flushesEntry: Bool = true) throws(KeyValueError) -> Bool {
        if FileIdentity(ofFolder: path) != nil {
            // Its creator may have died before it flushed this entry; the entries above were flushed before.
            if flushesEntry { try flushEntry() }
            return false
        }
        let parent = StoreFolder(path: Self.parent(of: path))
        guard parent.path != path else { throw error("create a folder", .notFound) }
        _ = try parent.createWithAncestors()
        var isNew = true
        do throws(SystemCondition) {
            try FileTree.makeFolder(path)
        } catch {
            isNew = false
            guard error == .alreadyExists else {
                // A folder that is there and takes no folder is one of the system's.
                throw error == .notFound
                    ? .permissionDenied(path: parent.path) : self.error("create a folder", error)
            }
        }
        do throws(KeyValueError) {
            if flushesEntry { try flushEntry() }
        } catch {
            // The next attempt has to make it anew: a second flush says nothing about what the first one could not write.
            if isNew { try? FileTree.removeFolder(path) }
            throw error
        }
        return isNew
    }

    /// The names of the folders, inside the store's, in which a compaction and a bulk load build the new data file.
    static let (compactionFolder, loadingFolder) = ("compacting", "loading")
    private static let draftFolders = [compactionFolder, loadingFolder]

    /// In which a whole store is built (`StoreDraft`): this name, or this name and a number.
    static let buildingFolder = "building"
    /// A store that has been built, and is being put in its place (`StorePlacement`).
    static let arrivingFolder = "arriving"
    /// What the name of a folder begins with that keeps a store which another one has replaced.
    static let keptPrefix = "replaced-"

    var isArriving: Bool { FileTree.exists("\(path)/\(Self.arrivingFolder)") }

    private static func isBuilding(_ name: String) -> Bool {
        name == buildingFolder
            || name.hasPrefix("\(buildingFolder)-") && Int(name.dropFirst(buildingFolder.count + 1)) != nil
    }

    static func isBesideStore(_ name: String) -> Bool {
        isBuilding(name) || name.hasPrefix(keptPrefix) || name == "lost+found" || name == lockFile
    }

    /// Whether a name in the folder is that of something the store's engine has made.
    static func isOwn(_ name: String) -> Bool {
        let plain = name.hasSuffix(newFileSuffix) ? String(name.dropLast(newFileSuffix.count)) : name
        return [dataFile, lockFile, CommitFile.name].contains(plain) || draftFolders.contains(name)
            || isBuilding(name) || name == arrivingFolder || MetaPageRepair.isBackup(name)
    }

    /// Completes or discards what a compaction, a bulk load or a restore left that was killed. Inside the gate.
    ///
    /// The first two remove their folder after they have flushed the new data file's name. While the folder is there, the name
    /// may not be durable, and nothing may be written to that file.
    func removeDrafts() throws(KeyValueError) {
        for name in Self.draftFolders {
            let draft = StoreFolder(path: "\(path)/\(name)")
            guard FileTree.exists(draft.path) else { continue }
            try flush()
            draft.unlessLocked { draft.remove() }
        }
        removeUnusedBuildings()
    }

    /// Removes the drafts of stores that no process is building any more. Inside the gate.
    func removeUnusedBuildings() {
        // One that is alone has the plain name; others are rare.
        guard FileTree.exists("\(path)/\(Self.buildingFolder)") else { return }
        for name in (try? fileNames()) ?? [] where Self.isBuilding(name) {
            let container = StoreFolder(path: "\(path)/\(name)")
            container.unlessLocked {
                guard mayRemoveDrafts() else { return }
                StoreFolder(path: "\(container.path)/store").remove()
                try? FileTree.removeFolder(container.path)
            }
        }
    }

    /// Removes the drafts of compactions and bulk loads of a store that nobody has open.
    func removeAbandonedDrafts() {
        for name in Self.draftFolders { StoreFolder(path: "\(path)/\(name)").remove() }
    }

    /// Makes sure that no power failure brings a draft back as the folder's store after a failed flush, without the files that are
    /// removed now. Inside the gate, while nothing is arriving.
    ///
    /// A flush that follows a failed one makes durable only the names that have changed since.
    func mayRemoveDrafts() -> Bool {
        let arriving = "\(path)/\(Self.arrivingFolder)"
        do {
            try FileTree.makeFolder(arriving)
            try FileTree.removeFolder(arriving)
            try flush()
            return true
        } catch {
            return false
        }
    }

    private func unlessLocked(_ body: () -> Void) {
        // A folder that cannot be locked is in use, or another user's.
        guard let unused = try? FileLock.take(path, .exclusive) else { return }
        defer { withExtendedLifetime(unused) {} }
        body()
    }

    /// Removes the files in the folder, and the folder itself unless folders with files are in it: such a one keeps a store that
    /// could not be put back after an error.
    func remove() {
        for name in (try? fileNames()) ?? [] where (try? FileTree.removeFile("\(path)/\(name)")) == nil {
            try? FileTree.removeFolder("\(path)/\(name)")
        }
        try? FileTree.removeFolder(path)
    }

    func isFolder(_ name: String) -> Bool {
        FileStatus.kind(of: "\(path)/\(name)", followsLinks: false) == .folder
    }

    func fileNames() throws(KeyValueError) -> [String] {
        try call("list the store's folder", FileTree.names(in: path))
    }

    /// The folder's path without links; nil when there is no folder.
    var resolvedPath: String? { FileTree.resolved(path) }

    func fileLength(_ name: String) -> Int? { try? FileStatus(of: "\(path)/\(name)").size }

    /// Makes a call of the system, and throws its failure as an error of this store.
    func call<Result>(
        _ operation: String, _ call: @autoclosure () throws(SystemCondition) -> Result
    ) throws(KeyValueError) -> Result {
        do throws(SystemCondition) { return try call() } catch { throw self.error(operation, error) }
    }

    func error(_ operation: String, _ condition: SystemCondition) -> KeyValueError {
        condition == .notFound ? .storeNotFound(path: path) : .refused(operation, on: path, code: condition.code)
    }

    private static func parent(of path: String) -> String {
        let parts = trimmed(path).split(separator: "/", omittingEmptySubsequences: true)
        let parent = parts.dropLast().joined(separator: "/")
        if path.hasPrefix("/") { return "/" + parent }
        return parent.isEmpty ? "." : parent
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

extension Environment {
    /// Whether a name in an environment's folder is that of a file or folder that it made.
    package static func isData(_ name: String) -> Bool { StoreFolder.isOwn(name) }

    /// Whether a name may be in a folder that has no store: of a draft, of a store that was kept, or of what the file system puts
    /// into the root of a volume.
    package static func isBesideStore(_ name: String) -> Bool { StoreFolder.isBesideStore(name) }
}
