import Crypto
import Daybook

/// The days of a zone from 1970 to 2037 as Daybook computes them. They are correct if their digest is.
struct ZoneDays {
    static let years = 1970...2037

    let zone: Zone
    /// The dates that exist.
    let days: [Day]
    /// The start of each day, followed by the end of the last one.
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
        return Self.hexadecimalSHA256(of: text)
    }

    /// Returns the SHA-256 of some bytes in hexadecimal digits, as `sha256sum` prints it.
    static func hexadecimalSHA256(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the date before the one at an index; no zone skipped the last day of 1969.
    func day(before index: Int) -> Day {
        index == 0 ? days[0].advanced(by: -1) : days[index - 1]
    }

    /// Returns the day whose range contains the instant; nil outside of all of them.
    func day(holding instant: Instant) -> Day? {
        let after = starts.partitioningIndex { $0 > instant }
        return after == 0 || after == starts.count ? nil : days[after - 1]
    }

    /// Returns whether a day is not 24 hours long, or the next date is skipped.
    func isOdd(_ index: Int) -> Bool {
        guard starts[index].advanced(bySeconds: 86_400) == starts[index + 1] else { return true }
        return index + 1 < days.count && days[index].advanced(by: 1) != days[index + 1]
    }

    /// The instants at which the offset from UTC changes. Two changes within six hours that cancel each other would be
    /// missed; no zone has any.
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

    /// Returns the first microsecond with the new offset, by bisection.
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
    /// Computes the days of a zone.
    init(of zone: Zone) {
        // Both are valid dates; the alternatives only avoid a trap.
        let first = Day(year: ZoneDays.years.lowerBound, month: 1, day: 1) ?? .first
        let last = Day(year: ZoneDays.years.upperBound, month: 12, day: 31) ?? .first
        let days = (first...last).filter(zone.exists)
        self.init(zone: zone, days: days, starts: days.map(zone.start) + [zone.end(of: last)])
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that satisfies the condition, which must hold from there on. O(log n).
    func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The days of a zone for which views are queried.
public enum ZoneDaySelection: Sendable {
    /// Every day from 1970 to 2037.
    case every
    /// Days that are not 24 hours long or adjacent to a skipped date, with the given number of days before and after.
    case nearOddDays(within: Int)

    /// Returns the indices into the days of a zone, in order.
    func indices(in days: ZoneDays) -> [Int] {
        switch self {
        case .every: return Array(days.days.indices)
        case .nearOddDays(let distance):
            var chosen: [Int] = []
            for index in days.days.indices where days.isOdd(index) {
                let near = max(0, index - distance)...min(days.days.count - 1, index + distance)
                chosen += near.filter { $0 > (chosen.last ?? -1) }
            }
            return chosen
        }
    }
}
