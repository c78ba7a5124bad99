import CivilTime

/// What is wrong with a recurrence rule that a person or a file gave. It never carries the text.
public enum RecurrenceError: Error, Sendable, Equatable {
    /// The text has none of the forms of a rule.
    case malformedPhrase
    /// The day after "until" is not one.
    case malformedDay(DatePhraseError)
    /// The text is not an RRULE.
    case malformedRule
    /// The text is not a pattern of weekdays such as `{"days":[1,3,5]}`.
    case malformedPattern
    /// A part of the RRULE, by its name in RFC 5545, has a value that it cannot have, alone or with the other parts.
    case invalidValue(part: String)
    /// A part of the RRULE, by its name in RFC 5545, is not supported.
    case unsupported(part: String)
}

extension RecurrenceError: CustomStringConvertible {
    /// One line: what happened, and what to write instead.
    public var description: String {
        switch self {
        case .malformedPhrase:
            "That is not a recurrence: write daily, weekdays, every 2 weeks on mon,thu, monthly on 31, yearly, or an RRULE,"
                + " each also with 'until DAY', '10 times' or 'after completion'."
        case .malformedDay(let error):
            "The day after 'until' cannot be used. \(error)"
        case .malformedRule:
            "That is not an RRULE of RFC 5545: write parts such as FREQ=WEEKLY;BYDAY=MO,TH, each once."
        case .malformedPattern:
            "That is not a pattern of weekdays: write {\"days\":[1,3,5]}, with 1 for Monday to 7 for Sunday."
        case .invalidValue(let part):
            "The part \(part) of the RRULE has a value that it cannot have here: see RFC 5545, section 3.3.10."
        case .unsupported(let part):
            "The part \(part) of the RRULE is not supported: use FREQ from DAILY to YEARLY, INTERVAL, BYMONTH,"
                + " BYMONTHDAY, BYDAY, BYSETPOS, COUNT, UNTIL, and WKST."
        }
    }
}
