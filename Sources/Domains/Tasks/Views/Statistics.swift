import CivilTime
import Records

/// The numbers of completed tasks of today, this week, this month and last month, by the days of one zone.
public struct CompletionStatistics: Sendable, Equatable {
    /// The comparison of this month with the last.
    public enum Trend: String, Sendable {
        /// More than last month.
        case up
        /// Fewer than last month.
        case down
        /// As many as last month.
        case same
        /// There is no data to compare with.
        case noData
    }

    /// The day in the zone.
    public let day: Day
    /// The zone of the one who asked.
    public let zone: Zone
    /// The first day of this week.
    public let weekStart: Day
    /// Completed today, this week, this month, last month.
    public let today, week, month, lastMonth: Int
    /// Whether any task was ever completed.
    public let hasHistory: Bool

    /// The comparison of this month with the last.
    public var trend: Trend {
        if !hasHistory || lastMonth == 0 { return .noData }
        return month > lastMonth ? .up : month < lastMonth ? .down : .same
    }
}

/// The completions of one month, day by day.
public struct MonthStatistics: Sendable, Equatable {
    /// The completions of one day.
    public struct DayCount: Sendable, Equatable {
        /// The day.
        public let day: Day
        /// The number of tasks completed on it.
        public let completed: Int
    }

    /// The month.
    public let month: Month
    /// The zone that determines the days.
    public let zone: Zone
    /// Every day of the month.
    public let days: [DayCount]
    /// Completed in the month before.
    public let previousMonth: Int

    /// Completed in the month.
    public var completed: Int { days.reduce(0) { $0 + $1.completed } }
}

extension TaskReading {
    /// Returns the completions of today, this week, this month and last month.
    ///
    /// - Complexity: one small read for each day of these, whatever the number of tasks; no task is read.
    public func statistics() throws -> CompletionStatistics {
        let context = transaction.context
        let zone = context.zone
        let day = zone.day(of: context.clock.wall)
        let week = day.week(startingOn: context.weekStart)
        let month = day.monthOfYear
        return CompletionStatistics(
            day: day, zone: zone, weekStart: week.lowerBound,
            today: try count(day..<day.advanced(by: 1), in: zone), week: try count(week, in: zone),
            month: try count(month.days, in: zone),
            lastMonth: try month.previous.map { try count($0.days, in: zone) } ?? 0,
            hasHistory: try !transaction[TaskItem.completions].isEmpty())
    }

    /// Returns the completions of each day of a month, and of the month before.
    public func statistics(of month: Month) throws -> MonthStatistics {
        let zone = transaction.context.zone
        // The month before is one more interval in front. A day that a zone skipped ends where it begins.
        let previous = month.previous.map { zone.range(of: $0.days).lowerBound }
        let days = Array(month.days)
        let boundaries = [previous].compactMap(\.self) + days.map(zone.start) + [zone.range(of: month.days).upperBound]
        let counts = try transaction[TaskItem.completions].counts(between: boundaries)
        return MonthStatistics(
            month: month, zone: zone,
            days: zip(days, counts.suffix(days.count)).map { MonthStatistics.DayCount(day: $0, completed: $1) },
            previousMonth: previous == nil ? 0 : counts[0])
    }

    private func count(_ days: Range<Day>, in zone: Zone) throws -> Int {
        try transaction[TaskItem.completions].count(in: zone.range(of: days))
    }
}

extension TaskList {
    /// Returns the completions of today, this week, this month and last month, and each change of them: by any process, at
    /// midnight, which begins a day and perhaps a week or a month, and when the clock steps or the zone changes. Those of a session
    /// include its pending changes.
    ///
    /// - Complexity: that of `statistics()` for each commit.
    public func observeStatistics() -> LiveQuery<CompletionStatistics> {
        observe { try $0.statistics() }
    }

    /// Returns the completions of each day of a month, and each change of them, also of the zone. Those of a session include its
    /// pending changes.
    public func observeStatistics(of month: Month) -> LiveQuery<MonthStatistics> {
        observe { try $0.statistics(of: month) }
    }
}
