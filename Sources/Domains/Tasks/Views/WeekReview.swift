import CivilTime
import Records

/// A look back at one week: what was done, and what was not.
public struct WeekReview: Sendable, Equatable {
    /// One day of a review.
    public struct DayReview: Sendable, Equatable {
        /// The day.
        public let day: Day
        /// The number of tasks completed on it, whatever day they were scheduled on; those that were deleted since count.
        public let completed: Int
        /// The number of tasks that are scheduled on it, of every state.
        public let scheduled: Int
        /// The number of those that are completed, whenever that was.
        public let scheduledAndCompleted: Int
        /// The number of tasks that were carried to another day, from this one last.
        public let carried: Int
        /// The number of open tasks that are scheduled on it, if it is in the past.
        public let overdue: Int

        init(
            day: Day, completed: Int, scheduled: Int, scheduledAndCompleted: Int, carried: Int, overdue: Int
        ) {
            self.day = day
            self.completed = completed
            self.scheduled = scheduled
            self.scheduledAndCompleted = scheduledAndCompleted
            self.carried = carried
            self.overdue = overdue
        }

        /// A day of a store without tasks.
        package init(emptyOn day: Day) {
            self.init(day: day, completed: 0, scheduled: 0, scheduledAndCompleted: 0, carried: 0, overdue: 0)
        }
    }

    /// The zone that determines the days.
    public let zone: Zone
    /// Every day of the week.
    public let days: [DayReview]

    /// The first day of the week.
    public var weekStart: Day { days[0].day }
    /// The number of tasks completed in the week.
    public var completed: Int { days.reduce(0) { $0 + $1.completed } }
    /// The number of tasks whose last carry took them from a day of the week, to wherever.
    public var carried: Int { days.reduce(0) { $0 + $1.carried } }
    /// The number of open tasks that are scheduled on a day of the week that is in the past.
    public var overdue: Int { days.reduce(0) { $0 + $1.overdue } }

    /// Of the tasks that are scheduled in the week, the part that is completed, from 0 to 1; nil if none is scheduled.
    public var completionRate: Double? {
        let scheduled = days.reduce(0) { $0 + $1.scheduled }
        guard scheduled > 0 else { return nil }
        return Double(days.reduce(0) { $0 + $1.scheduledAndCompleted }) / Double(scheduled)
    }
}

extension TaskItem {
    /// The number of tasks by the day from which they were carried last.
    static let perCarriedDay = Tally<TaskItem, Day>("perCarriedDay") { $0.carriedFromDay }
}

extension TaskReading {
    /// Returns the review of the week that a day is in. Archived tasks are not among those that are scheduled.
    ///
    /// - Complexity: a step for each task that is scheduled in the week, and two small reads for each day; no task is read.
    public func review(ofWeekContaining day: Day) throws -> WeekReview {
        let context = transaction.context
        let (zone, today) = (context.zone, context.today)
        let week = day.week(startingOn: context.weekStart)
        let days = Array(week)
        let completed = try transaction[TaskItem.completions].counts(
            between: days.map(zone.start) + [zone.range(of: week).upperBound])
        return WeekReview(
            zone: zone,
            days: try zip(days, completed).map { day, completed in
                var (scheduled, done) = (0, 0)
                try transaction[TaskItem.byDay].forEachKey(prefix: day) { key, _ in
                    scheduled += 1
                    if key.rank == TaskState.completed.rank { done += 1 }
                    return true
                }
                return WeekReview.DayReview(
                    day: day, completed: completed, scheduled: scheduled, scheduledAndCompleted: done,
                    carried: try transaction[TaskItem.perCarriedDay].count(of: day),
                    overdue: day < today ? scheduled - done : 0)
            })
    }
}

extension TaskList {
    /// Returns the review of the week that a day is in: what was completed, carried and left open.
    public func review(ofWeekContaining day: Day) throws(TaskError) -> WeekReview {
        try view { try $0.review(ofWeekContaining: day) }
    }
}
