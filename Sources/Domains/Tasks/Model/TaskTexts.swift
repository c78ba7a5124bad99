import CivilTime

/// The texts that an application shows to people. Every function has an English default: conform a type of your own and
/// implement those that you translate.
///
///     struct GermanTexts: TaskTexts {
///         func emptyView(_ view: TaskView) -> String { "Keine Aufgaben." }
///     }
public protocol TaskTexts: Sendable {
    /// The text for a view without tasks.
    func emptyView(_ view: TaskView) -> String

    /// The heading of a day after today.
    func heading(of day: Day, today: Day) -> String

    /// When something is due, as seen from a day.
    func relative(_ due: TaskDue, on today: Day, in zone: Zone) -> String

    /// A day as seen from today: "today", "tomorrow", a weekday.
    func relative(_ day: Day, today: Day) -> String

    /// The question before a list is deleted with all of its tasks.
    func deletionQuestion(of list: CustomList, tasks: Int) -> String

    /// What is spoken when a task was created by voice.
    func spokenCreation(of task: TaskItem, today: Day, in zone: Zone) -> String

    /// What is spoken when a task was completed by voice.
    func spokenCompletion(of task: TaskItem) -> String

    /// One sentence that compares this month with the last.
    func summary(of statistics: CompletionStatistics) -> String

    /// What the notification of a task without notes says.
    func reminderBody(of task: TaskItem) -> String

    /// What an undo notice says was done.
    func undoNotice(for action: UndoNotice.Action) -> String

    /// The heading of a region.
    func heading(of region: TaskRegion) -> String

    /// The heading of a bucket, with its cap.
    func heading(of bucket: TaskBucket) -> String

    /// The name of a state.
    func name(of state: TaskState) -> String
}

/// The English texts.
public struct EnglishTaskTexts: TaskTexts {
    /// Creates the texts.
    public init() {}
}

extension TaskTexts {
    /// Returns the English text for a view without tasks.
    public func emptyView(_ view: TaskView) -> String {
        switch view {
        case .inbox: "No tasks in Inbox. Capture ideas here without scheduling them."
        case .today: "No tasks scheduled for today. Drag tasks from Inbox or capture new ones."
        case .upcoming: "No upcoming tasks. Schedule tasks for tomorrow and beyond."
        case .past: "No tasks on past days."
        }
    }

    /// Returns "Tomorrow", "Feb 12", or "Feb 12, 2028" in another year.
    public func heading(of day: Day, today: Day) -> String {
        if day == today.advanced(by: 1) { return "Tomorrow" }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let name = "\(months[day.month - 1]) \(day.day)"
        return day.year == today.year ? name : "\(name), \(day.year)"
    }

    /// Returns "today", "tomorrow", "yesterday", "Fri" for the next six days, "3 days ago", else the day as a heading has it; with the
    /// time of day where it has one.
    public func relative(_ due: TaskDue, on today: Day, in zone: Zone) -> String {
        let name = relative(due.day(in: zone), today: today)
        return due.clockText(in: zone).map { "\(name) \($0)" } ?? name
    }

    /// Returns "today", "tomorrow", "yesterday", "Fri" for the next six days, "3 days ago", else the day as a heading has it.
    public func relative(_ day: Day, today: Day) -> String {
        switch today.distance(to: day) {
        case 0: "today"
        case 1: "tomorrow"
        case -1: "yesterday"
        case 2...6: "\(String(describing: day.weekday).prefix(3).capitalized)"
        case ..<(-1): "\(day.distance(to: today)) days ago"
        default: heading(of: day, today: today)
        }
    }

    /// Returns a question such as "Delete 'Home' with 3 tasks?"
    public func deletionQuestion(of list: CustomList, tasks: Int) -> String {
        switch tasks {
        case 0: "Delete '\(list.name)'? It has no tasks."
        case 1: "Delete '\(list.name)' with 1 task?"
        default: "Delete '\(list.name)' with \(tasks) tasks?"
        }
    }

