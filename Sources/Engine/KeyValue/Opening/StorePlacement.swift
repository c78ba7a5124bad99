import FileSystem

/// The steps by which a store that has arrived in its folder takes the place of what was there. Inside the gate, while no
/// process has the store open.
///
/// A crash at any step leaves `arriving`, and repeating the steps leads to the same result. So does an error: it takes back the moves
/// of its own step, since the disk may have any part of them, and a later flush makes durable only names that change again. The steps
/// before it are taken back one after the other, each durably before the next, since of two together a power failure could leave a
/// mixture of both stores. Where that fails as well, whoever opens the folder next completes them.
struct StorePlacement {
    /// Renames that are made durable together.
    private struct Step {
        let names: [(old: String, new: String)]
        let changed: [StoreFolder]
    }

    private let folder: StoreFolder
    private let arriving: StoreFolder
    private var steps: [Step] = []
    /// Whether the names are durably as they were before the step that has failed.
    private var isTakenBack = false
    /// Whether names are flushed; not where a fault injection point leaves it out.
    private let flushes: Bool

    init(_ folder: StoreFolder, flushes: Bool = true) {
        self.folder = folder
        self.flushes = flushes
        arriving = StoreFolder(path: "\(folder.path)/\(StoreFolder.arrivingFolder)")
    }

    /// Completes what a process has begun that was killed. Does nothing in nearly all cases.
    ///
    /// - Throws: `needsRepair` where the files may not be changed.
    static func complete(in folder: StoreFolder) throws(KeyValueError) {
        guard folder.isArriving else { return }
        do throws(KeyValueError) {
            var placement = StorePlacement(folder)
            try placement.run()
        } catch {
            switch error {
            case .permissionDenied, .readOnlyFileSystem: throw .needsRepair(path: folder.path)
            default: throw error
            }
        }
    }

    /// Makes a draft the store of the folder.
    ///
    /// - Throws: what a failed call says. If the draft is at its path then, it is none of the folder's.
    mutating func begin(with draft: String) throws(KeyValueError) {
        // The disk may have either name after an error. The draft is whole below both.
        try move([(draft, arriving.path)], flushing: [folder])
        do throws(KeyValueError) {
            try run()
        } catch {
            while isTakenBack, let step = steps.popLast() {
                do throws(KeyValueError) {
                    try move(step.names.reversed().map { ($0.new, $0.old) }, flushing: step.changed)
                    steps.removeLast()
                } catch {
                    break
                }
            }
            throw error
        }
    }

    private mutating func run() throws(KeyValueError) {
        let names = try arriving.fileNames().sorted()
        if let kept = names.first(where: { $0.hasPrefix(StoreFolder.keptPrefix) }) {
            // While it is here, nothing of the new store has moved.
            try keepFormerStore(in: kept)
        }
        // The data file last: before it is there, older programs find no store that they could change.
        let files = names.filter { !$0.hasPrefix(StoreFolder.keptPrefix) && $0 != StoreFolder.dataFile }
        let last = names.contains(StoreFolder.dataFile) ? [StoreFolder.dataFile] : []
        // Also flushed where they have left, so that no power failure can bring back a folder with files in it, which would be
        // moved up again.
        try move(
            (files + last).map { ("\(arriving.path)/\($0)", "\(folder.path)/\($0)") }, flushing: [folder, arriving])
        try? FileTree.removeFolder(arriving.path)
    }

    /// Moves every file of the former store into a folder, and that to its place. Folders stay where they are: they are
    /// stores that were kept before, or others'.
    private mutating func keepFormerStore(in name: String) throws(KeyValueError) {
        let kept = StoreFolder(path: "\(arriving.path)/\(name)")
        let files = try folder.fileNames().sorted().filter { !folder.isFolder($0) }
        // The new folder must be usable by the same users.
        try? FileStatus(of: folder.path).owner.give(to: kept.path)
        try move(files.map { ("\(folder.path)/\($0)", "\(kept.path)/\($0)") }, flushing: [kept, folder])
        folder.removeAbandonedDrafts()
        try move([(kept.path, "\(folder.path)/\(name)")], flushing: [arriving, folder])
    }

    /// One step: moves, and makes them durable.
    private mutating func move(
        _ names: [(old: String, new: String)], flushing changed: [StoreFolder]
    ) throws(KeyValueError) {
        var moved: [(old: String, new: String)] = []
        do throws(KeyValueError) {
            for name in names {
                try folder.call("put the store in its place", FileTree.move(name.old, to: name.new))
                moved.append(name)
            }
            if flushes { for folder in changed { try folder.flush() } }
            steps.append(Step(names: names, changed: changed))
        } catch {
            let returned = moved.reversed().count { (try? FileTree.move($0.new, to: $0.old)) != nil }
            isTakenBack = returned == moved.count && changed.allSatisfy { (try? $0.flush()) != nil }
            throw error
        }
    }
}

extension Environment {
    /// Completes what a process has begun that was killed while it put a store in its place, before anything of the folder is
    /// looked at. Cost: one look at a name, in nearly all cases.
    package static func completePlacement(at path: String) throws(KeyValueError) {
        let folder = StoreFolder(path: path)
        guard folder.isArriving else { return }
        let gate = try folder.gate()
        defer { withExtendedLifetime(gate) {} }
        try StorePlacement.complete(in: folder)
    }
}
