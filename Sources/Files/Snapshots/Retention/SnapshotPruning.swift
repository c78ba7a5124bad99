import ByteStreams
import CivilTime
import FileSystem

/// A snapshot that failed verification when others were to be removed.
public struct UnverifiedSnapshot: Sendable, Equatable {
    /// The identity of the snapshot.
    public let snapshot: SnapshotListing
    /// The problem of this snapshot, or of one that it continues.
    public let problem: FileError
}

/// A plan for pruning a folder of snapshots.
public struct SnapshotPruning: Sendable {
    /// The folder.
    public let folder: String
    /// The snapshots to keep, other than those below. Where a snapshot is removed, those that are kept in its stead were verified, with all
    /// that they continue.
    public let kept: [SnapshotListing]
    /// The snapshots to remove; one that continues another comes before that one.
    public let removed: [SnapshotListing]
    /// Snapshots that are dated later than now. They are kept, with all that they continue, and do not count for the
    /// retention rule: their dates are wrong, or the clock is.
    public let later: [SnapshotListing]
    /// Snapshots that failed verification or could not be verified. They are kept, with all that they continue, but
    /// never in place of another one.
    public let unverified: [UnverifiedSnapshot]
    /// Snapshots that cannot be restored because one that they continue is missing. They are kept, since it may return.
    public let incomplete: [SnapshotListing]
    /// Files that have the suffix and cannot be read; they are kept.
    public let unreadable: [SnapshotListing]

    /// Removes the snapshots. A crash in between leaves no snapshot without those that it continues.
    package func perform() throws(FileError) {
        for entry in removed {
            let path = "\(folder)/\(entry.name)"
            try FileError.naming(path, FileTree.removeFileIfPresent(path))
            // Each removal is flushed before the next one.
            try FolderEntry.flush(of: path)
        }
    }
}

extension SnapshotFolder {
    /// Returns the plan for keeping only some snapshots of each store, without removing anything.
    ///
    /// Snapshots that are kept in place of removed ones are verified completely, with all that they continue, the
    /// newest first. One that fails is not chosen, and the choice is made again among the others. If nothing is to be
    /// removed, nothing is verified. The newest by the store's sequence number is among those that are kept, whatever its
    /// date; to find it, the manifest of each snapshot that is to be removed is read.
    ///
    /// - Parameters:
    ///   - retention: the snapshots to keep.
    ///   - now: snapshots that are dated later do not count, and are kept.
    ///   - zone: the zone in which days begin and end.
    ///   - weekStart: the weekday on which a week starts.
    ///   - passphrase: evaluated once, and only when an encrypted snapshot must be verified or is to be removed. Without
    ///     one, no encrypted snapshot is kept in place of another or removed.
    ///   - progress: called with the progress of each verification.
    /// - Throws: `FileError` when the folder cannot be read; what `passphrase` and `progress` throw.
    package func plan(
        keeping retention: SnapshotRetention, now: Instant, zone: Zone, weekStart: Weekday,
        passphrase: @autoclosure () throws -> Passphrase? = nil, progress: SnapshotFile.Progress = { _, _ in }
    ) throws -> SnapshotPruning {
        let listing = try listing()
        var choice = PruningChoice(listing, now: now) { positions, instants in
            let kept = retention.kept(
                of: instants, bases: instants.map { _ in nil }, zone: zone, weekStart: weekStart)
            return Set(kept.map { positions[$0] })
        }
        var given: Passphrase??
        while let next = choice.next() {
            switch next {
            case .verify(let position):
                if choice.needsPassphrase(position), given == nil { given = .some(try passphrase()) }
                switch try SnapshotFile.verifyChain(
                    choice.path(position, in: path), passphrase: given ?? nil, progress: progress)
                {
                case .success(let chain):
                    for snapshot in chain { choice.number(snapshot.manifest) }
                    choice.pass(chain.map { FolderEntry.name(of: $0.path) })
                case .failure(let problem): choice.fail(position, problem)
                }
            case .number(let position):
                let header = choice.snapshots[position].header
                if header.isEncrypted, given == nil { given = .some(try passphrase()) }
                do throws(FileError) {
                    let reader = try SnapshotFile.open(choice.path(position, in: path), passphrase: given ?? nil)
                    // Otherwise another file has got its name.
                    guard reader.header == header else { throw .notFound(path: reader.path) }
                    choice.number(reader.manifest)
                } catch .damagedSnapshot, .notASnapshot {
                    // It cannot be restored, so that nothing is lost with it.
                    choice.passOver(position)
                } catch {
                    choice.fail(position, error)
                }
            }
        }
        return choice.pruning(of: path, listing)
    }
}

/// A retention rule: the newest snapshot of each of the latest days, weeks and months that have one.
public struct SnapshotRetention: Sendable, Equatable {
    /// The numbers of days, weeks and months of which one is kept.
    public var days, weeks, months: Int

    /// Creates a rule; without arguments only the newest snapshot is kept.
    public init(days: Int = 0, weeks: Int = 0, months: Int = 0) {
        self.days = days
        self.weeks = weeks
        self.months = months
    }

    /// Returns the positions of the snapshots to keep.
    ///
    /// - Parameters:
    ///   - bases: for each snapshot, the position of the one that it continues.
    ///   - zone: the zone in which days begin and end.
    ///   - weekStart: the weekday on which a week starts.
    /// - Returns: the positions, including the newest snapshot and all that kept ones continue.
    package func kept(
        of instants: [Instant], bases: [Int?], zone: Zone, weekStart: Weekday
    ) -> Set<Int> {
        let newestFirst = instants.indices.sorted { (instants[$0], $0) > (instants[$1], $1) }
        var kept = Set(newestFirst.prefix(1))
        func keepNewest<Period: Hashable>(_ count: Int, of period: (Day) -> Period) {
            var periods: Set<Period> = []
            for position in newestFirst {
                guard periods.count < count else { return }
                if periods.insert(period(zone.day(of: instants[position]))).inserted { kept.insert(position) }
            }
        }
        keepNewest(days) { $0 }
        keepNewest(weeks) { $0.week(startingOn: weekStart).lowerBound }
        keepNewest(months) { $0.monthOfYear }
        return Self.withBases(kept, bases)
    }

    /// Returns positions together with those that they need for a restore.
    static func withBases(_ positions: Set<Int>, _ bases: [Int?]) -> Set<Int> {
        var kept = positions
        for position in positions {
            var next = bases[position]
            while let base = next, kept.insert(base).inserted { next = bases[base] }
        }
        return kept
    }
}
