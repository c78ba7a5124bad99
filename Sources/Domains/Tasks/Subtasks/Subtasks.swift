import FoundationEssentials
import Records

/// How far the subtasks of a task are.
public struct SubtaskProgress: Sendable, Equatable {
    /// The ids of its subtasks, in their order.
    public let ids: [UUID]
    /// How many of them are completed.
    public let completed: Int
}

extension TaskItem {
    /// How many levels of subtasks a task can have.
    public static let subtaskDepth = 8

    /// The distance between subtasks that come one after another.
    static let subtaskGap = ManualOrder<TaskItem, Placed<TaskDetail>>.gap
}

extension TaskReading {
    /// Returns the subtasks of a task in their order, without those below them and without archived ones.
    ///
    /// - Complexity: a step and a look-up for each.
    public func subtasks(of id: UUID) throws -> [TaskItem] {
        try allSubtasks(of: id).filter { $0.archivedAt == nil }
    }

    /// Returns the ids of the subtasks of a task, and how many of them are completed; nil if it has none.
    public func subtaskProgress(of id: UUID) throws -> SubtaskProgress? {
        let subtasks = try subtasks(of: id)
        guard !subtasks.isEmpty else { return nil }
        return SubtaskProgress(ids: subtasks.map(\.id), completed: subtasks.count(where: \.isCompleted))
    }

    /// Returns whether any task is a part of another one; false in a store of an earlier version that is open for reading only.
    ///
    /// - Complexity: a step.
    package func hasSubtasks() throws -> Bool {
        var found = false
        try readDetails { details in
            try details.forEachKey(prefix: TaskDetail.Kind.part.rawValue) { _, _ in
                found = true
                return false
            }
        }
        return found
    }

    /// Returns all tasks below a task, also archived ones, each before its own subtasks. A task is visited once, so it ends whatever devices that were
    /// apart have made of the parents.
    public func descendants(of id: UUID) throws -> [TaskItem] {
        var found: [TaskItem] = []
        var known: Set<UUID> = [id]
        var next = [id]
        while let parent = next.popLast() {
            let subtasks = try allSubtasks(of: parent).filter { known.insert($0.id).inserted }
            found += subtasks
            next += subtasks.map(\.id)
        }
        return found
    }

    /// The ids of the task that a task is a part of, of the one that this one is a part of, and so on.
    func ancestors(of task: TaskItem) throws -> [UUID] {
        var ids: [UUID] = []
        var next = task.parentTaskID
        while let id = next, !ids.contains(id), let parent = try get(id) {
            ids.append(id)
            next = parent.parentTaskID
        }
        return ids
    }

    private func allSubtasks(of id: UUID) throws -> [TaskItem] {
        var tasks: [TaskItem] = []
        try readDetails { tasks = try $0.prefix(TaskDetail.part(of: id)) }
        return tasks
    }
}

extension TaskTransaction {
    /// Makes a task the last part of another one; nil makes it a part of none. The same parent changes nothing.
    ///
    /// Its day and its list stay as they are: a subtask can be planned for a day of its own.
    ///
    /// - Throws: `TaskError`: `noSuchTask` for either task, `subtaskCycle`, `subtaskDepth`.
    /// - Complexity: a step and a look-up for each task above and below it.
    @discardableResult
    public func move(_ id: UUID, under parent: UUID?) throws -> TaskItem {
        var task = try get(id)
        guard task.parentTaskID != parent else { return task }
        try setParent(parent, of: &task)
        return try save(&task)
    }

    /// Moves a subtask to another place among those of the same task.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameParent` also for a task that is no subtask, `noSuchIndex`.
    @discardableResult
    public func reorder(_ id: UUID, inParentTo place: TaskPlace) throws -> TaskItem {
        let task = try get(id)
        if case .index(let index) = place, index < 0 { throw TaskError.noSuchIndex(index) }
        guard task.parentTaskID != nil else { throw TaskError.notInSameParent }
        return try move(task, to: place, in: TaskItem.orderInParent, orThrow: .notInSameParent)
    }

    /// Makes a task that is about to be written the last part of another one.
    func setParent(_ parent: UUID?, of task: inout TaskItem) throws {
        guard let parent else {
            (task.parentTaskID, task.subtaskOrder) = (nil, 0)
            return
        }
        let above = try [parent] + reading.ancestors(of: get(parent))
        guard !above.contains(task.id) else { throw TaskError.subtaskCycle }
        guard try above.count + height(of: task.id) <= TaskItem.subtaskDepth else { throw TaskError.subtaskDepth }
        task.parentTaskID = parent
        task.subtaskOrder = try lastSubtaskOrder(in: parent)
    }

    /// The position behind all subtasks of a task. Zero stands for one that was never placed.
    func lastSubtaskOrder(in parent: UUID) throws -> Int64 {
        max(try transaction[TaskItem.orderInParent].last(in: .part(of: parent)), TaskItem.subtaskGap)
    }

    /// How many levels of subtasks a task has.
    private func height(of id: UUID) throws -> Int {
        var levels = [id: 0]
        for task in try reading.descendants(of: id) {
            levels[task.id] = (task.parentTaskID.flatMap { levels[$0] } ?? 0) + 1
        }
        return levels.values.max() ?? 0
    }

    /// Completes the open tasks below one that is completed. They create no occurrences of their own: the next occurrence of a
    /// recurring task has its subtasks again.
    func completeSubtasks(of task: TaskItem) throws {
        for var subtask in try reading.descendants(of: task.id) where !subtask.isCompleted && !subtask.state.isUnknown {
            set(&subtask, to: .completed)
            try save(&subtask)
        }
    }

    /// Gives an occurrence the subtasks of the one before it, open again, each on the day that is as far from its own.
    func copySubtasks(of task: TaskItem, to occurrence: TaskItem, days: Int) throws {
        var copies = [task.id: occurrence.id]
        for subtask in try reading.descendants(of: task.id) where subtask.archivedAt == nil {
            guard let parent = subtask.parentTaskID.flatMap({ copies[$0] }) else { continue }
            // Two devices that complete the same task create the same subtasks.
            let id = UUID(subtask: subtask.id, of: occurrence.id)
            copies[subtask.id] = id
            if try reading.hasOrHad(id) { continue }
            var copy = subtask.asNew(id, at: now)
            (copy.recurringPattern, copy.occurrenceDay, copy.isRecurring, copy.parentRecurringID) = (
                nil, nil, false, nil
            )
            copy.parentTaskID = parent
            copy.advanceDates(byDays: days, in: zone)
            copy.position = try transaction[TaskItem.order].last(in: copy.group)
            try place(&copy, inList: subtask.listID)
            try takePlaceOrLeaveBucket(&copy)
            try transaction.insert(copy)
        }
    }
}

extension TaskList {
    /// Returns the subtasks of a task in their order.
    public func subtasks(of id: UUID) throws(TaskError) -> [TaskItem] { try view { try $0.subtasks(of: id) } }
}

extension UUID {
    /// The id of a subtask of an occurrence that repeats a subtask of the one before it (Documentation/Format.md).
    package init(subtask: UUID, of occurrence: UUID) {
        self.init(derivedFrom: "subtask\n\(occurrence.lowercased)\n\(subtask.lowercased)".utf8)
    }
}
