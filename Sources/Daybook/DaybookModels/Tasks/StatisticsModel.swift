import Daybook
import Observation

/// What was completed: today, this week, this month and last month, and day by day in a month.
@MainActor @Observable
public final class StatisticsModel: LiveModel {
    /// The numbers of completed tasks; nil before they were read.
    public private(set) var statistics: CompletionStatistics?
    /// The days of ``month``; nil before they were read, and without a month.
    public private(set) var days: MonthStatistics?
    /// The month whose days are shown; nil for none.
    public var month: Month? {
        didSet {
            guard month != oldValue else { return }
            days = nil
            stop()
            retry()
        }
    }
    /// The list of tasks that were completed.
    public let list: TaskList

    /// Follows the completions.
    public init(_ list: TaskList, month: Month? = nil) {
        (self.list, self.month) = (list, month)
        super.init()
    }

    override func start() {
        follow(list.observeStatistics()) { [weak self] in self?.statistics = $0.value }
        guard let month else { return }
        follow(list.observeStatistics(of: month)) { [weak self] in self?.days = $0.value }
    }
}
