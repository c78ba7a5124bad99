import ByteStreams
import CivilTime

/// Which snapshots of a folder stay, as far as is known: what is learned by verifying one changes the choice.
struct PruningChoice {
    /// Returns which of these positions to keep, given when each was made.
    typealias Retention = (_ positions: [Int], _ instants: [Instant]) -> Set<Int>

    /// All whose header can be read, the oldest first.
    let snapshots: [(entry: SnapshotListing, header: SnapshotHeader)]
    /// For each, the position of the one that it continues.
    private let bases: [Int?]
    /// The positions of those that can be restored from this folder, as their headers say. Only they are chosen from, so
    /// that what cannot be restored never stays in place of what can.
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

    /// The next one to be verified, the newest first; nil when all that stays in place of something that goes has passed.
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

    /// Whether one of them, or one that it continues, is encrypted.
    func needsPassphrase(_ position: Int) -> Bool {
        Self.chain(of: position, bases).contains { snapshots[$0].header.isEncrypted }
    }

    /// Records that the files of these names are sound, each with all that it continues.
    mutating func pass(_ names: [String]) {
        let names = Set(names)
        passed.formUnion(complete.filter { names.contains(snapshots[$0].entry.name) })
    }

    /// Records that one is not sound, or that this is not known.
    mutating func fail(_ position: Int, _ problem: FileError) {
        problems[position] = problem
    }

    /// Returns what the choice means for the folder.
    func pruning(of folder: String, _ listing: [SnapshotListing]) -> SnapshotPruning {
        var chosen: Set<Int> = []
        for store in Set(complete.map { snapshots[$0].header.storeMark }) {
            chosen.formUnion(self.chosen(from: complete.filter { snapshots[$0].header.storeMark == store }))
        }
        let staying = staying(with: chosen)
        let going = complete.filter { !staying.contains($0) }.sorted { left, right in
            // One that continues another goes before it.
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

    /// Which of one store's snapshots are kept for themselves.
    private func chosen(from positions: [Int]) -> Set<Int> {
        let sound = positions.filter { problems[$0] == nil }
        return retention(sound, sound.map { snapshots[$0].header.instant })
    }

    /// Those, what is not sound, since another copy of it or another passphrase may turn up, and all that these continue.
    private func staying(with chosen: Set<Int>) -> Set<Int> {
        SnapshotRetention.withBases(chosen.union(problems.keys), bases)
    }

    /// A position, what it continues, and so on.
    private static func chain(of position: Int, _ bases: [Int?]) -> [Int] {
        var chain = [position]
        // A circle, which no honest chain has, ends as well.
        while let base = bases[chain[chain.count - 1]], chain.count <= bases.count { chain.append(base) }
        return chain
    }
}
