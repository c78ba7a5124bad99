import CivilTime
import FoundationEssentials
import Injection
import Records

extension TaskTransaction {
    // MARK: Places

    /// Places a task in a region, a bucket, or both; what is not given stays. A task that comes into another bucket is last
    /// there unless a place is given. A task without a day gets today, because a plan is that of a day.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `bucketFull`, `unknownValue` if only a newer version defines a present or a new
    ///   value; those of `reorderInPlan` for a place.
    @discardableResult
    public func place(
        _ id: UUID, region: TaskRegion? = nil, bucket: TaskBucket? = nil, at place: TaskPlace? = nil
    ) throws -> TaskItem {
        let task = try put(id, region: region, bucket: bucket)
        guard let place else { return task }
        return try reorderInPlan(id, to: place)
    }

    private func put(_ id: UUID, region: TaskRegion?, bucket: TaskBucket?) throws -> TaskItem {
        let stored = try get(id)
        var task = stored
        task.region = region ?? task.region
        task.bucket = bucket ?? task.bucket
        try checkKnown(stored.region, task.region, "region")
        try checkKnown(stored.bucket, task.bucket, "bucket")
        if task.scheduledDate == nil { try move(&task, to: today) }
        return task == stored ? task : try save(&task)
    }

    /// Moves a task to another position within its bucket; one that has no place in the plan within the other tasks of its
    /// day that have none. Usually writes one record.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameBucket` also for a task that is archived or has no day, `noSuchIndex`.
    @discardableResult
    public func reorderInPlan(_ id: UUID, to place: TaskPlace) throws -> TaskItem {
        let task = try get(id)
        guard let day = task.scheduledDate, task.archivedAt == nil else { throw TaskError.notInSameBucket }
        let bucket = task.placedBucket
        let place = try reading.placeInPlan(place, of: task)
        if let other = place.neighbor { try checkBucket(of: other, is: bucket, on: day) }
        guard bucket != nil else { return try reorder(id, to: place) }
        return try transaction.move(id, to: place, in: TaskItem.planned) { touch(&$0) }
    }

    private func checkBucket(of other: UUID, is bucket: BucketKey?, on day: Day) throws {
        let neighbor = try get(other)
        guard neighbor.scheduledDate == day, neighbor.archivedAt == nil, neighbor.placedBucket == bucket else {
            throw TaskError.notInSameBucket
        }
    }

    /// Gives the tasks of a bucket new positions, in their order.
    private func space(_ bucket: BucketKey) throws {
        var places: [(position: Int64, id: UUID)] = []
        for isSticky in [true, false] {
            try transaction[TaskItem.byPlan].forEachKey(prefix: PlanLane(bucket, isSticky: isSticky)) { key, id in
                places.append((key.position, id))
                return true
            }
        }
        places.sort { $0.position < $1.position }
        for (number, place) in places.enumerated() {
            var task = try get(place.id)
            task.planOrder = Int64(number) * ManualOrder<TaskItem, Placed<PlanLane>>.gap
            try save(&task)
        }
    }

    // MARK: Attributes

    /// Shows a task before the others of its bucket, or no longer. Throws `TaskError.noSuchTask`.
    @discardableResult
    public func setSticky(_ id: UUID, to isSticky: Bool) throws -> TaskItem {
        try change(id) { $0.isSticky = isSticky }
    }

    /// Lets `TaskList.rollOver` carry a task to today, or no longer. Throws `TaskError.noSuchTask`.
    @discardableResult
    public func setAutoCarry(_ id: UUID, to autoCarry: Bool) throws -> TaskItem {
        try change(id) { $0.autoCarry = autoCarry }
    }

    /// Sets the instant after which `TaskList.archiveExpired` archives a task; nil removes it. Throws `TaskError.noSuchTask`.
    @discardableResult
    public func setExpiry(_ id: UUID, to moment: Instant?) throws -> TaskItem {
        try change(id) { $0.expiresAt = moment }
    }
}

extension TaskTransaction {
    // MARK: Archive

