import CivilTime
import FoundationEssentials
import Records

/// A task to create. Only the text is required.
public struct NewTask: Sendable, Hashable {
    /// The text of the task.
    public var text: String
    /// The scheduled day; nil for the Inbox.
    public var day: Day?
    /// A longer description.
    public var notes: String?
    /// An id from outside; nil for a new one.
    public var id: UUID?

    /// Creates a description of a new task.
    public init(_ text: String, on day: Day? = nil, notes: String? = nil, id: UUID? = nil) {
        self.text = text
        self.day = day
        self.notes = notes
        self.id = id
    }
}

/// The views of the task list. Every task that is not archived is in exactly one.
public enum TaskView: String, Sendable, CaseIterable, Hashable {
    /// Tasks without a day.
    case inbox
    /// Tasks of today, by the clock and the zone of the one who asks.
    case today
    /// Tasks of later days.
    case upcoming
    /// Tasks of earlier days.
    case past

    /// The day of a task that is created in this view.
    func defaultDay(today: Day) -> Day? {
        switch self {
        case .inbox, .past: nil
        case .today: today
        case .upcoming: today.advanced(by: 1)
        }
    }

    /// The view that shows the tasks of a day.
    static func containing(_ day: Day?, today: Day) -> TaskView {
        guard let day else { return .inbox }
        return day == today ? .today : day > today ? .upcoming : .past
    }
}

/// A day to schedule a task on.
public enum TaskDay: Sendable, Hashable {
    /// Today, by the clock and the zone when the operation runs.
    case today
    /// The next day of the calendar.
    case tomorrow
    /// The given day.
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

/// A position within a task's day, or within the Inbox.
public enum TaskPlace: Sendable, Hashable {
    /// Before every other task of the day.
    case first
    /// After every other task of the day.
    case last
    /// Directly before another task of the same day.
    case before(UUID)
    /// Directly after another task of the same day.
    case after(UUID)
    /// At an index of the view as it is shown, from 0; limited to the group of the task's state.
    case index(Int)
}

/// The kind of a change of tasks, as the change log records it. The numbers are stored and keep their meaning.
public enum TaskOperation: UInt8, Sendable, CaseIterable {
    /// Several operations in one transaction.
    case several = 0
    /// A task was created.
    case create = 1
    /// A task changed its state.
    case changeState = 2
    /// A task was scheduled on another day or moved to the Inbox.
    case schedule = 3
    /// A task changed its position within its day.
    case reorder = 4
    /// A task's text or details changed.
    case edit = 5
    /// Tasks of past days were carried to another day.
    case carry = 6
    /// A task was deleted.
    case delete = 7
    /// Tasks were imported from a file.
    case importing = 8
    /// A task was purged.
    case purge = 9
    /// A task's reminder was set or removed.
    case remind = 10

    var label: ChangeLabel { ChangeLabel(operation: rawValue) }
}
