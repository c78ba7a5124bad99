import ByteStreams
import CivilTime

/// The choice of the snapshots of a folder to keep. The result of verifying one can change it.
struct PruningChoice {
    /// Returns which of these positions to keep, given when each was made.
    typealias Retention = (_ positions: [Int], _ instants: [Instant]) -> Set<Int>

    /// All snapshots whose header can be read, the oldest first.
    let snapshots: [(entry: SnapshotListing, header: SnapshotHeader)]
    /// For each snapshot, the position of the one that it continues.
    private let bases: [Int?]
    /// The positions of the snapshots that can be restored from this folder according to their headers. Only these are
    /// chosen from, so that a snapshot that cannot be restored is never kept in the stead of one that can.
    private let complete: [Int]
    private let retention: Retention
    private var passed: Set<Int> = []
    private var problems: [Int: FileError] = [:]

    init(_ listing: [SnapshotListing], retention: @escaping Retention) {
        var snapshots: [(entry: SnapshotListing, header: SnapshotHeader)] = []
        for entry in listing {
            if let header = entry.header { snapshots.append((entry, header)) }
        }
        let bases = snapshots.map { snapshot in
            snapshot.header.base.flatMap { id in snapshots.firstIndex { $0.header.id == id } }
        }
        complete = snapshots.indices.filter { position in
            Self.chain(of: position, bases).last.map { snapshots[$0].header.base == nil } ?? false
        }
        self.snapshots = snapshots
        self.bases = bases
        self.retention = retention
    }

    /// The next snapshot to verify, the newest first; nil when all that are kept in the stead of others have passed.
    func next() -> Int? {
        for store in Set(complete.map { snapshots[$0].header.storeMark }) {
            let positions = complete.filter { snapshots[$0].header.storeMark == store }
            let chosen = chosen(from: positions)
            let staying = staying(with: chosen)
            guard !positions.allSatisfy(staying.contains) else { continue }
            if let next = chosen.subtracting(passed).max() { return next }
        }
        return nil
    }

    /// Whether a snapshot, or one that it continues, is encrypted.
    func needsPassphrase(_ position: Int) -> Bool {
        Self.chain(of: position, bases).contains { snapshots[$0].header.isEncrypted }
    }

    /// Records that these files passed verification, each with all that it continues.
    mutating func pass(_ names: [String]) {
        let names = Set(names)
        passed.formUnion(complete.filter { names.contains(snapshots[$0].entry.name) })
    }

    /// Records that a snapshot failed verification or could not be verified.
    mutating func fail(_ position: Int, _ problem: FileError) {
        problems[position] = problem
    }

    /// Returns the plan for the folder.
    func pruning(of folder: String, _ listing: [SnapshotListing]) -> SnapshotPruning {
        var chosen: Set<Int> = []
        for store in Set(complete.map { snapshots[$0].header.storeMark }) {
            chosen.formUnion(self.chosen(from: complete.filter { snapshots[$0].header.storeMark == store }))
        }
        let staying = staying(with: chosen)
        let going = complete.filter { !staying.contains($0) }.sorted { left, right in
            // A snapshot is removed before the one that it continues.
            (Self.chain(of: left, bases).count, left) > (Self.chain(of: right, bases).count, right)
        }
        return SnapshotPruning(
            folder: folder,
            kept: complete.filter { staying.contains($0) && problems[$0] == nil }.map { snapshots[$0].entry },
            removed: going.map { snapshots[$0].entry },
            unverified: problems.keys.sorted().compactMap { position in
                problems[position].map { UnverifiedSnapshot(snapshot: snapshots[position].entry, problem: $0) }
            },
            incomplete: snapshots.indices.filter { !complete.contains($0) }.map { snapshots[$0].entry },
            unreadable: listing.filter { $0.header == nil })
    }

    /// The snapshots of one store that the retention rule keeps.
    private func chosen(from positions: [Int]) -> Set<Int> {
        let sound = positions.filter { problems[$0] == nil }
        return retention(sound, sound.map { snapshots[$0].header.instant })
    }

    /// Those, the ones that failed verification, since another copy or another passphrase may turn up, and all that
    /// these continue.
    private func staying(with chosen: Set<Int>) -> Set<Int> {
        SnapshotRetention.withBases(chosen.union(problems.keys), bases)
    }

    /// A position and those of the snapshots that it continues.
    private static func chain(of position: Int, _ bases: [Int?]) -> [Int] {
        var chain = [position]
        // A cycle, which only a forged header can have, ends as well.
        while let base = bases[chain[chain.count - 1]], chain.count <= bases.count { chain.append(base) }
        return chain
    }
}
