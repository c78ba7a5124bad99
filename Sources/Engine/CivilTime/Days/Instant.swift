/// A point in time, UTC, to the microsecond.
///
/// Leap seconds do not count, as everywhere in POSIX: each UTC day has 86,400 seconds.
public struct Instant: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, negative before it.
    public let microsecondsSince1970: Int64

    /// The instant a number of microseconds after 1970-01-01T00:00:00Z.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// The instant a number of seconds after 1970-01-01T00:00:00Z; saturates at the ends of `Int64` microseconds (about
    /// 292,000 years away).
    public init(secondsSince1970: Int64) {
        microsecondsSince1970 = secondsSince1970.saturatingMultiply(1_000_000)
    }

    /// The instant a number of microseconds later (earlier when negative); saturates at the ends of `Int64`.
    public func advanced(byMicroseconds duration: Int64) -> Instant {
        Instant(microsecondsSince1970: microsecondsSince1970.saturatingAdd(duration))
    }

    /// The instant a number of seconds later (earlier when negative); saturates at the ends of `Int64` microseconds.
    public func advanced(bySeconds duration: Int64) -> Instant {
        advanced(byMicroseconds: duration.saturatingMultiply(1_000_000))
    }

    /// The microseconds from the earlier instant to this one, negative when it was later; saturates at the ends of
    /// `Int64`.
    public func microseconds(since earlier: Instant) -> Int64 {
        microsecondsSince1970.saturatingSubtract(earlier.microsecondsSince1970)
    }

    /// The date in UTC; ``Day/first`` or ``Day/last`` where that is outside years 1 to 9999.
    public var utcDay: Day {
        Day(clampingDaysSince1970: CalendarMath.floorDivide(wholeSeconds, by: CalendarMath.secondsPerDay))
    }

    /// Seconds since 1970, rounded down: the second that holds this instant.
    @inline(__always)
    var wholeSeconds: Int {
        CalendarMath.floorDivide(Int(microsecondsSince1970), by: 1_000_000)
    }
}

extension Instant: Comparable {
    /// Whether the left instant is earlier.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension Instant: CustomStringConvertible {
    /// Reads a moment in ISO 8601, such as `2026-02-10T09:15:00Z`.
    ///
    /// The zone designator is required: `Z`, `+03:00`, `+0300` or `+03`. Seconds may be left out. A fraction of a second
    /// is kept to the microsecond and cut off after it. The basic form `20150723T234931Z` is accepted, and `t` and `z`.
    /// Years outside 0000...9999 have a sign and six digits (`+012345-01-01T00:00:00Z`), as ``description`` writes them.
    /// A leap second (`23:59:60` UTC) becomes the last microsecond before it, since POSIX time has no place for it.
    ///
    /// - Throws: ``CivilTimeError/malformedInstant(_:reason:)``, with the part that is wrong.
    public init(_ text: String) throws(CivilTimeError) {
        var reader = InstantReader(text)
        self = try reader.read()
    }

    /// The moment in UTC as `2026-02-10T09:15:00Z`; with a fraction (`.25`) only when it is not zero.
    public var description: String {
        let seconds = wholeSeconds
        let days = CalendarMath.floorDivide(seconds, by: CalendarMath.secondsPerDay)
        let date = CalendarMath.components(days: days)
        let time = seconds - days * CalendarMath.secondsPerDay
        let year =
            (0...9999).contains(date.year)
            ? padded(date.year, width: 4)
            : (date.year < 0 ? "-" : "+") + padded(abs(date.year), width: 6)
        return "\(year)-\(padded(date.month, width: 2))-\(padded(date.day, width: 2))"
            + "T\(padded(time / 3600, width: 2)):\(padded(time / 60 % 60, width: 2)):\(padded(time % 60, width: 2))"
            + "\(fraction)Z"
    }

    private var fraction: String {
        let microseconds = CalendarMath.floorModulo(Int(microsecondsSince1970), by: 1_000_000)
        guard microseconds != 0 else { return "" }
        var digits = padded(microseconds, width: 6)
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return "." + digits
    }
}

extension Instant: Codable {
    /// Decodes a moment in ISO 8601.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the moment in ISO 8601, UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
