/// What is wrong with a day or a moment that a person wrote. It never carries the text.
public enum DatePhraseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text has none of the forms of a day.
    case malformedDay
    /// The text has none of the forms of a day, a time, or both.
    case malformedMoment
    /// The text has the form of an instant; the part that is wrong.
    case malformedInstant(reason: String)
    /// The text has the form of a day that the calendar does not have (30 February).
    case impossibleDay
    /// The text leads to a day before year 1 or after year 9999.
    case outOfRange

    /// One line: what happened, and what to write instead.
    public var description: String {
        switch self {
        case .malformedDay:
            "That is not a day: write 2026-02-11, today, tomorrow, yesterday, +3d, +2w, fri, next friday, in 3 days,"
                + " feb 11, end of week, or end of month."
        case .malformedMoment:
            "That is not a time: write a time such as 17:30 or 5pm, a day and a time such as tomorrow 17:30, a day"
                + " such as fri, or an instant such as 2026-02-11T07:00:00Z."
        case .malformedInstant(let reason):
            "That is not an instant (\(reason)): write it with its zone, such as 2026-02-11T07:00:00Z."
        case .impossibleDay:
            "That day is not in the calendar: give one that exists, from 0001-01-01 to 9999-12-31."
        case .outOfRange:
            "That leads outside the calendar: days go from 0001-01-01 to 9999-12-31."
        }
    }
}
