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
    /// What keeping only some snapshots means here. Nothing is removed yet.
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
        let kept = retention.kept(
            of: snapshots.map(\.header.instant), bases: bases, zone: zone, weekStart: weekStart)
        let going = snapshots.indices.filter { !kept.contains($0) }
        return SnapshotPruning(
            folder: path, kept: snapshots.indices.filter(kept.contains).map { snapshots[$0].entry },
            removed: Self.continuationsFirst(going, bases).map { snapshots[$0].entry },
            unreadable: listing.filter { $0.header == nil })
    }

    /// The positions in an order in which each comes before what it continues.
    private static func continuationsFirst(_ positions: [Int], _ bases: [Int?]) -> [Int] {
        func depth(_ position: Int) -> Int {
            var depth = 0
            var next = bases[position]
            // A circle, which no honest chain has, ends as well.
            while let base = next, depth <= bases.count {
                depth += 1
                next = bases[base]
            }
            return depth
        }
        return positions.sorted { (depth($0), $0) > (depth($1), $1) }
    }
}
