import Daybook
import Observation

/// The tasks of one day, as a section of a screen.
public struct DaySection: Sendable, Identifiable {
    /// The day.
    public let day: Day
    /// The day that was today.
    public let today: Day
    /// The tasks that are planned for the day.
    public let tasks: Slice<RecordList<TaskItem>>
    /// The open tasks that are due on the day and planned for another one or for none.
    public let due: [TaskItem]

    /// The day.
    public var id: Day { day }

    /// The heading, such as "Tomorrow".
    public func heading(_ texts: some TaskTexts) -> String { texts.heading(of: day, today: today) }
}

/// The tasks of the days after today.
@MainActor @Observable
public final class UpcomingModel: TasksModel {
    private var due: [DueDay] = []

    /// Follows the days after today of a store or of a session.
    public override init(_ list: TaskList) { super.init(list) }

    /// The days that have tasks or on which something is due, the next first. Cost: a few look-ups in memory for each day.
    public var sections: [DaySection] {
        guard let today else { return [] }
        let planned = tasks.days
        var sections: [DaySection] = []
        var rest = due[...]
        func add(_ day: Day, _ tasks: Slice<RecordList<TaskItem>>, _ due: [TaskItem] = []) {
            sections.append(DaySection(day: day, today: today, tasks: tasks, due: due))
        }
        for (day, tasks) in planned {
            while let next = rest.first, next.day < day {
                add(next.day, self.tasks[0..<0], next.tasks)
                rest.removeFirst()
            }
            let isBoth = rest.first?.day == day
            add(day, tasks, isBoth ? rest.removeFirst().tasks : [])
        }
        for next in rest { add(next.day, tasks[0..<0], next.tasks) }
        return sections
    }

    override func changes(after shown: ViewUpdate?) -> LiveView { list.changes(in: .upcoming, after: shown) }

    override func start() {
        super.start()
        let query = list.observe { try $0.dueAfterToday().map { DueDay(day: $0.day, tasks: $0.tasks) } }
        follow(query) { [weak self] in self?.due = $0.value }
    }
}

private struct DueDay: Sendable, Equatable {
    let day: Day
    let tasks: [TaskItem]
}

/// The tasks of days before today.
@MainActor @Observable
public final class PastModel: TasksModel {
    /// Follows the past days of a store or of a session.
    public override init(_ list: TaskList) { super.init(list) }

    /// The days that have tasks, the last first.
    public var sections: [DaySection] {
        guard let today else { return [] }
        return tasks.days.reversed().map { DaySection(day: $0.day, today: today, tasks: $0.tasks, due: []) }
    }

    override func changes(after shown: ViewUpdate?) -> LiveView { list.changes(in: .past, after: shown) }
}

extension RecordList<TaskItem> {
    /// The tasks by day, of a list that is in the order of days.
    fileprivate var days: [(day: Day, tasks: Slice<Self>)] {
        var days: [(Day, Slice<Self>)] = []
        var rest = self[...]
        while let day = rest.first?.scheduledDate {
            let end = rest.startIndex + rest.countWhile { $0.scheduledDate == day }
            days.append((day, self[rest.startIndex..<end]))
            rest = self[end...]
        }
        return days
    }
}
