import CivilTime
import FoundationEssentials
import Records

// The planner. Nothing in a plan moves without being asked: an application calls `rollOver` and `archiveExpired` when it
// starts and when a day begins, or never.
extension TaskList {
    // MARK: Read

    /// Returns the plan of a day.
    public func plan(on day: Day) throws(TaskError) -> DayPlan { try view { try $0.plan(on: day) } }

    /// Returns the numbers of open tasks in the plan of a day.
    public func planCounts(on day: Day) throws(TaskError) -> PlanCounts { try view { try $0.planCounts(on: day) } }

    /// Returns the tasks of a region of a day: sticky tasks first, then by bucket, then in the person's order.
    public func tasks(on day: Day, in region: TaskRegion) throws(TaskError) -> [TaskItem] {
        try view { try $0.tasks(on: day, in: region) }
    }

    /// Follows the plan of a day: by any process, and with the writes of this session. For nil, the plan of today, which
    /// changes at midnight.
    public func plans(on day: Day? = nil) -> LiveQuery<DayPlan> {
        observe { try $0.plan(on: day ?? $0.currentDay) }
    }

    // MARK: Write

    /// Places a task in a region, a bucket, or both; what is not given stays. A task that comes into another bucket is last
    /// there unless a place is given. A task without a day gets today.
    ///
    /// - Throws: `bucketFull`; `noSuchTask`, `notInSameBucket`, `noSuchIndex` for a place.
    @discardableResult
    public func place(
        _ id: UUID, region: TaskRegion? = nil, bucket: TaskBucket? = nil, at place: TaskPlace?
    ) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .place, { .placed($0?.region ?? .backlog) }) {
            try $0.place($1, region: region, bucket: bucket, at: place)
        }
    }

    /// Places tasks in a region, a bucket, or both: all or none.
    @discardableResult
    public func place<IDs: TaskSelection>(
        _ ids: IDs, region: TaskRegion? = nil, bucket: TaskBucket? = nil
    ) async throws(TaskError) -> IDs.Tasks {
        try await changeNoticed(ids, .place, { .placed($0?.region ?? .backlog) }) {
            try $0.place($1, region: region, bucket: bucket)
        }
    }

    /// Moves a task to another position within its bucket; one that has no place in the plan within the other tasks of its
    /// day that have none.
    @discardableResult
    public func reorderInPlan(_ id: UUID, to place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .reorder, { _ in .reordered }) { try $0.reorderInPlan($1, to: place) }
    }

    /// Shows tasks before the others of their buckets, or no longer.
    @discardableResult
    public func setSticky<IDs: TaskSelection>(_ ids: IDs, to isSticky: Bool) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .setSticky) { try $0.setSticky($1, to: isSticky) }
    }

    /// Lets `rollOver` carry tasks to today, or no longer.
    @discardableResult
    public func setAutoCarry<IDs: TaskSelection>(_ ids: IDs, to autoCarry: Bool) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .setAutoCarry) { try $0.setAutoCarry($1, to: autoCarry) }
    }

    /// Sets the instant after which `archiveExpired` archives tasks; nil removes it.
    @discardableResult
    public func setExpiry<IDs: TaskSelection>(_ ids: IDs, to moment: Instant?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .setExpiry) { try $0.setExpiry($1, to: moment) }
    }

    /// Carries the open tasks of past days that have `autoCarry` to the end of today, in one transaction and in their order. A
    /// task keeps its region, and its bucket if that has room today. Tasks that have expired stay.
    ///
    /// A second call on the same day changes nothing, and a call after the clock has stepped backward moves nothing back. A
    /// person's undo does not take it back.
    ///
    /// - Complexity: a few steps for each task that is carried; tasks without `autoCarry` cost nothing.
    @discardableResult
    public func rollOver() async throws(TaskError) -> Rollover { try await write(.rollover) { try $0.rollOver() } }

    /// Archives the tasks that expired before now, also completed ones: they leave every view and stay readable. Returns
    /// them. A person's undo does not take it back.
    ///
    /// - Complexity: a few steps for each task that is archived.
    @discardableResult
    public func archiveExpired() async throws(TaskError) -> [TaskItem] {
        try await write(.expire) { try $0.archiveExpired() }
    }

    /// Takes tasks out of the archive: all or none. Each is last on its day, in its list and in its bucket; an expiry in the
    /// past is removed. Tasks that are not archived stay as they are.
    @discardableResult
    public func unarchive<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .unarchive) { try $0.unarchive($1) }
    }
}
