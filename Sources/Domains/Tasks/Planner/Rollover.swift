import CivilTime
import FoundationEssentials
import Injection
import Records

/// What a rollover did.
public struct Rollover: Sendable, Equatable {
    /// The tasks that were carried to today, in the order of their days.
    public let carried: [TaskItem]
    /// The ids of those that lost their bucket, because it was full.
    public let unassigned: [UUID]
}

extension TaskTransaction {
    /// Carries the open tasks of past days that may be carried to the end of today, in their order. A task whose bucket is
    /// full today has none afterwards. Tasks that have expired stay.
    ///
    /// For `TaskList.rollOver`, whose change a person's undo does not take back.
    package func rollOver() throws -> Rollover {
        let today = today
        let now = now
        let yesterday = transaction.injectionPoint(.rollsOverOnlyYesterday) ? today.advanced(by: -1) : nil
        let range = try transaction[TaskItem.byCarry].range(from: yesterday.map(DayKey.first), to: .first(of: today))
        let tasks = range.filter { !$0.isExpired(at: now) }
        guard let first = tasks.first else { return Rollover(carried: [], unassigned: []) }
        var carried = tasks
        let gap = ManualOrder<TaskItem, DayKey>.gap
        let end = try transaction[TaskItem.order].last(in: DayGroupPart(day: today, rank: first.state.rank))
        for index in carried.indices {
            carried[index].carriedFromDay = carried[index].scheduledDate
            carried[index].carryCount += 1
            carried[index].scheduledDate = today
            carried[index].position = end + Int64(index) * gap
        }
        // Who comes first in the plans of the past days comes first today, also where there is room for some only.
        var room = PlanRoom(in: transaction)
        for index in tasks.indices.sorted(by: { tasks[$0].planRank < tasks[$1].planRank }) {
            try room.take(&carried[index])
        }
        for index in carried.indices {
            touch(&carried[index])
            try transaction.put(carried[index])
        }
        return Rollover(carried: carried, unassigned: carried.map(\.id).filter(room.unassigned.contains))
    }

    /// Archives the tasks that have expired, also completed ones. Returns them as they are afterwards.
    ///
    /// For `TaskList.archiveExpired`, whose change a person's undo does not take back.
    package func archiveExpired() throws -> [TaskItem] {
        let now = now
        var archived = try transaction[TaskItem.byExpiry].range(to: now)
        for index in archived.indices {
            archived[index].archivedAt = now
            try save(&archived[index])
        }
        return archived
    }
}

/// The room in the buckets of a day while many tasks come into them: each bucket is looked up once.
private struct PlanRoom {
    private struct Bucket {
        var count: Int
        var end: Int64
    }

    private let transaction: ReadTransaction
    private var buckets: [BucketKey: Bucket] = [:]
    private(set) var unassigned: Set<UUID> = []

    init(in transaction: ReadTransaction) {
        self.transaction = transaction
    }

    /// Gives an open task that is new to its day a position in its bucket, or none of its region if that is full.
    mutating func take(_ task: inout TaskItem) throws {
        guard var key = task.placedBucket else { return }
        var bucket = try bucket(key)
        if let cap = key.bucket.cap, bucket.count >= cap {
            unassigned.insert(task.id)
            task.bucket = .none
            guard let other = task.placedBucket else { return }
            key = other
            bucket = try self.bucket(key)
        }
        task.planOrder = bucket.end
        bucket.count += 1
        bucket.end = min(bucket.end + ManualOrder<TaskItem, Placed<PlanLane>>.gap, TaskItem.planOrderLimit)
        buckets[key] = bucket
    }

    private func bucket(_ key: BucketKey) throws -> Bucket {
        if let known = buckets[key] { return known }
        return Bucket(
            count: try transaction[TaskItem.perBucket].count(of: key),
            end: try transaction[TaskItem.planned].last(in: PlanLane(key, isSticky: false)))
    }
}

extension TaskItem {
    /// Its place in the plan of its day, as a number sequence that sorts like it.
    fileprivate var planRank: PlanRank {
        PlanRank(
            day: scheduledDate, region: region.rank, isSticky: isSticky, bucket: bucket.rank, position: planOrder)
    }
}

/// The order of the plans, over days.
private struct PlanRank: Comparable {
    let day: Day?
    let region: UInt8
    let isSticky: Bool
    let bucket: UInt8
    let position: Int64

    static func < (left: Self, right: Self) -> Bool {
        if let one = left.day, let other = right.day, one != other { return one < other }
        if left.region != right.region { return left.region < right.region }
        if left.isSticky != right.isSticky { return left.isSticky }
        if left.bucket != right.bucket { return left.bucket < right.bucket }
        return left.position < right.position
    }
}
