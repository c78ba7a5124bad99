import CivilTime

/// Which snapshots to keep: the newest of each of the latest days, weeks and months that have one.
public struct SnapshotRetention: Sendable, Equatable {
    /// For how many days, weeks and months one is kept.
    public var days, weeks, months: Int

    /// Keeps nothing beyond the newest snapshot until told otherwise.
    public init(days: Int = 0, weeks: Int = 0, months: Int = 0) {
        self.days = days
        self.weeks = weeks
        self.months = months
    }

    /// The positions of the snapshots to keep, of some whose instants are given.
    ///
    /// - Parameters:
    ///   - bases: for each, the position of the one that it is the continuation of.
    ///   - zone: where days begin and end.
    ///   - weekStart: the weekday on which a week starts.
    /// - Returns: also the newest one, and every one that another which is kept cannot be restored without.
    public func kept(
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

    /// Some positions and all that these cannot be restored without.
    static func withBases(_ positions: Set<Int>, _ bases: [Int?]) -> Set<Int> {
        var kept = positions
        for position in positions {
            var next = bases[position]
            while let base = next, kept.insert(base).inserted { next = bases[base] }
        }
        return kept
    }
}
