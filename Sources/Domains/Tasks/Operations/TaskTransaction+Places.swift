import CivilTime
import FoundationEssentials
import Records

extension TaskTransaction {
    /// Schedules a task on a day or moves it to the Inbox, at the end unless a place is given.
    ///
    /// - Throws: `TaskError`: `pastDay` for a day in the past, unless the task has it already; `bucketFull`; those of
    ///   `reorder`.
    @discardableResult
    public func schedule(_ id: UUID, on when: TaskDay, at place: TaskPlace? = nil) throws -> TaskItem {
        var task = try get(id)
        let day = when.day(today: today)
        if day != task.scheduledDate {
            if let day, day < today { throw TaskError.pastDay(day) }
            try move(&task, to: day)
            try save(&task)
        }
        if let place { return try reorder(id, to: place) }
        return task
    }

    /// Moves a task to another position within its day or the Inbox. Usually writes one record. Beside a task of another state
    /// means first or last among those of its own, whichever is nearer.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameDay` also for an archived task, `noSuchIndex`.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) throws -> TaskItem {
        let task = try get(id)
        return try reading.naming(place) {
            try transaction.move(task, to: reading.place(place, of: task), in: TaskItem.order) { touch(&$0) }
        }
    }

    /// Moves a task that an undo has brought back, if another task has taken its position since: on its day, or in its bucket.
    func separate(_ id: UUID) throws {
        guard let task = try transaction[TaskItem.self].get(id), task.archivedAt == nil else { return }
        let next = try transaction[TaskItem.order].other(than: id, at: task.position, in: task.group)
        // Not as a person means it: the other task may be of another state, and its position is what counts.
        if let next { _ = try transaction.move(task, to: .before(next), in: TaskItem.order) { touch(&$0) } }
        let list = task.listID ?? TaskItem.noList
        let other = try transaction[TaskItem.orderInList].other(than: id, at: task.listOrder, in: list)
        // Tasks that were never placed in their list share a position.
        if let other, task.listOrder != 0 { try reorder(id, inListTo: .before(other)) }
        if let parent = task.parentTaskID,
            let other = try transaction[TaskItem.orderInParent].other(
                than: id, at: task.subtaskOrder, in: .part(of: parent)),
            task.subtaskOrder != 0
        {
            try reorder(id, inParentTo: .before(other))
        }
        guard let bucket = task.placedBucket else { return }
        let lane = PlanLane(bucket, isSticky: task.isSticky)
        let nextInPlan = try transaction[TaskItem.planned].other(than: id, at: task.planOrder, in: lane)
        if let nextInPlan { try reorderInPlan(id, to: .before(nextInPlan)) }
    }
}

extension TaskReading {
    /// Returns the tasks of a task's day, or of the Inbox, in the order that moving it would lead to. Writes nothing.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameDay`, `noSuchIndex`, where the move would.
    /// - Complexity: a step and a look-up for each task of the day, and a step more for each of the task's group.
    public func preview(reordering id: UUID, to place: TaskPlace) throws -> [TaskItem] {
        guard let task = try get(id) else { throw TaskError.noSuchTask(id: id.lowercased) }
        let ids = try naming(place) {
            try transaction[TaskItem.order].preview(id, to: self.place(place, of: task))
        }
        let today = currentDay
        var day = try transaction[TaskItem.byDay].prefix(task.scheduledDate)
        if day.contains(where: { $0.isWaiting(on: today) }) { day.removeAll { $0.isWaiting(on: today) } }
        let group = Dictionary(uniqueKeysWithValues: day.filter { $0.state == task.state }.map { ($0.id, $0) })
        var moved = ids.compactMap { group[$0] }.makeIterator()
        return day.map { $0.state == task.state ? moved.next() ?? $0 : $0 }
    }

    /// Returns the place within the group of a task's state that a place in its day's view is: the nearest end of the group
    /// for one beside a task of another state, whose position within the groups' shared order nobody sees.
    func place(_ place: TaskPlace, of task: TaskItem) throws -> TaskPlace {
        guard task.archivedAt == nil else { return place }
        let index: Int
        switch place {
        case .first, .last: return place
        case .before(let other), .after(let other):
            guard let neighbor = try get(other), neighbor.scheduledDate == task.scheduledDate,
                neighbor.archivedAt == nil, neighbor.state != task.state
            else { return place }
            return neighbor.state.rank < task.state.rank ? .first : .last
        case .index(let given): index = given
        }
        if try waiting().contains(where: { $0.scheduledDate == task.scheduledDate }) {
            return try visiblePlace(index, of: task)
        }
        var count = 0
        var before = 0
        try transaction[TaskItem.byDay].forEachKey(prefix: task.scheduledDate) { key, _ in
            count += 1
            if key.rank < task.state.rank { before += 1 }
            return true
        }
        guard index >= 0, index < count else { throw TaskError.noSuchIndex(index) }
        return .index(max(index - before, 0))
    }

    /// The neighbor that an index of a view stands for where some of the tasks are hidden, which have positions as well.
    private func visiblePlace(_ index: Int, of task: TaskItem) throws -> TaskPlace {
        let today = currentDay
        let shown = try visible(TaskItem.byDay, in: .prefix(task.scheduledDate), today: today)
        guard shown.indices.contains(index) else { throw TaskError.noSuchIndex(index) }
        let others = shown.filter { $0.id != task.id }
        let peers = others.indices.filter { others[$0].state.rank == task.state.rank }
        if let next = peers.first(where: { $0 >= index }) { return .before(others[next].id) }
        return peers.last.map { .after(others[$0].id) } ?? .last
    }

    /// Converts the engine's refusal of a place into the one that names its cause.
    fileprivate func naming<Result>(_ place: TaskPlace, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch RecordsError.noSuchPlace {
            if let other = place.neighbor, try get(other) == nil { throw TaskError.noSuchTask(id: other.lowercased) }
            throw TaskError.notInSameDay
        }
    }
}
