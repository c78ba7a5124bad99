import Daybook

/// The days of a zone from 1970 to 2037, as the zone has them. When their digest is the true one, so are they.
struct ZoneDays {
    static let years = 1970...2037

    let zone: Zone
    /// The dates that exist.
    let days: [Day]
    /// Where each of them starts, and at the end where the last one ends.
    let starts: [Instant]

    /// SHA-256 over a line `YYYY-MM-DD,<start in epoch seconds>` for each day.
    var digest: String {
        var text: [UInt8] = []
        text.reserveCapacity(days.count * 24)
        for (day, start) in zip(days, starts) {
            text.append(contentsOf: day.description.utf8)
            text.append(UInt8(ascii: ","))
            text.append(contentsOf: String(start.microsecondsSince1970 / 1_000_000).utf8)
            text.append(UInt8(ascii: "\n"))
        }
        return SHA256.hexadecimal(text)
    }

    /// The date before the one at an index; no zone skipped the last day of 1969.
    func day(before index: Int) -> Day {
        index == 0 ? days[0].advanced(by: -1) : days[index - 1]
    }

    /// The day whose range holds the instant, by rule 2; nil outside of all of them.
    func day(holding instant: Instant) -> Day? {
        let after = starts.partitioningIndex { $0 > instant }
        return after == 0 || after == starts.count ? nil : days[after - 1]
    }

    /// Whether a day has another length than 24 hours, or the next date is not the one after it.
    func isOdd(_ index: Int) -> Bool {
        guard starts[index].advanced(bySeconds: 86_400) == starts[index + 1] else { return true }
        return index + 1 < days.count && days[index].advanced(by: 1) != days[index + 1]
    }

    /// The instants within the days at which the offset from UTC changes: the first with the new one. Two changes
    /// within six hours that cancel each other would be missed; no zone has such.
    var transitions: [Instant] {
        guard let first = starts.first, let last = starts.last else { return [] }
        var transitions: [Instant] = []
        var instant = first
        while instant < last {
            let next = min(instant.advanced(bySeconds: 6 * 3_600), last)
            if zone.offsetSeconds(at: instant) != zone.offsetSeconds(at: next) {
                transitions.append(transition(after: instant, until: next))
            }
            instant = next
        }
        return transitions
    }

    /// The first microsecond with the new offset, by halving.
    private func transition(after lower: Instant, until upper: Instant) -> Instant {
        let old = zone.offsetSeconds(at: lower)
        var (before, after) = (lower.microsecondsSince1970, upper.microsecondsSince1970)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if zone.offsetSeconds(at: Instant(microsecondsSince1970: middle)) == old {
                before = middle
            } else {
                after = middle
            }
        }
        return Instant(microsecondsSince1970: after)
    }
}

extension ZoneDays {
    /// The days as the zone has them.
    init(of zone: Zone) {
        // Both are dates of the calendar; the alternatives only spare a trap.
        let first = Day(year: ZoneDays.years.lowerBound, month: 1, day: 1) ?? .first
        let last = Day(year: ZoneDays.years.upperBound, month: 12, day: 31) ?? .first
        let days = (first...last).filter(zone.exists)
        self.init(zone: zone, days: days, starts: days.map(zone.start) + [zone.end(of: last)])
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element of a sorted collection that the condition holds for, by halving.
    func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
