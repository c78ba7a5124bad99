import CivilTime
import Records

/// A bucket of a region on one day: what a cap applies to.
struct BucketKey: OrderedKey, Hashable {
    static var width: Int { 6 }
    static var isShownInErrors: Bool { true }

    let day: Day
    let region: TaskRegion
    let bucket: TaskBucket

    init(day: Day, region: TaskRegion, bucket: TaskBucket) {
        self.day = day
        // What only a newer version knows has the rank of the last one.
        self.region = TaskRegion.ordered[Int(region.rank)]
        self.bucket = TaskBucket.ordered[Int(bucket.rank)]
    }

    func encode(into key: inout KeyBytes) {
        day.encode(into: &key)
        region.rank.encode(into: &key)
        bucket.rank.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        day = try Day(decoding: &key)
        region = TaskRegion(rank: try UInt8(decoding: &key))
        bucket = TaskBucket(rank: try UInt8(decoding: &key))
    }
}

/// The order of a day's plan: region, sticky tasks first, bucket. Its positions are those of the bucket, sticky or not.
struct PlanLane: OrderedKey, Hashable {
    static var width: Int { 7 }
    static var isShownInErrors: Bool { true }

    let bucket: BucketKey
    let isSticky: Bool

    init(_ bucket: BucketKey, isSticky: Bool) {
        self.bucket = bucket
        self.isSticky = isSticky
    }

    func encode(into key: inout KeyBytes) {
        bucket.day.encode(into: &key)
        bucket.region.rank.encode(into: &key)
        (!isSticky).encode(into: &key)
        bucket.bucket.rank.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        let day = try Day(decoding: &key)
        let region = TaskRegion(rank: try UInt8(decoding: &key))
        isSticky = try !Bool(decoding: &key)
        bucket = BucketKey(day: day, region: region, bucket: TaskBucket(rank: try UInt8(decoding: &key)))
    }
}

/// The first two parts of a `PlanLane`: a region of one day.
struct RegionPart: OrderedKey {
    static var width: Int { 5 }
    static var isShownInErrors: Bool { true }

    let day: Day
    let region: TaskRegion

    init(day: Day, region: TaskRegion) {
        self.day = day
        self.region = region
    }

    func encode(into key: inout KeyBytes) {
        day.encode(into: &key)
        region.rank.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        day = try Day(decoding: &key)
        region = TaskRegion(rank: try UInt8(decoding: &key))
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
