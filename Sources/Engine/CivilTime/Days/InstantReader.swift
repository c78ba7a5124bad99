/// Reads one ISO 8601 moment: date, time, fraction, zone designator, in this order and nothing after them.
struct InstantReader {
    private let text: String
    private var cursor: TextCursor

    init(_ text: String) {
        self.text = text
        cursor = TextCursor(text)
    }

    private struct Time {
        var seconds: Int
        var microseconds: Int
        var isLeapSecond: Bool
    }

    mutating func read() throws(CivilTimeError) -> Instant {
        let (days, isBasic) = try date()
        guard cursor.skip(anyOf: "Tt") != nil else { throw error("a 'T' must follow the date") }
        let time = try time(isBasic: isBasic)
        let offset = try offset()
        guard cursor.isAtEnd else { throw error("something follows the zone") }

        let seconds = days * CalendarMath.secondsPerDay + time.seconds - offset
        if time.isLeapSecond {
            // A second :60 is counted as :59 here, so a true leap second is at the end of a UTC day.
            guard CalendarMath.floorModulo(seconds, by: CalendarMath.secondsPerDay) == 86_399 else {
                throw error("second 60 exists only at 23:59 UTC")
            }
        }
        // Before 1970 the parts are counted from the second's end, or the very first instants would overflow halfway.
        let borrowed = seconds < 0 ? 1 : 0
        let (scaled, overflow) = Int64(seconds + borrowed).multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(Int64(time.microseconds - borrowed * 1_000_000))
        guard !overflow, !carry else { throw error("it is more than 290,000 years away") }
        return Instant(microsecondsSince1970: sum)
    }

    private mutating func date() throws(CivilTimeError) -> (days: Int, isBasic: Bool) {
        let sign = cursor.skip(anyOf: "+-")
        guard let digits = cursor.digits(sign == nil ? 4 : 6) else { throw error("it must begin with a year") }
        let year = sign == UInt8(ascii: "-") ? -digits : digits
        let isBasic = sign == nil && !cursor.skip("-")
        if sign != nil, !cursor.skip("-") { throw error("a '-' must follow the year") }
        guard let month = cursor.digits(2) else { throw error("the month has two digits") }
        if !isBasic, !cursor.skip("-") { throw error("a '-' must follow the month") }
        guard let day = cursor.digits(2) else { throw error("the day has two digits") }
        guard (1...12).contains(month), day >= 1, day <= CalendarMath.length(ofMonth: month, year: year) else {
            throw error("the calendar does not have that date")
        }
        return (CalendarMath.days(year: year, month: month, day: day), isBasic)
    }

    private mutating func time(isBasic: Bool) throws(CivilTimeError) -> Time {
        guard let hour = cursor.digits(2) else { throw error("the hour has two digits") }
        if !isBasic, !cursor.skip(":") { throw error("a ':' must follow the hour") }
        guard let minute = cursor.digits(2) else { throw error("the minute has two digits") }
        guard hour < 24, minute < 60 else { throw error("a day has no such time") }
        var second = 0
        var microseconds = 0
        if isBasic ? cursor.next.flatMap(TextCursor.digit) != nil : cursor.skip(":") {
            guard let digits = cursor.digits(2) else { throw error("the second has two digits") }
            guard digits <= 60 else { throw error("a minute has no such second") }
            second = digits
            microseconds = try fraction()
        }
        let isLeapSecond = second == 60
        return Time(
            seconds: hour * 3600 + minute * 60 + (isLeapSecond ? 59 : second),
            microseconds: isLeapSecond ? 999_999 : microseconds,
            isLeapSecond: isLeapSecond
        )
    }

    private mutating func fraction() throws(CivilTimeError) -> Int {
        guard cursor.skip(anyOf: ".,") != nil else { return 0 }
        var microseconds = 0
        var unit = 100_000
        guard cursor.next.flatMap(TextCursor.digit) != nil else { throw error("digits must follow the '.'") }
        while let digit = cursor.digits(1) {
            microseconds += digit * unit
            unit /= 10
        }
        return microseconds
    }

    /// Seconds east of UTC.
    private mutating func offset() throws(CivilTimeError) -> Int {
        if cursor.skip(anyOf: "Zz") != nil { return 0 }
        guard let sign = cursor.skip(anyOf: "+-") else { throw error("the zone is missing: end with Z or +03:00") }
        guard let hours = cursor.digits(2) else { throw error("the zone's hours have two digits") }
        var minutes = 0
        if cursor.skip(":") || cursor.next.flatMap(TextCursor.digit) != nil {
            guard let digits = cursor.digits(2) else { throw error("the zone's minutes have two digits") }
            minutes = digits
        }
        guard hours < 24, minutes < 60 else { throw error("no zone is that far from UTC") }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private func error(_ reason: String) -> CivilTimeError {
        .malformedInstant(text, reason: reason)
    }
}
