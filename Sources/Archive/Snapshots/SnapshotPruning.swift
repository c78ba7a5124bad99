import CivilTime
import Glibc

/// What becomes of the snapshots in a folder.
public struct SnapshotPruning: Sendable {
    /// The folder.
    public let folder: String
    /// Those that stay.
    public let kept: [SnapshotListing]
    /// Those that go: one that continues another before that other.
    public let removed: [SnapshotListing]
    /// Those that cannot be restored, since something that they go on from is not here. They stay: it may come back.
    public let incomplete: [SnapshotListing]
    /// Files that are named like a snapshot and cannot be read; they stay.
    public let unreadable: [SnapshotListing]

    /// Removes what is to go. A crash in between leaves nothing that lacks what it continues.
    public func carryOut() throws(ArchiveError) {
        for entry in removed {
            let path = "\(folder)/\(entry.name)"
            guard unlink(path) == 0 || errno == ENOENT else { throw ArchiveError(code: errno, path: path) }
            // The names go one by one in this order on the disk as well.
            try FolderEntry.flush(of: path)
        }
    }
}

extension SnapshotFolder {
    /// What keeping only some snapshots means here, for each store by itself. Nothing is removed yet.
    ///
    /// Only those that can be restored from this folder are chosen from, so that what cannot never stands in for what can.
    public func plan(
        keeping retention: SnapshotRetention, zone: Zone, weekStart: Weekday
    ) throws(ArchiveError) -> SnapshotPruning {
        let listing = try listing()
        var snapshots: [(entry: SnapshotListing, header: SnapshotHeader)] = []
        for entry in listing {
            if let header = entry.header { snapshots.append((entry, header)) }
        }
        let bases = snapshots.map { snapshot in
            snapshot.header.base.flatMap { id in snapshots.firstIndex { $0.header.id == id } }
        }
        let complete = snapshots.indices.filter { position in
            Self.chain(of: position, bases).last.map { snapshots[$0].header.base == nil } ?? false
        }
        var chosen: Set<Int> = []
        for store in Set(complete.map { snapshots[$0].header.storeMark }) {
            let positions = complete.filter { snapshots[$0].header.storeMark == store }
            let kept = retention.kept(
                of: positions.map { snapshots[$0].header.instant }, bases: positions.map { _ in nil }, zone: zone,
                weekStart: weekStart)
            chosen.formUnion(kept.map { positions[$0] })
        }
        let kept = SnapshotRetention.withBases(chosen, bases)
        let going = complete.filter { !kept.contains($0) }.sorted { left, right in
            // One that continues another goes before it.
            (Self.chain(of: left, bases).count, left) > (Self.chain(of: right, bases).count, right)
        }
        return SnapshotPruning(
            folder: path, kept: complete.filter(kept.contains).map { snapshots[$0].entry },
            removed: going.map { snapshots[$0].entry },
            incomplete: snapshots.indices.filter { !complete.contains($0) }.map { snapshots[$0].entry },
            unreadable: listing.filter { $0.header == nil })
    }

    /// A position, what it continues, and so on.
    private static func chain(of position: Int, _ bases: [Int?]) -> [Int] {
        var chain = [position]
        // A circle, which no honest chain has, ends as well.
        while let base = bases[chain[chain.count - 1]], chain.count <= bases.count { chain.append(base) }
        return chain
    }
}
