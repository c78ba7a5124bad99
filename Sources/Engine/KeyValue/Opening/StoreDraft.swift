import FileSystem
import Injection
import SystemErrors

/// A store that is built inside the folder of its place, and takes the place in one step: for creating, restoring, loading
/// and rebuilding.
///
/// The folder itself is never renamed, exchanged or removed, since it may be a mount point, or its parent another user's
/// (decision 0054). While it is built the store is in `building/store`. Renaming that to `arriving` is the step that counts:
/// from then on it is the folder's store, and whoever finds it there moves it up (`StorePlacement`).
///
/// Used from one thread at a time; releasing it before it has taken its place removes what was built.
package final class StoreDraft {
    /// Where the store is to be built. Nothing is there yet.
    package let path: String
    private let folder: StoreFolder
    private let container: StoreFolder
    private let injectionPoint: ArmedInjectionPoints
    private let wait: LockWait
    /// Whether the folder did not exist before.
    private let hasMadeFolder: Bool
    /// The lock on the container: a process that opens the store leaves a locked one alone.
    private var lock: FileLock?

    /// Creates the folder, with its ancestors, if it is missing, and the draft's container in it. Containers that interrupted
    /// processes have left are removed.
    ///
    /// - Throws: `permissionDenied`; `storageFull`; `notAStore` when there is a file at the path.
    ///
    /// - Parameter flushesEntry: whether to flush the folder's entry in its parent; not where a fault injection point leaves it out.
    package init(
        in path: String, flushesEntry: Bool = true, waiting wait: LockWait? = nil,
        injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints()
    ) throws(KeyValueError) {
        self.injectionPoint = injectionPoint
        self.wait = wait ?? .ofOpening
        folder = StoreFolder(path: StoreFolder(path: path).resolvedPath ?? path)
        hasMadeFolder = try folder.createWithAncestors(flushesEntry: flushesEntry)
        do throws(KeyValueError) {
            let gate = try folder.gate(waiting: self.wait)
            defer { withExtendedLifetime(gate) {} }
            try StorePlacement.complete(in: folder)
            folder.removeUnusedBuildings()
            var number = 1
            while true {
                let name = StoreFolder.buildingFolder + (number == 1 ? "" : "-\(number)")
                do throws(SystemCondition) {
                    try FileTree.makeFolder("\(folder.path)/\(name)")
                    container = StoreFolder(path: "\(folder.path)/\(name)")
                    break
                } catch {
                    guard error == .alreadyExists else { throw folder.error("create the store", error) }
                    number += 1
                }
            }
            self.path = "\(container.path)/store"
            lock = try FileLock.take(container.path, .exclusive, waits: true)
        } catch {
            if hasMadeFolder { try? FileTree.removeFolder(folder.path) }
            throw error
        }
    }

    deinit {
        abandon()
    }

    /// Removes what was built, and the folder if it was made for it.
    package func abandon() {
        guard lock != nil else { return }
        StoreFolder(path: path).remove()
        removeContainer()
        // Only succeeds while nobody else has put anything into it.
        if hasMadeFolder { try? FileTree.removeFolder(folder.path) }
    }

    private func removeContainer() {
        try? FileTree.removeFolder(container.path)
        lock = nil
    }

    /// Lets the finished and flushed store take a place where no store is.
    ///
    /// - Returns: false when a store has come there meanwhile; the draft is removed then.
    /// - Throws: `notAStore` when other files have; what a failed call says. Nothing has changed then.
    package func takeVacantPlace() throws(KeyValueError) -> Bool {
        let gate = try folder.gate(waiting: wait)
        defer { withExtendedLifetime(gate) {} }
        guard try folder.inspect() == .vacant else {
            abandon()
            return false
        }
        try take(asOwnedBy: nil)
        return true
    }

    /// Lets the finished and flushed store take the place of the present one, whose files are kept in a folder.
    ///
    /// - Parameters:
    ///   - claim: the right to replace the present store.
    ///   - name: what the name of the folder that keeps the present store begins with, after `replaced-`.
    /// - Returns: the folder that keeps it: inside the store's folder.
    package func replaceStore(holding claim: StoreClaim, keepingAs name: String) throws(KeyValueError) -> String {
        defer { withExtendedLifetime(claim) {} }
        var kept = StoreFolder.keptPrefix + name
        var number = 1
        while FileTree.exists("\(folder.path)/\(kept)") {
            number += 1
            kept = "\(StoreFolder.keptPrefix)\(name)-\(number)"
        }
        // Its presence in the arriving store says that the present one has yet to leave.
        try container.call("keep the former store", FileTree.makeFolder("\(path)/\(kept)"))
        try take(asOwnedBy: StoreFolder.dataFile)
        return "\(folder.path)/\(kept)"
    }

    /// - Parameter reference: the file whose owner and mode the store's files get; nil to follow the folder's owner.
    private func take(asOwnedBy reference: String?) throws(KeyValueError) {
        let draft = StoreFolder(path: path)
        // LMDB makes another one, for the place that the store has then.
        draft.removeFile(StoreFolder.lockFile)
        try draft.adoptOwner(
            of: reference.map { "\(folder.path)/\($0)" } ?? folder.path, includingMode: reference != nil)
        try draft.flush()
        do throws(KeyValueError) {
            var placement = StorePlacement(folder, flushes: !injectionPoint(.skipsParentFlush))
            try placement.begin(with: draft.path)
        } catch {
            // What cannot be removed safely stays, and is removed by whoever builds the next one.
            if folder.isArriving || !folder.mayRemoveDrafts() { lock = nil }
            throw error
        }
        removeContainer()
        // Nothing depends on the empty folders that a power failure could bring back otherwise.
        if !injectionPoint(.skipsParentFlush) { try? folder.flush() }
    }
}
