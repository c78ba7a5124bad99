/// The errors of this module. Each description is one line: what happened, then what to do.
///
/// Texts are quoted shortened and without control characters, so that an error is always safe to print.
public enum CivilTimeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text does not have the form `YYYY-MM-DD`.
    case malformedDay(String)
    /// The text has the form of a day, but no calendar has it (30 February, year 0).
    case impossibleDay(String)
    /// The text is not a month of the form `YYYY-MM`.
    case malformedMonth(String)
    /// The text is not the name of a weekday.
    case malformedWeekday(String)
    /// The text is not a moment in ISO 8601 with a zone designator; `reason` names the part that is wrong.
    case malformedInstant(String, reason: String)
    /// The system has no zone file of this name; `suggestions` are near names, the nearest first.
    case unknownZone(String, suggestions: [String])
    /// The zone's file exists but cannot be used: it is unreadable, truncated, or inconsistent.
    case unusableZoneFile(zone: String, reason: String)

    /// One line: what happened, and what to do.
    public var description: String {
        switch self {
        case .malformedDay(let text):
            "\(quoted(text)) is not a day: write it as YYYY-MM-DD, such as 2026-02-11."
        case .impossibleDay(let text):
            "\(quoted(text)) is not in the calendar: give a date that exists, from 0001-01-01 to 9999-12-31."
        case .malformedMonth(let text):
            "\(quoted(text)) is not a month: write it as YYYY-MM, such as 2026-02, from 0001-01 to 9999-12."
        case .malformedWeekday(let text):
            "\(quoted(text)) is not a weekday: write its English name, such as monday or mon."
        case .malformedInstant(let text, let reason):
            "\(quoted(text)) is not a moment in time (\(reason)): write it with its zone, such as 2026-02-10T09:15:00Z."
        case .unknownZone(let name, let suggestions):
            if suggestions.isEmpty {
                "There is no time zone \(quoted(name)): give an IANA name, such as Europe/Berlin."
            } else {
                "There is no time zone \(quoted(name)): did you mean \(suggestions.joined(separator: ", "))?"
            }
        case .unusableZoneFile(let zone, let reason):
            zone.hasPrefix("/")
                ? "\(quoted(zone)) cannot be used as a time zone (\(reason)): give an IANA name, such as Europe/Berlin."
                : "The file of time zone \(quoted(zone)) cannot be used (\(reason)): reinstall the system's tzdata package."
        }
    }
}

/// The text in quotes, at most 40 characters, with control characters replaced.
private func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(40).map { scalar -> Character in
        scalar.properties.generalCategory == .control ? "?" : Character(scalar)
    }
    let ellipsis = text.unicodeScalars.count > 40 ? "..." : ""
    return "'\(String(shown))\(ellipsis)'"
}
