import CivilTime
import FoundationEssentials
import Records

extension TaskReading {
    /// Returns the tasks that a task waits for, in the order of their ids.
    ///
    /// - Parameter openOnly: whether to leave out completed and archived ones, which block nothing.
    /// - Complexity: a step and a look-up for each.
    public func blockers(of id: UUID, openOnly: Bool = false) throws -> [TaskItem] {
        try blockerIDs(of: id).compactMap { blocker in
            guard let task = try get(blocker) else { return nil }
            return openOnly && !task.isBlocking ? nil : task
        }
    }

    /// Returns the tasks that wait for a task, in the order of their ids.
    ///
    /// - Complexity: a step and a look-up for each.
    public func blocked(by id: UUID) throws -> [TaskItem] {
        var ids: [UUID] = []
        guard try hasLinks() else { return [] }
        try transaction[TaskLink.ofBlocker].forEachKey(prefix: id) { _, link in
            ids.append(link.blocked)
            return true
        }
        return try ids.compactMap { try get($0) }
    }

    /// Whether a task waits for an open one.
    public func isBlocked(_ id: UUID) throws -> Bool {
        for blocker in try blockerIDs(of: id) where try get(blocker)?.isBlocking == true { return true }
        return false
    }

    /// Returns the open tasks that wait for another open one, in the order of their ids.
    ///
    /// - Complexity: a step and a look-up for each link of the store.
    public func blockedTasks() throws -> [TaskItem] {
        var found: [TaskItem] = []
        var last: UUID?
        guard try hasLinks() else { return [] }
        try transaction[TaskLink.self].forEach { link in
            guard link.id.blocked != last, try get(link.id.blocker)?.isBlocking == true,
                let task = try get(link.id.blocked), task.isBlocking
            else { return true }
            last = task.id
            found.append(task)
            return true
        }
        return found
    }

    /// Whether any task waits for another one; false in a store of an earlier version that is open for reading only.
    ///
    /// - Complexity: a step.
    package func hasLinks() throws -> Bool {
        do {
            // The count is written at the end of a transaction.
            return try !transaction[TaskLink.self].page(limit: 1).isEmpty
        } catch RecordsError.engine(.tableMissing) {
            return false
        }
    }

    /// Returns the ids of the tasks that a task waits for, of any state, ascending.
    package func blockerIDs(of id: UUID) throws -> [UUID] {
        var ids: [UUID] = []
        guard try hasLinks() else { return [] }
        try transaction[TaskLink.ofBlocked].forEachKey(prefix: id) { _, link in
            ids.append(link.blocker)
            return true
        }
        return ids
    }

    /// Whether a task waits for another one, at once or through others. Each task is looked at once, so it ends whatever is
    /// stored.
    func waits(_ id: UUID, for other: UUID) throws -> Bool {
        var known: Set<UUID> = [id]
        var open = [id]
        while let next = open.popLast() {
            if next == other { return true }
            open += try blockerIDs(of: next).filter { known.insert($0).inserted }
        }
        return false
    }
}

extension TaskItem {
    /// Whether tasks that wait for this one must wait.
    var isBlocking: Bool { !isCompleted && archivedAt == nil }
}

extension TaskTransaction {
    /// Makes a task wait for another one. Tasks that are linked already stay as they are.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `dependencyCycle` if the other one waits for this task, at once or through others,
    ///   or is the same.
    /// - Returns: the task that waits.
    /// - Complexity: a step for each task that the other one waits for, at once or through others.
    @discardableResult
    public func block(_ id: UUID, by blocker: UUID) throws -> TaskItem {
        var task = try get(id)
        _ = try get(blocker)
        let link = TaskLinkID(blocked: id, blocker: blocker)
        if try transaction[TaskLink.self].get(link) != nil { return task }
        guard try !reading.waits(blocker, for: id) else { throw TaskError.dependencyCycle }
        try transaction.put(TaskLink(id: link, createdAt: now))
        return try save(&task)
    }

    /// Makes a task no longer wait for another one. Tasks that are not linked stay as they are.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    /// - Returns: the task that no longer waits.
    @discardableResult
    public func unblock(_ id: UUID, by blocker: UUID) throws -> TaskItem {
        var task = try get(id)
        _ = try get(blocker)
        let link = TaskLinkID(blocked: id, blocker: blocker)
        guard try transaction.delete(TaskLink.self, id: link) else { return task }
        return try save(&task)
    }

    /// Links an imported task to one that it waits for.
    ///
    /// - Returns: Whether they are linked: not if one of them is not there, or if the link would close a circle.
    package func link(_ id: UUID, to blocker: UUID) throws -> Bool {
        let link = TaskLinkID(blocked: id, blocker: blocker)
        if try transaction[TaskLink.self].get(link) != nil { return true }
        guard try reading.get(id) != nil, try reading.get(blocker) != nil, try !reading.waits(blocker, for: id) else {
            return false
        }
        try transaction.put(TaskLink(id: link, createdAt: now))
        return true
    }

    /// Makes an imported task a part of another one as its file says. It is no change of the task, whose time of change stays. A link
    /// to a task that is not there, and one that would close a circle or is too deep, is left out.
    package func link(_ id: UUID, under parent: UUID) throws {
        guard var task = try reading.get(id), try reading.get(parent) != nil, task.parentTaskID != parent else {
            return
        }
        do {
            try setParent(parent, of: &task)
        } catch TaskError.subtaskCycle, TaskError.subtaskDepth {
            return
        }
        try transaction.put(task)
    }

    /// Writes the attributes of an imported task that have no field. It is no change of the task, whose time of change stays.
    package func setExtra(_ extra: String?, of task: TaskItem) throws {
        var task = task
        task.extra = extra
        try transaction.put(task)
    }
}

extension TaskList {
    /// Returns the tasks that a task waits for.
    public func blockers(of id: UUID, openOnly: Bool = false) throws(TaskError) -> [TaskItem] {
        try view { try $0.blockers(of: id, openOnly: openOnly) }
    }

    /// Returns the open tasks that wait for another open one.
    public func blockedTasks() throws(TaskError) -> [TaskItem] { try view { try $0.blockedTasks() } }
}