    /// Takes a task out of the archive: it is last on its day, in its list and in its bucket, whose other tasks may have its
    /// old places. An expiry in the past is removed, because the next `archiveExpired` would archive the task again. A task
    /// that is not archived stays as it is.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `bucketFull`.
    @discardableResult
    public func unarchive(_ id: UUID) throws -> TaskItem {
        let task = try get(id)
        guard task.archivedAt != nil else { return task }
        let now = now
        return try edit(id) { task in
            task.archivedAt = nil
            if task.isExpired(at: now) { task.expiresAt = nil }
        }
    }
}

// The rule of the buckets.
extension TaskTransaction {
    /// Prepares the place of a task that is about to be written: last in a bucket that it comes into, if it has room there.
    /// Every change of a task passes here but those of files, which may overfill a bucket, and undo, which is checked after
    /// it. A task without a place costs nothing.
    func takePlace(_ task: inout TaskItem) throws {
        guard let bucket = task.placedBucket else { return }
        let stored = try transaction[TaskItem.self].get(task.id)
        if let cap = bucket.bucket.cap, task.occupiedBucket == bucket, stored?.occupiedBucket != bucket,
            !transaction.injectionPoint(.overfillsBuckets),
            try transaction[TaskItem.perBucket].count(of: bucket) >= cap
        {
            throw TaskError.bucketFull(bucket.bucket)
        }
        guard stored?.placedBucket != bucket else { return }
        let lane = PlanLane(bucket, isSticky: task.isSticky)
        var position = try transaction[TaskItem.planned].last(in: lane)
        if position > TaskItem.planOrderLimit {
            try space(bucket)
            position = try transaction[TaskItem.planned].last(in: lane)
        }
        task.planOrder = position
    }

    /// Checks the buckets in which undo or redo has raised the count: other changes may have filled them since.
    private func checkRestoredBuckets() throws {
        for (key, count) in try transaction[TaskItem.perBucket].raisedCounts() {
            if let cap = key.bucket.cap, count > cap { throw TaskError.bucketFull(key.bucket) }
        }
    }

    /// Undoes the last operation on this store that a person can undo, whoever did it; can be repeated. Returns its kind.
    ///
    /// What sync, a rollover or an expiry has written since stays. An operation of which nothing else is left is passed over
    /// (`WriteTransaction.passedOverByUndo`).
    ///
    /// - Throws: `TaskError`: `bucketFull` if a task would return to a bucket that has no room since, and nothing must be kept
    ///   of the transaction then; `nothingToUndo`; `changedSince` if every operation that is left would be passed over.
    @discardableResult
    public func undo() throws -> TaskOperation { try restore { try transaction.undo() } }

    /// Redoes the operation that was undone last. Throws as `undo`.
    @discardableResult
    public func redo() throws -> TaskOperation { try restore { try transaction.redo() } }

    /// Undoes one change, even if there are later ones.
    func undo(_ sequence: UInt64) throws {
        try transaction.undo(sequence)
        try checkRestoredBuckets()
        // A move may have spaced other tasks: each of them is back at its old position, too.
        for id in try transaction.changedIDs(of: TaskItem.self) { try separate(id) }
    }

    private func restore(_ body: () throws -> ChangeLabel) throws -> TaskOperation {
        let label: ChangeLabel
        do { label = try body() } catch { throw TaskError(error) }
        let operation = TaskOperation(rawValue: label.operation) ?? .several
        if operation != .importing { try checkRestoredBuckets() }
        if transaction.restoresUnderOtherChanges {
            try unlistFromRemovedLists()
            for id in try transaction.changedIDs(of: TaskItem.self) { try separate(id) }
        }
        return operation
    }

    /// Takes the tasks out of a list whose creation was undone although the operation that put them there was passed over.
    private func unlistFromRemovedLists() throws {
        for list in try transaction.changedIDs(of: CustomList.self) where try reading.list(list) == nil {
            for var task in try transaction[TaskItem.byList].prefix(list) + archivedTasks(of: list) {
                try place(&task, inList: nil)
                try save(&task)
            }
        }
    }
}
