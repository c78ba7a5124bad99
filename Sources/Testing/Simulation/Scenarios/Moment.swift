import Daybook

/// A point in time as a scenario writes it, usually in local time.
public enum Moment: Sendable, Equatable {
    /// A local day and time of day. In a gap it means the first instant after the gap, in an overlap the earlier of the
    /// two.
    case local(Day, microseconds: Int64)
    /// The next occurrence of a local time of day.
    case timeOfDay(microseconds: Int64)
    /// The end of the local day.
    case midnight
    /// An instant.
    case instant(Instant)

    /// Returns the instant that is meant at a given time in a zone.
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

    /// The local date and time at an instant. The date can differ from today where a clock repeats a date.
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
    /// Parses `2026-03-29 00:30`, `23:59:59.5`, `midnight`, or an instant such as `2026-03-29T00:30:00Z`.
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

    /// The text that ``init(_:)`` parses.
    public var description: String {
        switch self {
        case .local(let day, let time): "\(day) \(Self.text(ofTime: time))"
        case .timeOfDay(let time): Self.text(ofTime: time)
        case .midnight: "midnight"
        case .instant(let instant): "\(instant)"
        }
    }

    /// Returns the microseconds into the day of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.ffffff`.
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

    /// Excludes signs, which `Int64` would accept.
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

extension Duration {
    /// Whole minutes.
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    /// Whole hours.
    public static func hours(_ count: Int) -> Duration { .seconds(3_600 * count) }
    /// Periods of 24 hours, independent of the calendar.
    public static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }

    /// The duration in microseconds, rounded toward zero.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    private static let units: [(name: String, microseconds: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1),
    ]

    /// Parses `3d`, `1h 30m`, `2.9s`, `500ms`, optionally with a sign: `-1d`. Returns nil for anything else, and for
    /// more than a thousand years.
    public init?(text: String) {
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        var sum: Int64 = 0
        let parts = rest.split(separator: " ", omittingEmptySubsequences: false)
        for part in parts {
            let number = part.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let unit = Self.units.first(where: { $0.name == part.dropFirst(number.count) }),
                let amount = Double(number), amount * Double(unit.microseconds) <= 3.2e16
            else { return nil }
            sum += Int64((amount * Double(unit.microseconds)).rounded())
            guard sum <= 32_000_000_000_000_000 else { return nil }
        }
        self = .microseconds(isNegative ? -sum : sum)
    }

    /// The text that ``init(text:)`` parses, in the largest units that fit.
    public var text: String {
        var rest = wholeMicroseconds.magnitude
        var parts: [String] = []
        for (name, size) in Self.units {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: UInt64(size))
            if count > 0 { parts.append("\(count)\(name)") }
            rest = remainder
        }
        return (wholeMicroseconds < 0 ? "-" : "") + (parts.isEmpty ? "0s" : parts.joined(separator: " "))
    }
}
