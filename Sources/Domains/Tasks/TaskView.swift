import CivilTime

/// The views of the task list. Every task that is not archived is in exactly one.
public enum TaskView: String, Sendable, CaseIterable, Hashable {
    /// No day yet.
    case inbox
    /// Today, by the clock and the zone at the moment of asking.
    case today
    /// Later days.
    case upcoming
    /// Earlier days.
    case past

    /// What to say when the view is empty.
    public var emptyText: String {
        switch self {
        case .inbox: "No tasks in Inbox. Capture ideas here without scheduling them."
        case .today: "No tasks scheduled for today. Drag tasks from Inbox or capture new ones."
        case .upcoming: "No upcoming tasks. Schedule tasks for tomorrow and beyond."
        case .past: "No tasks on past days."
        }
    }

    /// The day that a task gets which is created in this view.
    func defaultDay(today: Day) -> Day? {
        switch self {
        case .inbox, .past: nil
        case .today: today
        case .upcoming: today.advanced(by: 1)
        }
    }

    /// The view that a task of some day is in.
    static func holding(_ day: Day?, today: Day) -> TaskView {
        guard let day else { return .inbox }
        return day == today ? .today : day > today ? .upcoming : .past
    }
}

/// When a task is to be done.
public enum TaskDay: Sendable, Hashable {
    /// Today, by the clock and the zone when the operation runs.
    case today
    /// The day after it, by the calendar.
    case tomorrow
    /// A day.
    case on(Day)
    /// No day: the Inbox.
    case inbox

    func day(today: Day) -> Day? {
        switch self {
        case .today: today
        case .tomorrow: today.advanced(by: 1)
        case .on(let day): day
        case .inbox: nil
        }
    }
}
