import ByteStreams
import CivilTime
import Glibc

/// A snapshot that did not pass its verification when others were to be removed.
public struct UnverifiedSnapshot: Sendable, Equatable {
    /// The snapshot.
    public let snapshot: SnapshotListing
    /// What is wrong with it, or with one that it continues.
    public let problem: FileError
}

/// What becomes of the snapshots in a folder.
public struct SnapshotPruning: Sendable {
    /// The folder.
    public let folder: String
    /// Those that stay. Where one of their store goes, those that stay in place of it were verified, and all that they need.
    public let kept: [SnapshotListing]
    /// Those that go: one that continues another before that other.
    public let removed: [SnapshotListing]
    /// Those that did not pass their verification, or could not be verified. They stay, and so does all that they go on
    /// from, but none of them stays in place of another one.
    public let unverified: [UnverifiedSnapshot]
    /// Those that cannot be restored, since something that they continue is not here. They stay: it may come back.
    public let incomplete: [SnapshotListing]
    /// Files that are named like a snapshot and cannot be read; they stay.
    public let unreadable: [SnapshotListing]

    /// Removes what is to go. A crash in between leaves nothing that lacks what it continues.
    public func carryOut() throws(FileError) {
        for entry in removed {
            let path = "\(folder)/\(entry.name)"
            guard unlink(path) == 0 || errno == ENOENT else { throw FileError(code: errno, path: path) }
            // The names go one by one in this order on the disk as well.
            try FolderEntry.flush(of: path)
        }
    }
}

extension SnapshotFolder {
    /// Returns what keeping only some snapshots means here, for each store by itself. Nothing is removed yet.
    ///
    /// What stays in place of something that goes is read from its first byte to its last, with all that it continues,
    /// the newest first. One that does not pass is not chosen, and the choice is made again among the others. Where
    /// nothing is to go, nothing is verified.
    ///
    /// - Parameters:
    ///   - retention: how many to keep.
    ///   - zone: where days begin and end.
    ///   - weekStart: the weekday on which a week starts.
    ///   - passphrase: evaluated once, and only when an encrypted snapshot is to be verified. Without one, no encrypted
    ///     snapshot stays in place of another.
    ///   - progress: called while a snapshot is verified, for each of them from its beginning.
    /// - Throws: an `FileError` when the folder cannot be read; what `passphrase` and `progress` throw.
    public func plan(
        keeping retention: SnapshotRetention, zone: Zone, weekStart: Weekday,
        passphrase: @autoclosure () throws -> Passphrase? = nil, progress: SnapshotFile.Progress = { _, _ in }
    ) throws -> SnapshotPruning {
        let listing = try listing()
        var choice = PruningChoice(listing) { positions, instants in
            let kept = retention.kept(
                of: instants, bases: instants.map { _ in nil }, zone: zone, weekStart: weekStart)
            return Set(kept.map { positions[$0] })
        }
        var given: Passphrase??
        while let next = choice.next() {
            let entry = choice.snapshots[next].entry
            if choice.needsPassphrase(next), given == nil { given = .some(try passphrase()) }
            let path = "\(self.path)/\(entry.name)"
            switch try SnapshotFile.verifyChain(path, passphrase: given ?? nil, progress: progress) {
            case .success(let paths): choice.pass(paths.map { FolderEntry.name(of: $0) })
            case .failure(let problem): choice.fail(next, problem)
            }
        }
        return choice.pruning(of: path, listing)
    }
}
