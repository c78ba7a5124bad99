/// A calendar date without a zone, in years 1 to 9999 of the proleptic Gregorian calendar.
///
/// A day is an integer: days since 1970-01-01. Adding days, weeks and months is integer arithmetic and never goes
/// through a zone, so a scheduled date does not move when its owner travels.
///
/// Every `Day` is a real date; there is no hidden value after ``last``. Ranges of days (``week(startingOn:)``,
/// ``Month/days``) are half open, so their upper bound stops at ``last`` and 9999-12-31 itself is in no range. Ask
/// ``Zone/end(of:)`` for the instant at which it ends.
public struct Day: Hashable, Sendable {
    /// 0001-01-01.
    public static let first = Day(unchecked: -719_162)
    /// 9999-12-31.
    public static let last = Day(unchecked: 2_932_896)

    /// Days since 1970-01-01, negative before it; always within ``first`` and ``last``.
    public let daysSince1970: Int32

    private init(unchecked days: Int32) {
        daysSince1970 = days
    }

    /// The day a number of days after 1970-01-01; nil outside years 1 to 9999.
    public init?(daysSince1970 days: Int32) {
        guard days >= Day.first.daysSince1970, days <= Day.last.daysSince1970 else { return nil }
        self.init(unchecked: days)
    }

    /// The day a number of days after 1970-01-01, clamped to ``first`` and ``last``.
    public init(clampingDaysSince1970 days: Int) {
        let clamped = min(max(days, Int(Day.first.daysSince1970)), Int(Day.last.daysSince1970))
        self.init(unchecked: Int32(truncatingIfNeeded: clamped))
    }

    /// The date of these numbers; nil when the calendar has no such date (30 February) or the year is not in 1...9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= CalendarMath.length(ofMonth: month, year: year) else { return nil }
        self.init(clampingDaysSince1970: CalendarMath.days(year: year, month: month, day: day))
    }

    /// Year, month and day at once: the three properties below each compute all three.
    package var components: CalendarMath.Components {
        CalendarMath.components(days: Int(daysSince1970))
    }

    /// The year, 1 to 9999.
    public var year: Int { components.year }

    /// The month's number, 1 to 12.
    public var month: Int { components.month }

    /// The day of the month, 1 to 31.
    public var day: Int { components.day }

    /// The day of the week.
    public var weekday: Weekday {
        Weekday(cyclic: CalendarMath.weekday(days: Int(daysSince1970)))
    }

    /// The calendar month that holds this day.
    public var monthOfYear: Month {
        let components = self.components
        return Month(clampingOrdinal: components.year * 12 + components.month - 1)
    }

    /// The same day of the month a number of months later (earlier when negative): the last day of a shorter month (31
    /// January plus one month is 28 or 29 February), ``first`` or ``last`` at the calendar's ends.
    public func adding(months: Int) -> Day {
        let components = self.components
        let (ordinal, overflow) = (components.year * 12 + components.month - 1).addingReportingOverflow(months)
        if overflow { return months > 0 ? Day.last : Day.first }
        let year = CalendarMath.floorDivide(ordinal, by: 12)
        if year < 1 { return Day.first }
        if year > 9999 { return Day.last }
        let month = ordinal - year * 12 + 1
        let day = min(components.day, CalendarMath.length(ofMonth: month, year: year))
        return Day(clampingDaysSince1970: CalendarMath.days(year: year, month: month, day: day))
    }

    /// The seven days that hold this day, the first of them being the given weekday.
    ///
    /// At the calendar's two ends the range is cut off: it never begins before ``first`` and its upper bound never
    /// passes ``last``.
    public func week(startingOn firstWeekday: Weekday) -> Range<Day> {
        let back = CalendarMath.floorModulo(weekday.rawValue - firstWeekday.rawValue, by: 7)
        let lower = Int(daysSince1970) - back
        return Day(clampingDaysSince1970: lower)..<Day(clampingDaysSince1970: lower + 7)
    }
}

extension Day: Comparable {
    /// Whether the left day is earlier.
    public static func < (left: Day, right: Day) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }
}

extension Day: Strideable {
    /// The day a number of days later (earlier when negative), clamped to ``first`` and ``last``.
    public func advanced(by days: Int) -> Day {
        let (sum, overflow) = Int(daysSince1970).addingReportingOverflow(days)
        if overflow { return days > 0 ? Day.last : Day.first }
        return Day(clampingDaysSince1970: sum)
    }

    /// The number of days from this day to the other; negative when the other is earlier.
    public func distance(to other: Day) -> Int {
        Int(other.daysSince1970) - Int(daysSince1970)
    }
}

extension Day: CustomStringConvertible {
    /// Reads a day of exactly the form `YYYY-MM-DD`.
    ///
    /// - Throws: ``CivilTimeError/malformedDay(_:)`` for any other form, ``CivilTimeError/impossibleDay(_:)`` for a date
    ///   that the calendar does not have.
    public init(_ text: String) throws(CivilTimeError) {
        var cursor = TextCursor(text)
        guard let year = cursor.digits(4), cursor.skip("-"), let month = cursor.digits(2), cursor.skip("-"),
            let day = cursor.digits(2), cursor.isAtEnd
        else { throw .malformedDay(text) }
        guard let value = Day(year: year, month: month, day: day) else { throw .impossibleDay(text) }
        self = value
    }

    /// The day as `2026-02-11`.
    public var description: String {
        let components = self.components
        return "\(padded(components.year, width: 4))-\(padded(components.month, width: 2))"
            + "-\(padded(components.day, width: 2))"
    }
}

extension Day: Codable {
    /// Decodes the text `YYYY-MM-DD`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the text `YYYY-MM-DD`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
