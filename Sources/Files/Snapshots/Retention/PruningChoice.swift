import ByteStreams
import CivilTime

/// The choice of the snapshots of a folder to keep. The result of reading one can change it.
struct PruningChoice {
    /// Returns which of these positions to keep, given when each was made.
    typealias Retention = (_ positions: [Int], _ instants: [Instant]) -> Set<Int>

    /// What must be known before anything can be removed.
    enum Step {
        /// Whether the snapshot at a position can be restored.
        case verify(Int)
        /// Its sequence number, which is in its manifest.
        case number(Int)
    }

    /// All snapshots whose header can be read, the oldest first.
    let snapshots: [(entry: SnapshotListing, header: SnapshotHeader)]
    /// For each snapshot, the position of the one that it continues.
    private let bases: [Int?]
    /// The positions of the snapshots that can be restored from this folder according to their headers. Only these are
    /// chosen from, so that a snapshot that cannot be restored is never kept in place of one that can.
    private let complete: [Int]
    /// Those that are dated later than now: by a clock that was wrong, unless it is wrong now.
    private let later: Set<Int>
    /// Those of each store to which the retention rule applies. Symbolic links are not among them: one that is kept would
    /// be of no use without the file that it names.
    private let stores: [[Int]]
    private let retention: Retention
    private var passed: Set<Int> = []
    private var problems: [Int: FileError] = [:]
    /// The sequence numbers that are known.
    private var sequences: [Int: UInt64] = [:]

    init(_ listing: [SnapshotListing], now: Instant, retention: @escaping Retention) {
        var snapshots: [(entry: SnapshotListing, header: SnapshotHeader)] = []
        for entry in listing {
            if let header = entry.header { snapshots.append((entry, header)) }
        }
        let positions = SnapshotFolder.positions(in: snapshots.map(\.entry))
        bases = snapshots.map { snapshot in snapshot.header.base.flatMap { positions[$0] } }
        complete = snapshots.indices.filter { snapshots[$0].entry.isComplete }
        let later = Set(complete.filter { snapshots[$0].header.instant > now })
        let counted = complete.filter { !later.contains($0) && !snapshots[$0].entry.isLink }
        stores = Dictionary(grouping: counted) { snapshots[$0].header.storeMark }.sorted { $0.key < $1.key }.map(
            \.value)
        self.later = later
        self.snapshots = snapshots
        self.retention = retention
    }

    /// The next thing to find out; nil when all that are kept in place of others have passed.
    func next() -> Step? {
        for positions in stores {
            let chosen = chosen(from: positions)
            let staying = staying(with: chosen)
            let going = positions.filter { !staying.contains($0) }
            if going.isEmpty { continue }
            if let next = chosen.subtracting(passed).max() { return .verify(next) }
            // One that is not encrypted states the number of the one that it continues as well.
            let unknown = going.filter { sequences[$0] == nil }
            let next = unknown.last { !snapshots[$0].header.isEncrypted } ?? unknown.last
            if let next { return .number(next) }
        }
        return nil
    }

    /// The path of a snapshot.
    func path(_ position: Int, in folder: String) -> String { "\(folder)/\(snapshots[position].entry.name)" }

    /// Whether a snapshot, or one that it continues, is encrypted.
    func needsPassphrase(_ position: Int) -> Bool {
        chain(of: position).contains { snapshots[$0].header.isEncrypted }
    }

    /// Records that these files passed verification, each with all that it continues.
    mutating func pass(_ names: [String]) {
        let names = Set(names)
        passed.formUnion(complete.filter { names.contains(snapshots[$0].entry.name) })
    }

    /// Records the sequence number of a snapshot, and that of the one that it continues.
    mutating func number(_ manifest: SnapshotManifest) {
        for position in snapshots.indices {
            let id = snapshots[position].header.id
            if id == manifest.id { sequences[position] = manifest.sequence }
            if let base = manifest.base, id == base.id { sequences[position] = base.sequence }
        }
    }

    /// Records that a snapshot that is to be removed has no sequence number, since it is damaged.
    mutating func passOver(_ position: Int) {
        sequences[position] = 0
    }

    /// Records that a snapshot failed verification or could not be read.
    mutating func fail(_ position: Int, _ problem: FileError) {
        problems[position] = problem
    }

    /// Returns the plan for the folder.
    func pruning(of folder: String, _ listing: [SnapshotListing]) -> SnapshotPruning {
        let staying = staying(with: stores.reduce(into: []) { $0.formUnion(chosen(from: $1)) })
        let going = stores.joined().filter { !staying.contains($0) }.sorted { left, right in
            // A snapshot is removed before the one that it continues.
            (chain(of: left).count, left) > (chain(of: right).count, right)
        }
        let kept = complete.filter { !going.contains($0) && !later.contains($0) && problems[$0] == nil }
        return SnapshotPruning(
            folder: folder,
            kept: kept.map { snapshots[$0].entry },
            removed: going.map { snapshots[$0].entry },
            later: later.sorted().map { snapshots[$0].entry },
            unverified: problems.keys.sorted().compactMap { position in
                problems[position].map { UnverifiedSnapshot(snapshot: snapshots[position].entry, problem: $0) }
            },
            incomplete: snapshots.indices.filter { !complete.contains($0) }.map { snapshots[$0].entry },
            unreadable: listing.filter { $0.header == nil })
    }

    /// The snapshots of one store that are kept in place of others: those of the retention rule, which goes by dates,
    /// and the newest by the store's own count, whatever its date.
    private func chosen(from positions: [Int]) -> Set<Int> {
        let verified = positions.filter { problems[$0] == nil }
        let byDate = retention(verified, verified.map { snapshots[$0].header.instant })
        func sequence(_ position: Int) -> UInt64 { sequences[position] ?? 0 }
        guard let newest = verified.max(by: { (sequence($0), $0) < (sequence($1), $1) }),
            !byDate.contains(where: { sequence($0) == sequence(newest) })
        else { return byDate }
        return byDate.union([newest])
    }

    /// Those, the ones that failed verification, since another copy or another passphrase may turn up, the ones that do
    /// not count, and all that these continue.
    private func staying(with chosen: Set<Int>) -> Set<Int> {
        let links = complete.filter { snapshots[$0].entry.isLink }
        return SnapshotRetention.withBases(chosen.union(problems.keys).union(later).union(links), bases)
    }

    /// A position and those of the snapshots that it continues.
    private func chain(of position: Int) -> [Int] {
        var chain = [position]
        // A cycle, which only a forged header can have, ends as well.
        while let base = bases[chain[chain.count - 1]], chain.count <= bases.count { chain.append(base) }
        return chain
    }
}
