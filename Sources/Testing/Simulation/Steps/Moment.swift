import Daybook

/// A moment as a story names it, mostly by what the clock on the wall shows.
public enum Moment: Sendable, Equatable {
    /// A local day and time: where a gap skips it the first instant after the gap, of two the first.
    case local(Day, microseconds: Int64)
    /// The next time that the clock shows this time of day.
    case timeOfDay(microseconds: Int64)
    /// The end of the local day.
    case midnight
    /// An instant.
    case instant(Instant)

    /// The instant, for someone in a zone at a moment.
    public func instant(after now: Instant, in zone: Zone) -> Instant {
        switch self {
        case .local(let day, let time):
            return Self.instant(day, time, in: zone)
        case .timeOfDay(let time):
            let today = zone.day(of: now)
            let first = Self.instant(today, time, in: zone)
            return first > now ? first : Self.instant(today.advanced(by: 1), time, in: zone)
        case .midnight:
            return zone.end(of: zone.day(of: now))
        case .instant(let instant):
            return instant
        }
    }

    /// What the clock on the wall shows at an instant, which is another day than today now and then.
    init(shownAt instant: Instant, in zone: Zone) {
        let local = instant.advanced(bySeconds: Int64(zone.offsetSeconds(at: instant)))
        let day = local.utcDay
        self = .local(day, microseconds: local.microseconds(since: Zone.utc.start(of: day)))
    }

    private static func instant(_ day: Day, _ time: Int64, in zone: Zone) -> Instant {
        zone.instant(day: day, secondsIntoDay: Int(time / 1_000_000)).advanced(byMicroseconds: time % 1_000_000)
    }
}

extension Moment: LosslessStringConvertible {
    /// `2026-03-29 00:30`, `23:59:59.5`, `midnight`, or an instant as `2026-03-29T00:30:00Z`.
    public init?(_ text: String) {
        if text == "midnight" {
            self = .midnight
        } else if let instant = try? Instant(text) {
            self = .instant(instant)
        } else {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard let last = parts.last, let time = Self.timeOfDay(last) else { return nil }
            switch parts.count {
            case 1: self = .timeOfDay(microseconds: time)
            case 2:
                guard let day = try? Day(String(parts[0])) else { return nil }
                self = .local(day, microseconds: time)
            default: return nil
            }
        }
    }

    /// The text that it is read from.
    public var description: String {
        switch self {
        case .local(let day, let time): "\(day) \(Self.text(ofTime: time))"
        case .timeOfDay(let time): Self.text(ofTime: time)
        case .midnight: "midnight"
        case .instant(let instant): "\(instant)"
        }
    }

    /// Microseconds into the day, as the clock shows them, of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.ffffff`.
    private static func timeOfDay(_ text: Substring) -> Int64? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false)
        guard halves.count <= 2, (2...3).contains(parts.count), halves.count == 1 || parts.count == 3 else {
            return nil
        }
        var seconds: Int64 = 0
        for (part, limit) in zip(parts, [24, 60, 60]) {
            guard part.count == 2, isDigits(part), let number = Int64(part), number < limit else { return nil }
            seconds = seconds * 60 + number
        }
        if parts.count == 2 { seconds *= 60 }
        guard halves.count == 2 else { return seconds * 1_000_000 }
        let fraction = halves[1]
        guard (1...6).contains(fraction.count), isDigits(fraction), let digits = Int64(fraction) else { return nil }
        let scale = (fraction.count..<6).reduce(Int64(1)) { scale, _ in scale * 10 }
        return seconds * 1_000_000 + digits * scale
    }

    /// Without a sign, which would be read as part of a number.
    private static func isDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func text(ofTime time: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (seconds, fraction) = time.quotientAndRemainder(dividingBy: 1_000_000)
        var text = "\(two(seconds / 3600)):\(two(seconds / 60 % 60))"
        if seconds % 60 != 0 || fraction != 0 { text += ":\(two(seconds % 60))" }
        if fraction != 0 {
            var digits = String(fraction)
            digits = String(repeating: "0", count: 6 - digits.count) + digits
            while digits.hasSuffix("0") { digits.removeLast() }
            text += ".\(digits)"
        }
        return text
    }
}
