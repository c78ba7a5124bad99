import Daybook

/// An instant at which local days begin or local clocks change.
struct DayBoundary {
    /// When.
    let instant: Instant
    /// The days that begin, by lane.
    private(set) var labels: [DayLabel?]
    /// The changes of clocks, by lane.
    private(set) var clockChanges: [String?]

    /// All of them after one instant and until another, in order; nil when there are more than `max`.
    static func all(in zones: [Zone], from start: Instant, to end: Instant, max: Int) -> [DayBoundary]? {
        var found: [Instant: DayBoundary] = [:]
        func note(_ instant: Instant, _ change: (inout DayBoundary) -> Void) {
            let none = zones.count
            var boundary =
                found[instant]
                ?? DayBoundary(
                    instant: instant, labels: Array(repeating: nil, count: none),
                    clockChanges: Array(repeating: nil, count: none))
            change(&boundary)
            found[instant] = boundary
        }
        for (lane, zone) in zones.enumerated() {
            guard zone.day(of: start).distance(to: zone.day(of: end)) <= max + 1 else { return nil }
            var from = start
            while from < end {
                let midnight = zone.end(of: zone.day(of: from))
                let to = min(midnight, end)
                guard from < to else { break }
                if let change = zone.clockChange(after: from, until: to) {
                    note(change) { $0.clockChanges[lane] = zone.clockChangeText(at: change) }
                }
                if midnight <= end {
                    note(midnight) { $0.labels[lane] = DayLabel(zone.day(of: midnight), in: zone) }
                }
                from = to
            }
        }
        guard found.count <= max else { return nil }
        return found.values.sorted { $0.instant < $1.instant }
    }
}

extension Zone {
    /// How many days begin here after a day and until an instant.
    func midnights(after day: Day, until end: Instant) -> Int {
        let last = self.day(of: end)
        var count = day.distance(to: last)
        // Skipped dates begin nowhere; there are one or two in the history of a zone.
        if count <= LineLayout.scannedDaysMax {
            var skipped = day
            while skipped < last {
                skipped = skipped.advanced(by: 1)
                if !exists(skipped) { count -= 1 }
            }
        }
        return count
    }

    /// The instant after one and until another, within a day, from which the local clock is another; nil when it
    /// stays the same.
    func clockChange(after start: Instant, until end: Instant) -> Instant? {
        let offset = offsetSeconds(at: start)
        guard offsetSeconds(at: end) != offset else { return nil }
        var (low, high) = (start.microsecondsSince1970, end.microsecondsSince1970)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsetSeconds(at: Instant(microsecondsSince1970: middle)) == offset {
                low = middle
            } else {
                high = middle
            }
        }
        return Instant(microsecondsSince1970: high)
    }

    /// `02:00 becomes 03:00`; nil where only the date changes, because a zone crosses the date line.
    func clockChangeText(at instant: Instant) -> String? {
        let before = offsetSeconds(at: instant.advanced(byMicroseconds: -1))
        guard !(offsetSeconds(at: instant) - before).isMultiple(of: 86_400) else { return nil }
        let old = LocalTime(of: instant, offsetSeconds: before)
        return "\(old.short) becomes \(LocalTime(of: instant, in: self).short)"
    }
}
