import CivilTime
import FoundationEssentials
import Records

// Creation.
extension TaskList {
    /// Creates a task in the Inbox or on a day.
    @discardableResult
    public func create(_ text: String, on day: Day? = nil, notes: String? = nil) async throws(TaskError) -> TaskItem {
        let new = NewTask(text, on: day, notes: notes)
        return try await write(.create) { try $0.create(new) }
    }

    /// Creates a task in a view: Today schedules it on today, Upcoming on tomorrow, the Inbox on no day.
    @discardableResult
    public func create(_ text: String, in view: TaskView) async throws(TaskError) -> TaskItem {
        let context = store.context
        return try await write(.create) { try $0.create(NewTask(text, on: view.defaultDay(today: context.today))) }
    }

    /// Creates a task with everything that is given of it.
    @discardableResult
    public func create(_ new: NewTask) async throws(TaskError) -> TaskItem {
        try await write(.create) { try $0.create(new) }
    }

    /// Creates a task on the calling thread, for programs without concurrency. A session shows it when it is durable.
    @discardableResult
    public func create(_ new: NewTask) throws(TaskError) -> TaskItem {
        try rethrowing { try store.write(TaskOperation.create.label) { try $0.tasks.create(new) } }
    }

    /// Creates tasks in the given order in one transaction, with one commit.
    @discardableResult
    public func create(_ tasks: [NewTask]) async throws(TaskError) -> [TaskItem] {
        try await write(.create) { transaction in try tasks.map { try transaction.create($0) } }
    }

    /// The same on the calling thread, for programs without concurrency. A session shows it when it is durable.
    @discardableResult
    public func create(_ tasks: [NewTask]) throws(TaskError) -> [TaskItem] {
        try rethrowing {
            try store.write(TaskOperation.create.label) { transaction in
                try tasks.map { try transaction.tasks.create($0) }
            }
        }
    }
}

// One task.
extension TaskList {
    /// Marks a task as active.
    @discardableResult
    public func start(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .active) }

    /// Marks a task as completed. A completed task keeps the time of its completion.
    @discardableResult
    public func complete(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .completed) }

    /// Marks a task as not started.
    @discardableResult
    public func reopen(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .notStarted) }

    /// Sets the state of a task.
    @discardableResult
    public func setState(_ id: UUID, to state: TaskState) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.changeState) { (try $0.setState(id, to: state), .changedState(state)) }
    }

    /// Advances the state of a task: not started, active, completed, not started.
    @discardableResult
    public func cycle(_ id: UUID) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.changeState) { transaction in
            let task = try transaction.cycle(id)
            return (task, .changedState(task.state))
        }
    }

    /// Schedules a task on a day or moves it to the Inbox, at the end unless a place is given.
    @discardableResult
    public func schedule(
        _ id: UUID, on when: TaskDay, at place: TaskPlace? = nil
    ) async throws(TaskError) -> TaskItem {
        let context = store.context
        return try await writeNoticed(.schedule) { transaction in
            let task = try transaction.schedule(id, on: when, at: place)
            return (task, .scheduled(.containing(task.scheduledDate, today: context.today)))
        }
    }

    /// Schedules a task on a day.
    @discardableResult
    public func schedule(_ id: UUID, on day: Day) async throws(TaskError) -> TaskItem {
        try await schedule(id, on: .on(day))
    }

    /// Moves a task to another position within its day or the Inbox.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.reorder) { (try $0.reorder(id, to: place), .reordered) }
    }

    /// Sets the reminder of a task to an instant; nil removes it.
    @discardableResult
    public func remind(_ id: UUID, at moment: Instant?) async throws(TaskError) -> TaskItem {
        try await write(.remind) { try $0.remind(id, at: moment) }
    }

    /// Sets the reminder of a task to a local time of day.
    ///
    /// - Parameter secondsIntoDay: The local time in seconds (09:00 is 32,400).
    @discardableResult
    public func remind(_ id: UUID, on day: Day, secondsIntoDay: Int) async throws(TaskError) -> TaskItem {
        try await write(.remind) { try $0.remind(id, on: day, secondsIntoDay: secondsIntoDay) }
    }

    /// Changes the text, the notes, the category or other details of a task.
    @discardableResult
    public func edit(
        _ id: UUID, _ change: @escaping @Sendable (inout TaskItem) -> Void
    ) async throws(TaskError) -> TaskItem {
        try await write(.edit) { try $0.edit(id, change) }
    }

    /// Deletes a task. Its completion, if there is one, stays in the statistics.
    public func delete(_ id: UUID) async throws(TaskError) {
        try await delete([id])
    }

    /// Removes every trace of a task, including its completion in the statistics. It cannot be undone.
    public func purge(_ id: UUID) async throws(TaskError) {
        try await purge([id])
    }
}

