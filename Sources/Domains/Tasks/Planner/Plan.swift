import CivilTime
import FoundationEssentials
import Records

/// The plan of a day: its regions, each with its buckets and their tasks.
public struct DayPlan: Sendable, Equatable {
    /// The day.
    public let day: Day
    /// Morning, afternoon, evening, backlog.
    public let regions: [Region]

    /// A part of the day.
    public struct Region: Sendable, Equatable {
        /// Which part.
        public let region: TaskRegion
        /// Must, complementary, misc, none.
        public let buckets: [Bucket]

        /// The number of its tasks that are not completed.
        public var open: Int { buckets.reduce(0) { $0 + $1.used } }
    }

    /// The tasks of one weight in a region.
    public struct Bucket: Sendable, Equatable {
        /// Which weight.
        public let bucket: TaskBucket
        /// Sticky tasks first, then the others, each in the person's order. Completed ones are among them.
        public let tasks: [TaskItem]

        /// The number of tasks that are not completed.
        public var used: Int { tasks.count { !$0.isCompleted } }
        /// How many tasks it may have that are not completed; nil for no limit.
        public var cap: Int? { bucket.cap }
    }

    /// The tasks of a region and a bucket.
    public subscript(_ region: TaskRegion, _ bucket: TaskBucket) -> [TaskItem] {
        regions.first { $0.region == region }?.buckets.first { $0.bucket == bucket }?.tasks ?? []
    }
}

/// The numbers of open tasks in a day's plan, for headers.
public struct PlanCounts: Sendable, Equatable {
    /// The day.
    public let day: Day
    let counts: [TaskRegion: [TaskBucket: Int]]

    /// The number of open tasks in a bucket of a region.
    public func used(in region: TaskRegion, _ bucket: TaskBucket) -> Int { counts[region]?[bucket] ?? 0 }

    /// The number of open tasks in a region.
    public func open(in region: TaskRegion) -> Int { counts[region]?.values.reduce(0, +) ?? 0 }
}

extension TaskReading {
    /// Returns the plan of a day. The day's tasks without a place are in the backlog without a bucket, in the order of the
    /// day's view.
    ///
    /// - Complexity: a step and a look-up for each task of the day, and another for each that has a place.
    public func plan(on day: Day) throws -> DayPlan {
        var tasks: [BucketKey: [TaskItem]] = [:]
        let today = currentDay
        try transaction[TaskItem.byPlan].forEach(prefix: day) { task in
            if let bucket = task.placedBucket, !task.isWaiting(on: today) { tasks[bucket, default: []].append(task) }
            return true
        }
        let unplaced = try unplaced(on: day)
        let rest = BucketKey(day: day, region: .backlog, bucket: .none)
        // Both lists have their sticky tasks first.
        let all = tasks[rest, default: []] + unplaced
        tasks[rest] = all.filter(\.isSticky) + all.filter { !$0.isSticky }
        return DayPlan(
            day: day,
            regions: TaskRegion.ordered.map { region in
                DayPlan.Region(
                    region: region,
                    buckets: TaskBucket.ordered.map { bucket in
                        let key = BucketKey(day: day, region: region, bucket: bucket)
                        return DayPlan.Bucket(bucket: bucket, tasks: tasks[key] ?? [])
                    })
            })
    }

    /// Returns the tasks of a region of a day: sticky tasks first, then by bucket, then in the person's order. Tasks without a
    /// place are in the backlog.
    ///
    /// - Complexity: a step and a look-up for each task that is returned; for the backlog, for each of the day.
    public func tasks(on day: Day, in region: TaskRegion) throws -> [TaskItem] {
        let placed = try visible(
            TaskItem.byPlan, in: .prefix(Compound(day, region.rank)), today: currentDay)
        guard region == .backlog else { return placed }
        let all = try placed + unplaced(on: day)
        return all.filter(\.isSticky) + all.filter { !$0.isSticky }
    }

    /// Returns the numbers of open tasks in the plan of a day.
    ///
    /// - Complexity: a step for each bucket in use and for each open task of the day; only hidden tasks are read.
    public func planCounts(on day: Day) throws -> PlanCounts {
        var counts: [TaskRegion: [TaskBucket: Int]] = [:]
        var placed = 0
        try transaction[TaskItem.perBucket].forEach(prefix: day) { key, count, _ in
            counts[key.region, default: [:]][key.bucket] = count
            placed += count
            return true
        }
        let open = try transaction[TaskItem.byDay].count(
            from: .first(of: day), to: DayKey(day: day, rank: TaskState.completed.rank, position: .min))
        if open > placed { counts[.backlog, default: [:]][TaskBucket.none, default: 0] += open - placed }
        for task in try waiting() where task.scheduledDate == day {
            let bucket = task.placedBucket ?? BucketKey(day: day, region: .backlog, bucket: .none)
            counts[bucket.region]?[bucket.bucket]? -= 1
        }
        return PlanCounts(day: day, counts: counts)
    }

    private func unplaced(on day: Day) throws -> [TaskItem] {
        try tasks(on: day).filter { !$0.hasPlanFields }
    }

    /// Returns the neighbor that an index of a task's bucket stands for. It is limited to the tasks that are sticky like this
    /// one; the index of a task without a place, to those of its state.
    func placeInPlan(_ place: TaskPlace, of task: TaskItem) throws -> TaskPlace {
        guard case .index(let index) = place, let day = task.scheduledDate else { return place }
        let bucket = BucketKey(day: day, region: task.region, bucket: task.bucket)
        let shown = try plan(on: day)[bucket.region, bucket.bucket]
        guard shown.indices.contains(index) else { throw TaskError.noSuchIndex(index) }
        let isPlaced = task.placedBucket != nil
        func isPeer(_ other: TaskItem) -> Bool {
            other.isSticky == task.isSticky && (other.placedBucket != nil) == isPlaced
                && (isPlaced || other.state.rank == task.state.rank)
        }
        let others = shown.filter { $0.id != task.id }
        let next = others.indices.first { $0 >= index && isPeer(others[$0]) }
        if let next { return .before(others[next].id) }
        return others.last(where: isPeer).map { .after($0.id) } ?? .after(task.id)
    }
}
