import Daybook
import Observation

/// The plan of a day: its regions with their buckets, sticky tasks first.
@MainActor @Observable
public final class PlanModel: LiveModel {
    /// The day; nil for today, whichever day that is.
    public let day: Day?
    /// The plan; nil before it was read.
    public private(set) var plan: DayPlan?
    /// The list of tasks that are planned.
    public let list: TaskList

    /// Follows the plan of a day; for nil, that of today, which changes at midnight.
    public init(_ list: TaskList, on day: Day? = nil) {
        (self.list, self.day) = (list, day)
        super.init()
    }

    /// How many more open tasks a bucket of a region has room for; nil for no limit, or before the plan was read.
    public func room(in region: TaskRegion, _ bucket: TaskBucket) -> Int? {
        guard let buckets = plan?.regions.first(where: { $0.region == region })?.buckets,
            let found = buckets.first(where: { $0.bucket == bucket })
        else { return nil }
        return found.cap.map { max(0, $0 - found.used) }
    }

    override func start() {
        follow(list.plans(on: day)) { [weak self] in self?.plan = $0.value }
    }
}
