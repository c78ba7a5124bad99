import Daybook
import LabSupport

/// An instant at which a local day begins or a local clock changes.
struct DayBoundary {
    /// The instant.
    let instant: Instant
    /// The days that begin, by lane.
    private(set) var labels: [DayLabel?]
    /// The clock changes, by lane.
    private(set) var clockChanges: [String?]

    /// Returns all boundaries after one instant and up to another, in order; nil if there are more than `max`.
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
    /// Returns the number of days that begin here after a day and up to an instant.
    func midnights(after day: Day, until end: Instant) -> Int {
        let last = self.day(of: end)
        var count = day.distance(to: last)
        // Skipped dates do not begin; a zone has one or two of them in its history.
        if count <= LineLayout.scannedDaysMax {
            var skipped = day
            while skipped < last {
                skipped = skipped.advanced(by: 1)
                if !exists(skipped) { count -= 1 }
            }
        }
        return count
    }

    /// Returns the instant after one and up to another, within a day, at which the offset changes; nil if it does not.
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

    /// Returns `02:00 becomes 03:00`; nil if only the date changes, because a zone crosses the date line.
    func clockChangeText(at instant: Instant) -> String? {
        let before = offsetSeconds(at: instant.advanced(byMicroseconds: -1))
        guard !(offsetSeconds(at: instant) - before).isMultiple(of: 86_400) else { return nil }
        let old = LocalTime(of: instant, offsetSeconds: before)
        return "\(old.short) becomes \(LocalTime(of: instant, in: self).short)"
    }
}

/// A local day as the page labels it, with its irregularities.
struct DayLabel: Equatable {
    /// The day.
    let day: Day
    /// `23 h long`, `begins at 01:00`, `Fri 30 Dec is skipped`: empty for most days.
    let oddities: [String]

    init(_ day: Day, in zone: Zone) {
        self.day = day
        let start = zone.start(of: day)
        let length = zone.end(of: day).microsecondsSince1970 - start.microsecondsSince1970
        var oddities: [String] = []
        let before = day.advanced(by: -1)
        if before < day, !zone.exists(before) { oddities.append("\(Self.name(before)) is skipped") }
        if length != 86_400_000_000 { oddities.append("\(Self.hours(length)) long") }
        let time = LocalTime(of: start, in: zone)
        if time.secondsIntoDay != 0 { oddities.append("begins at \(time.short)") }
        self.oddities = oddities
    }

    /// `Sun 29 Mar`.
    var name: String { Self.name(day) }

    /// `Sun 29 Mar`.
    static func name(_ day: Day) -> String {
        "\(weekdays[day.weekday.rawValue - 1]) \(day.day) \(months[day.month - 1])"
    }

    /// Returns `23 h`, `24 h 30 min`: not in days, since the day is irregular.
    private static func hours(_ length: Int64) -> String {
        let (hours, rest) = length.quotientAndRemainder(dividingBy: 3_600_000_000)
        return "\(hours) h" + (rest == 0 ? "" : " \(HTMLText.duration(microseconds: rest))")
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension Zone {
    /// The place in the identifier: `Berlin`, `Los Angeles`.
    var place: String {
        let last = identifier.split(separator: "/").last.map(String.init) ?? identifier
        return String(last.map { $0 == "_" ? " " : $0 })
    }
}

/// The time that a local clock shows.
struct LocalTime {
    /// Seconds into the day.
    let secondsIntoDay: Int
    /// Microseconds of the second.
    let fraction: Int

    init(of instant: Instant, in zone: Zone) {
        self.init(of: instant, offsetSeconds: zone.offsetSeconds(at: instant))
    }

    init(of instant: Instant, offsetSeconds: Int) {
        let local = Int(instant.microsecondsSince1970) + offsetSeconds * 1_000_000
        let day = 86_400_000_000
        let intoDay = ((local % day) + day) % day
        (secondsIntoDay, fraction) = intoDay.quotientAndRemainder(dividingBy: 1_000_000)
    }

    /// `23:59`, with seconds unless they are zero.
    var short: String {
        let (hours, minutes, seconds) = (secondsIntoDay / 3600, secondsIntoDay / 60 % 60, secondsIntoDay % 60)
        let text = "\(HTMLText.two(hours)):\(HTMLText.two(minutes))"
        return seconds == 0 && fraction == 0 ? text : text + ":\(HTMLText.two(seconds))"
    }

    /// Milliseconds of the second as `.5`; empty if zero.
    var milliseconds: String {
        guard fraction >= 1_000 else { return "" }
        var digits = String(fraction / 1_000)
        digits = String(repeating: "0", count: 3 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return ".\(digits)"
    }

    /// The time with every significant digit of the fraction.
    var exact: String {
        guard fraction != 0 else { return short }
        var digits = String(fraction)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(short).\(digits)"
    }
}
