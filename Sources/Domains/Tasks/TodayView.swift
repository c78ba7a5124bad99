import CivilTime

/// Today's tasks: active, not started, completed, each in the order the user gave them.
public struct TodayView: RandomAccessCollection, Sendable, Equatable {
    /// The day that was today.
    public let day: Day
    /// The zone it was today in.
    public let zone: Zone
    /// When it stops being today: the next midnight there.
    public let validUntil: Instant
    /// The tasks.
    public let tasks: [TaskItem]

    /// How many of today's tasks are completed, whenever that was. The statistics count what was completed today,
    /// whatever day it was planned for.
    public var completedCount: Int { tasks.count(where: \.isCompleted) }

    /// The first task's index.
    public var startIndex: Int { tasks.startIndex }
    /// The index after the last task.
    public var endIndex: Int { tasks.endIndex }
    /// The task at an index.
    public subscript(position: Int) -> TaskItem { tasks[position] }
}

/// The tasks of one day to come.
public struct UpcomingDay: Sendable, Equatable {
    /// The day.
    public let day: Day
    /// What to call it: "Tomorrow", "Feb 12", or "Feb 12, 2028" in another year.
    public let label: String
    /// Its tasks.
    public internal(set) var tasks: [TaskItem]

    static func label(of day: Day, today: Day) -> String {
        if day == today.advanced(by: 1) { return "Tomorrow" }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let name = "\(months[day.month - 1]) \(day.day)"
        return day.year == today.year ? name : "\(name), \(day.year)"
    }
}
