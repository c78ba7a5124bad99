import CivilTime
import FoundationEssentials
import Records

/// The views and counts of the tasks in one transaction: `transaction.tasks`.
///
/// Its functions throw `RecordsError` if the store fails; `TaskList` reports these as `TaskError.store`.
public struct TaskReading {
    let transaction: ReadTransaction

    /// The zone that determines today.
    package var zone: Zone { transaction.context.zone }
    /// The wall clock.
    package var now: Instant { transaction.context.clock.wall }

    /// The day by the clock and the zone.
    package var currentDay: Day { transaction.context.today }

    /// Returns the task of an id; nil if there is none.
    public func get(_ id: UUID) throws -> TaskItem? { try transaction[TaskItem.self].get(id) }

    /// Returns the tasks of the Inbox.
    ///
    /// - Complexity: a step and a look-up for each task that is returned, as for every view.
    public func inbox(limit: Int = .max) throws -> [TaskItem] {
        try tasks(in: .inbox, today: currentDay, limit: limit)
    }

    /// Returns the tasks of one day.
    public func tasks(on day: Day) throws -> [TaskItem] {
        try visible(TaskItem.byDay, in: .prefix(day), today: currentDay)
    }

    /// Returns the tasks of today, by the clock and the zone.
    public func today() throws -> TodayView {
        let zone = transaction.context.zone
        let day = zone.day(of: transaction.context.clock.wall)
        return TodayView(day: day, zone: zone, validUntil: zone.end(of: day), tasks: try tasks(on: day))
    }

    /// Returns the days after today that have tasks.
    public func upcoming() throws -> [UpcomingDay] { try upcoming(today: currentDay) }

    private func upcoming(today: Day) throws -> [UpcomingDay] {
        var days: [UpcomingDay] = []
        for task in try tasks(in: .upcoming, today: today) {
            guard let day = task.scheduledDate else { continue }
            if days.last?.day == day {
                days[days.count - 1].tasks.append(task)
            } else {
                days.append(UpcomingDay(day: day, today: today, tasks: [task]))
            }
        }
        return days
    }

    /// Returns the tasks of days before today, the oldest day first.
    ///
    /// - Parameter openOnly: whether to leave out completed tasks. Complexity: a step for each day.
    public func past(openOnly: Bool = false, limit: Int = .max) throws -> [TaskItem] {
        try past(today: currentDay, openOnly: openOnly, limit: limit)
    }

    private func past(today: Day, openOnly: Bool = false, limit: Int = .max) throws -> [TaskItem] {
        guard openOnly else { return try tasks(in: .past, today: today, limit: limit) }
        let end = DayKey.first(of: today)
        var tasks: [TaskItem] = []
        var start: DayKey? = .first(of: .first)
        while let from = start, tasks.count < limit {
            start = nil
            var found: DayKey?
            try transaction[TaskItem.byDay].forEachKey(from: from, to: end) { key, _ in
                found = key
                return false
            }
            guard let day = found?.day else { break }
            // The open groups of that day, then the next day.
            let isOpen = IndexRange<TaskItem, DayKey>.keys(
                from: .first(of: day), to: DayKey(day: day, rank: TaskState.completed.rank, position: .min))
            tasks += try visible(TaskItem.byDay, in: isOpen, today: today, limit: limit - tasks.count)
            start = .first(of: day.advanced(by: 1))
        }
        return tasks
    }

    /// Returns the tasks of a view.
    public func tasks(in view: TaskView) throws -> [TaskItem] { try tasks(in: view, today: currentDay) }

    /// Returns the tasks of a view for a given day, for callers that use the day for other computations, too.
    func tasks(in view: TaskView, today: Day, limit: Int = .max) throws -> [TaskItem] {
        try visible(TaskItem.byDay, in: view.range(today: today), today: today, limit: limit)
    }

    /// Returns a page of a view, from its beginning or after an earlier page. The token stays valid whatever is written in
    /// between, and past midnight.
    ///
    /// - Parameter isShown: Leaves tasks out, at the cost of a step and a look-up for each.
    /// - Complexity: a step and a look-up for each task that is returned, also far into the view.
    public func page(
        of view: TaskView, after token: PageToken? = nil, limit: Int = 20,
        where isShown: (TaskItem) throws -> Bool = { _ in true }
    ) throws -> Page<TaskItem> {
        let today = currentDay
        return try transaction[TaskItem.byDay].page(in: view.range(today: today), after: token, limit: limit) {
            try !$0.isWaiting(on: today) && isShown($0)
        }
    }

    /// Returns the tasks that were created in a range of time, of every state and also archived ones, the oldest first.
    ///
    /// - Complexity: a step and a look-up for each task that is returned.
    public func created(in range: Range<Instant>, limit: Int = .max) throws -> [TaskItem] {
        try transaction[TaskItem.byCreation].range(from: range.lowerBound, to: range.upperBound, limit: limit)
    }

    /// Returns the tasks that are not completed and whose reminders are in a range, in the order of time.
    ///
    /// - Complexity: a step and a look-up for each task that is returned.
    public func reminders(in range: Range<Instant>) throws -> [TaskItem] {
        try transaction[TaskItem.byReminder].range(from: range.lowerBound, to: range.upperBound)
    }

    /// Returns the tasks that are not completed and whose reminders are due by the wall clock, in the order of time. They
    /// are due until they are completed, archived or given another reminder.
    public func dueReminders() throws -> [TaskItem] {
        let end = transaction.context.clock.wall.advanced(byMicroseconds: 1)
        return try transaction[TaskItem.byReminder].range(to: end)
    }

    /// Returns the view that shows a task; nil if it is archived or hidden today.
    public func view(of task: TaskItem) -> TaskView? {
        let today = currentDay
        return task.archivedAt == nil && !task.isWaiting(on: today)
            ? .containing(task.scheduledDate, today: today) : nil
    }
}

/// Today's tasks: active, not started, completed, each in the user's order.
public struct TodayView: RandomAccessCollection, Sendable, Equatable {
    /// The day that was read.
    public let day: Day
    /// The zone in which it was today.
    public let zone: Zone
    /// The end of the day: the next midnight in the zone.
    public let validUntil: Instant
    /// The tasks.
    public let tasks: [TaskItem]

    /// The number of today's tasks that are completed, whenever that was. The statistics count what was completed today,
    /// whatever day it was scheduled on.
    public var completedCount: Int { tasks.count(where: \.isCompleted) }

    /// The index of the first task.
    public var startIndex: Int { tasks.startIndex }
    /// The index after the last task.
    public var endIndex: Int { tasks.endIndex }
    /// The task at an index.
    public subscript(position: Int) -> TaskItem { tasks[position] }
}

/// The tasks of one day after today.
public struct UpcomingDay: Sendable, Equatable {
    /// The day.
    public let day: Day
    /// The day that was today.
    public let today: Day
    /// The day's tasks.
    public internal(set) var tasks: [TaskItem]
}

extension ReadableTransaction {
    /// The views and counts of the tasks.
    public var tasks: TaskReading { TaskReading(transaction: self) }
}