    /// Returns a sentence such as "Added 'Buy milk', due tomorrow 17:00." or, for a task with a day only, "Added 'Buy milk' for Fri."
    public func spokenCreation(of task: TaskItem, today: Day, in zone: Zone) -> String {
        if let due = task.due(in: zone) {
            return "Added '\(task.text)', due \(relative(due, on: today, in: zone))."
        }
        guard let day = task.scheduledDate else { return "Added '\(task.text)'." }
        return "Added '\(task.text)' for \(relative(day, today: today))."
    }

    /// Returns a sentence such as "Completed 'Buy milk'."
    public func spokenCompletion(of task: TaskItem) -> String { "Completed '\(task.text)'." }

    /// Returns a sentence such as "45 tasks this month, up from 38 last month".
    public func summary(of statistics: CompletionStatistics) -> String {
        guard statistics.hasHistory else { return "No data available yet" }
        let tasks = statistics.month == 1 ? "1 task" : "\(statistics.month) tasks"
        switch statistics.trend {
        case .noData: return "No data from last month"
        case .up: return "\(tasks) this month, up from \(statistics.lastMonth) last month"
        case .down: return "\(tasks) this month, down from \(statistics.lastMonth) last month"
        case .same: return "\(tasks) this month, same as last month"
        }
    }

    /// Returns "Complete this task".
    public func reminderBody(of task: TaskItem) -> String { "Complete this task" }

    /// Returns a phrase such as "Moved to Today" or "Marked as completed".
    public func undoNotice(for action: UndoNotice.Action) -> String {
        switch action {
        case .changedState(let state): "Marked as \(state.name)"
        case .scheduled(let view): "Moved to \(view.rawValue.capitalized)"
        case .placed(let region): "Moved to \(heading(of: region))"
        case .reordered: "Moved"
        case .carried: "Carried over"
        case .movedToList: "Moved to another list"
        case .deleted: "Deleted"
        }
    }

    /// Returns "Morning", "Afternoon", "Evening" or "Backlog".
    public func heading(of region: TaskRegion) -> String { region.name.capitalized }

    /// Returns "Must (1)", "Complementary (3)", "Misc (5)" or "Unassigned".
    public func heading(of bucket: TaskBucket) -> String {
        guard let cap = bucket.cap else { return bucket == .none ? "Unassigned" : bucket.name }
        return "\(bucket.name.capitalized) (\(cap))"
    }

    /// Returns "To Do", "Doing" or "Done".
    public func name(of state: TaskState) -> String {
        switch state {
        case .notStarted: "To Do"
        case .active: "Doing"
        case .completed: "Done"
        case .unknown: state.name
        }
    }
}

extension TaskDue {
    /// The time of day as clocks show it, such as "09:30"; nil for a day without a time.
    public func clockText(in zone: Zone) -> String? {
        if case .day = self { return nil }
        let seconds = ClockTime(of: end(in: zone), in: zone).secondsIntoDay
        let (hour, minute) = (seconds / 3600, seconds / 60 % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension Day {
    /// The day as seen from today, such as "tomorrow" or "Fri": what ``TaskTexts/relative(_:today:)`` says.
    public func relativeText(today: Day, in texts: any TaskTexts = EnglishTaskTexts()) -> String {
        texts.relative(self, today: today)
    }
}

extension Instant {
    /// The instant as seen from today in a zone, such as "tomorrow 09:30": what ``TaskTexts/relative(_:on:in:)`` says.
    public func relativeText(
        today: Day, zone: Zone, in texts: any TaskTexts = EnglishTaskTexts()
    ) -> String {
        texts.relative(.at(self), on: today, in: zone)
    }
}

// The English texts for Daybook's own programs and tests.
extension TaskView {
    package var emptyText: String { EnglishTaskTexts().emptyView(self) }
}

extension UpcomingDay {
    package var label: String { EnglishTaskTexts().heading(of: day, today: today) }
}

extension CompletionStatistics {
    package var sentence: String { EnglishTaskTexts().summary(of: self) }
}

extension TaskRegion {
    package var heading: String { EnglishTaskTexts().heading(of: self) }
}

extension TaskBucket {
    package var heading: String { EnglishTaskTexts().heading(of: self) }
}

extension UndoNotice {
    package var text: String { EnglishTaskTexts().undoNotice(for: action) }
}