// Several tasks in one transaction. An id that is given twice counts once.
extension TaskList {
    /// Marks tasks as active. Returns them in the given order.
    @discardableResult
    public func start(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] { try await setState(ids, to: .active) }

    /// Marks tasks as completed. Returns them in the given order.
    @discardableResult
    public func complete(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await setState(ids, to: .completed)
    }

    /// Marks tasks as not started. Returns them in the given order.
    @discardableResult
    public func reopen(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await setState(ids, to: .notStarted)
    }

    /// Changes the text, the notes or other details of tasks. Returns them in the given order.
    @discardableResult
    public func edit(
        _ ids: [UUID], _ change: @escaping @Sendable (inout TaskItem) -> Void
    ) async throws(TaskError) -> [TaskItem] {
        try await self.change(ids, .edit) { try $0.edit($1, change) }
    }

    /// Sets the state of tasks. Returns them in the given order.
    @discardableResult
    public func setState(_ ids: [UUID], to state: TaskState) async throws(TaskError) -> [TaskItem] {
        try await changeNoticed(ids, .changeState, { _ in .changedState(state) }) { try $0.setState($1, to: state) }
    }

    /// Advances the state of tasks. Returns them in the given order.
    @discardableResult
    public func cycle(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await changeNoticed(ids, .changeState, { .changedState($0.first?.state ?? .notStarted) }) {
            try $0.cycle($1)
        }
    }

    /// Schedules tasks on a day or moves them to the Inbox, at the end. Returns them in the given order.
    @discardableResult
    public func schedule(_ ids: [UUID], on when: TaskDay) async throws(TaskError) -> [TaskItem] {
        let context = store.context
        return try await changeNoticed(
            ids, .schedule, { _ in .scheduled(.containing(when.day(today: context.today), today: context.today)) }
        ) { try $0.schedule($1, on: when) }
    }

    /// Carries open tasks of past days to the end of another day; others stay. Daybook never carries tasks by itself.
    @discardableResult
    public func carry(_ ids: [UUID], to when: TaskDay) async throws(TaskError) -> [TaskItem] {
        try await writeNoticed(.carry) { transaction in
            let (tasks, carried) = try transaction.carryNoting(ids, to: when)
            return (tasks, .carried, carried)
        }
    }

    /// Carries all open tasks of past days to the end of another day.
    @discardableResult
    public func carryAll(to when: TaskDay) async throws(TaskError) -> [TaskItem] {
        try await writeNoticed(.carry) { transaction in
            let carried = try transaction.carryAll(to: when)
            return (carried, .carried, carried.map(\.id))
        }
    }

    /// Sets the reminder of tasks to an instant; nil removes it. Returns them in the given order.
    @discardableResult
    public func remind(_ ids: [UUID], at moment: Instant?) async throws(TaskError) -> [TaskItem] {
        try await change(ids, .remind) { try $0.remind($1, at: moment) }
    }

    /// Sets the reminder of tasks; nil removes it. Returns them in the given order.
    @discardableResult
    public func remind(_ ids: [UUID], _ reminder: TaskReminder?) async throws(TaskError) -> [TaskItem] {
        try await change(ids, .remind) { try $0.remind($1, reminder) }
    }

    /// Deletes tasks with those below them. Returns the given ones as they were.
    @discardableResult
    public func delete(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await writeNoticed(.delete, reclaims: true) { transaction in
            let deleted = try transaction.delete(ids.withoutRepetition)
            return (deleted, .deleted, deleted.map(\.id))
        }
    }

    /// Removes every trace of tasks. It cannot be undone.
    public func purge(_ ids: [UUID]) async throws(TaskError) {
        try await write(.purge, reclaims: true) { transaction in
            let below = try Set(ids.flatMap { try transaction.reading.descendants(of: $0).map(\.id) })
            for id in ids.withoutRepetition where !below.contains(id) { try transaction.purge(id) }
        }
    }

    func change<Result: Sendable>(
        _ ids: [UUID], _ operation: TaskOperation,
        _ body: @escaping @Sendable (TaskTransaction, UUID) throws -> Result
    ) async throws(TaskError) -> [Result] {
        try await write(operation) { transaction in
            try ids.withoutRepetition.map { try body(transaction, $0) }
        }
    }
}

extension TaskList {
    /// Changes one task as `change` changes several.
    func change<Result: Sendable>(
        _ id: UUID, _ operation: TaskOperation,
        _ body: @escaping @Sendable (TaskTransaction, UUID) throws -> Result
    ) async throws(TaskError) -> Result {
        try await write(operation) { try body($0, id) }
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it stands first.
    package var withoutRepetition: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}
