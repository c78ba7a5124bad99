import Daybook

/// How many tasks were completed, by the boundaries of one zone.
public struct CompletedCounts: Sendable, Equatable {
    /// Today, this week, this month, last month.
    public var today, week, month, lastMonth: Int

    /// Counts.
    public init(today: Int, week: Int, month: Int, lastMonth: Int) {
        self.today = today
        self.week = week
        self.month = month
        self.lastMonth = lastMonth
    }

    /// How this month compares with the last, when anything was ever completed.
    var trend: CompletionStatistics.Trend {
        if lastMonth == 0 { return .noData }
        return month == lastMonth ? .same : month > lastMonth ? .up : .down
    }
}
