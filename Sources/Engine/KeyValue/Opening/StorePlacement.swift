#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The steps by which a store that has arrived in its folder takes the place of what was there. Inside the gate, while no
/// process has the store open.
///
/// A crash at any step leaves `arriving`, and repeating the steps leads to the same result. An error takes them back.
struct StorePlacement {
    private let folder: StoreFolder
    private let arriving: StoreFolder
    /// The renames so far, to be taken back in reverse.
    private var moves: [(from: String, to: String)] = []
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
        var placement = StorePlacement(folder)
        guard folder.isArriving else { return }
        do throws(KeyValueError) {
            try placement.undoingOnError { (placement) throws(KeyValueError) in try placement.run() }
        } catch {
            switch error {
            case .permissionDenied, .readOnlyFileSystem: throw .needsRepair(path: folder.path)
            default: throw error
            }
        }
    }

    /// Makes a draft the store of the folder.
    mutating func begin(with draft: String) throws(KeyValueError) {
        try undoingOnError { (placement) throws(KeyValueError) in
            try placement.move(draft, to: placement.arriving.path)
            try placement.flush(placement.folder)
            try placement.run()
        }
    }

    private mutating func run() throws(KeyValueError) {
        let names = try arriving.fileNames().sorted()
        if let kept = names.first(where: { $0.hasPrefix(StoreFolder.keptPrefix) }) {
            // While it is here, nothing of the new store has moved.
            try keepFormerStore(in: kept)
        }
        // The data file last: before it is there, older programs find no store that they could change.
        for name in names where !name.hasPrefix(StoreFolder.keptPrefix) && name != StoreFolder.dataFile {
            try move("\(arriving.path)/\(name)", to: "\(folder.path)/\(name)")
        }
        if names.contains(StoreFolder.dataFile) {
            try move("\(arriving.path)/\(StoreFolder.dataFile)", to: folder.path + "/" + StoreFolder.dataFile)
        }
        try flush(folder)
        // So that no power failure can bring back a folder with files in it, which would be moved up again.
        try flush(arriving)
        unsafe rmdir(arriving.path)
    }

    /// Moves every file of the former store into a folder, and that to its place. Folders stay where they are: they are
    /// stores that were kept before, or others'.
    private mutating func keepFormerStore(in name: String) throws(KeyValueError) {
        let kept = StoreFolder(path: "\(arriving.path)/\(name)")
        for file in try folder.fileNames().sorted() where !folder.isFolder(file) {
            try move("\(folder.path)/\(file)", to: "\(kept.path)/\(file)")
        }
        folder.removeAbandonedDrafts()
        // A folder of its own must be usable by the same users.
        FileOwner(of: folder.path)?.give(to: kept.path)
        try flush(kept)
        try flush(folder)
        try move(kept.path, to: "\(folder.path)/\(name)")
        try flush(arriving)
        try flush(folder)
    }

    private func flush(_ changed: StoreFolder) throws(KeyValueError) {
        if flushes { try changed.flush() }
    }

    private mutating func move(_ old: String, to new: String) throws(KeyValueError) {
        guard unsafe rename(old, new) == 0 else { throw folder.error("put the store in its place") }
        moves.append((old, new))
    }

    private mutating func undoingOnError(
        _ steps: (inout StorePlacement) throws(KeyValueError) -> Void
    ) throws(KeyValueError) {
        do throws(KeyValueError) {
            try steps(&self)
        } catch {
            // Also the flushed ones: what a failed flush has left out becomes durable only when its names change again.
            for (old, new) in moves.reversed() { unsafe rename(new, old) }
            moves = []
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
