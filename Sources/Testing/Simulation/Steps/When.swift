import Daybook

/// The day that a step gives a task.
public enum When: Sendable, Equatable {
    /// No day.
    case inbox
    /// Today, as the store sees it when the step runs.
    case today
    /// Tomorrow, as the store sees it.
    case tomorrow
    /// A day as people write it: `2026-02-11`, `+3d`, `fri`.
    case day(String)

    /// Reads `inbox`, `today`, `tomorrow`, or a day as people write it.
    public init(_ text: String) throws(CivilTimeError) {
        switch text {
        case "inbox": self = .inbox
        case "today": self = .today
        case "tomorrow": self = .tomorrow
        default:
            // Whether it is a day does not depend on which day is today.
            if let epoch = Day(daysSince1970: 0) { _ = try Day(parsing: text, today: epoch) }
            self = .day(text)
        }
    }

    /// The text that it is read from.
    public var text: String {
        switch self {
        case .inbox: "inbox"
        case .today: "today"
        case .tomorrow: "tomorrow"
        case .day(let text): text
        }
    }
}
