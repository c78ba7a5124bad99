/// A point in time, UTC, to the microsecond.
///
/// Leap seconds do not count, as everywhere in POSIX: each UTC day has 86,400 seconds.
public struct Instant: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, negative before it.
    public let microsecondsSince1970: Int64

    /// The instant so many microseconds after 1970-01-01T00:00:00Z.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// The instant so many seconds after 1970-01-01T00:00:00Z; it stops at the ends of `Int64` microseconds (about
    /// 292,000 years away).
    public init(secondsSince1970: Int64) {
        microsecondsSince1970 = secondsSince1970.saturatingMultiply(1_000_000)
    }

    /// The instant so many microseconds later (earlier when negative); it stops at the ends of `Int64`.
    public func advanced(byMicroseconds duration: Int64) -> Instant {
        Instant(microsecondsSince1970: microsecondsSince1970.saturatingAdd(duration))
    }

    /// The instant so many seconds later (earlier when negative); it stops at the ends of `Int64` microseconds.
    public func advanced(bySeconds duration: Int64) -> Instant {
        advanced(byMicroseconds: duration.saturatingMultiply(1_000_000))
    }

    /// The microseconds from the earlier instant to this one, negative when it was later; it stops at the ends of
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
