import CivilTime
import Records

/// A bucket of a region on one day: what a cap applies to.
struct BucketKey: CompoundKey, Hashable {
    let day: Day
    let region: TaskRegion
    let bucket: TaskBucket

    init(day: Day, region: TaskRegion, bucket: TaskBucket) {
        self.day = day
        // What only a newer version defines has the rank of the last one.
        self.region = TaskRegion.ordered[Int(region.rank)]
        self.bucket = TaskBucket.ordered[Int(bucket.rank)]
    }

    init(_ compound: Compound<Day, UInt8, UInt8>) {
        let (day, region, bucket) = compound.parts
        self.init(day: day, region: TaskRegion(rank: region), bucket: TaskBucket(rank: bucket))
    }

    var compound: Compound<Day, UInt8, UInt8> { Compound(day, region.rank, bucket.rank) }
}

/// The order of a day's plan: region, sticky tasks first, bucket. Its positions are those of the bucket, sticky or not.
struct PlanLane: CompoundKey, Hashable {
    let bucket: BucketKey
    let isSticky: Bool

    init(_ bucket: BucketKey, isSticky: Bool) {
        self.bucket = bucket
        self.isSticky = isSticky
    }

    init(_ compound: Compound<Day, UInt8, Bool, UInt8>) {
        let (day, region, isPlain, bucket) = compound.parts
        self.init(BucketKey(Compound(day, region, bucket)), isSticky: !isPlain)
    }

    var compound: Compound<Day, UInt8, Bool, UInt8> {
        Compound(bucket.day, bucket.region.rank, !isSticky, bucket.bucket.rank)
    }
}

extension TaskItem {
    /// Positions of imported files beyond this count as this, so that there is room for more.
    static let planOrderLimit: Int64 = 1 << 61

    /// Whether the planner has given it a place: a region other than the backlog, or a bucket.
    var hasPlanFields: Bool { region != .backlog || bucket != .none }

    /// Its bucket in the plan of its day; nil for a task without a place, which costs the planner nothing.
    var placedBucket: BucketKey? {
        guard hasPlanFields, archivedAt == nil, let scheduledDate else { return nil }
        return BucketKey(day: scheduledDate, region: region, bucket: bucket)
    }

    /// The bucket in which it counts: only open tasks do.
    var occupiedBucket: BucketKey? { isCompleted ? nil : placedBucket }

    /// The index of the plans: day, region, sticky tasks first, bucket, position.
    static let byPlan = Index<TaskItem, Placed<PlanLane>>("byPlan") { task in
        guard let bucket = task.placedBucket else { return nil }
        return Placed(
            lane: PlanLane(bucket, isSticky: task.isSticky),
            position: min(max(task.planOrder, -planOrderLimit), planOrderLimit))
    }

    /// The order within a bucket. Sticky tasks share their positions with the others, so that a task keeps its place when it
    /// becomes sticky and when it no longer is.
    static let planned = ManualOrder(byPlan, \.planOrder) { lane in
        [true, false].map { PlanLane(lane.bucket, isSticky: $0) }
    }

    /// The number of open tasks in each bucket.
    static let perBucket = Tally<TaskItem, BucketKey>("perBucket") { $0.occupiedBucket }

    /// The index of the open tasks that may be carried, in the order of the views of their days.
    static let byCarry = Index<TaskItem, DayKey>("byCarry") { task in
        guard task.autoCarry, !task.isCompleted, task.archivedAt == nil, task.scheduledDate != nil else { return nil }
        return DayKey(day: task.scheduledDate, rank: task.state.rank, position: task.position)
    }

    /// The index of the times at which tasks are to be archived.
    static let byExpiry = Index<TaskItem, Instant>("byExpiry") { $0.archivedAt == nil ? $0.expiresAt : nil }
}
