/// A calendar month, such as 2018-04, in years 1 to 9999.
public struct Month: Hashable, Sendable {
    /// Months since the start of year 0; one integer, so that neighbours and order are plain arithmetic.
    let ordinal: Int

    private static let ordinals = 12...(9999 * 12 + 11)

    /// The month of these numbers; nil unless the year is in 1...9999 and the month in 1...12.
    public init?(year: Int, month: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        ordinal = year * 12 + month - 1
    }

    init(clampingOrdinal ordinal: Int) {
        self.ordinal = min(max(ordinal, Month.ordinals.lowerBound), Month.ordinals.upperBound)
    }

    private init?(ordinal: Int) {
        guard Month.ordinals.contains(ordinal) else { return nil }
        self.ordinal = ordinal
    }

    /// Reads a month of exactly the form `YYYY-MM`.
    ///
    /// - Throws: ``CivilTimeError/malformedMonth(_:)`` for anything else.
    public init(_ text: String) throws(CivilTimeError) {
        var cursor = TextCursor(text)
        guard let year = cursor.digits(4), cursor.skip("-"), let month = cursor.digits(2), cursor.isAtEnd,
            let value = Month(year: year, month: month)
        else { throw .malformedMonth(text) }
        self = value
    }

    /// The year, 1 to 9999.
    public var year: Int { ordinal / 12 }

    /// The month's number, 1 to 12.
    public var month: Int { ordinal % 12 + 1 }

    /// The days of the month, half open. The range of 9999-12 stops before ``Day/last``: see ``Day``.
    public var days: Range<Day> {
        let lower = CalendarMath.days(year: year, month: month, day: 1)
        let length = CalendarMath.length(ofMonth: month, year: year)
        return Day(clampingDaysSince1970: lower)..<Day(clampingDaysSince1970: lower + length)
    }

    /// The last day of the month.
    package var lastDay: Day {
        let length = CalendarMath.length(ofMonth: month, year: year)
        return Day(clampingDaysSince1970: CalendarMath.days(year: year, month: month, day: length))
    }

    /// The number of a month by its lower-case English name or the first three letters of it; nil when it is none.
    package static func number(named name: some StringProtocol) -> Int? {
        names.firstIndex { name == $0 || name == $0.prefix(3) }.map { $0 + 1 }
    }

    /// The first three letters of each month's English name, in lower case.
    package static let shortNames = names.map { String($0.prefix(3)) }

    /// The names in lower case.
    package static let names = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// The month before; nil for 0001-01.
    public var previous: Month? { Month(ordinal: ordinal - 1) }

    /// The month after; nil for 9999-12.
    public var next: Month? { Month(ordinal: ordinal + 1) }
}

extension Month: Comparable {
    /// Whether the left month is earlier.
    public static func < (left: Month, right: Month) -> Bool {
        left.ordinal < right.ordinal
    }
}

extension Month: CustomStringConvertible {
    /// The month as `2018-04`.
    public var description: String {
        "\(padded(year, width: 4))-\(padded(month, width: 2))"
    }
}
