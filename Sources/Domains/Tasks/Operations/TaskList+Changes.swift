import CivilTime
import FoundationEssentials
import Records

// Each runs the operation of `TaskTransaction` that has its name in a separate transaction, and throws what that one throws.

extension TaskList {
    // MARK: Create

    /// Creates a task in the Inbox or on a day.
    @discardableResult
    public func create(_ text: String, on day: Day? = nil, notes: String? = nil) async throws(TaskError) -> TaskItem {
        try await create(NewTask(text, on: day, notes: notes))
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
    public func create(_ new: NewTask) throws(TaskError) -> TaskItem { try writeHere(.create) { try $0.create(new) } }

    /// Creates tasks in the given order in one transaction, with one commit.
    @discardableResult
    public func create(_ tasks: [NewTask]) async throws(TaskError) -> [TaskItem] {
        try await write(.create) { try tasks.map($0.create) }
    }

    /// Creates tasks on the calling thread, for programs without concurrency. A session shows them when they are durable.
    @discardableResult
    public func create(_ tasks: [NewTask]) throws(TaskError) -> [TaskItem] {
        try writeHere(.create) { try tasks.map($0.create) }
    }

    // MARK: State

    /// Marks tasks as active.
    @discardableResult
    public func start<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await setState(ids, to: .active)
    }

    /// Marks tasks as completed. A completed task keeps the time of its completion.
    @discardableResult
    public func complete<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await setState(ids, to: .completed)
    }

    /// Marks tasks as not started.
    @discardableResult
    public func reopen<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await setState(ids, to: .notStarted)
    }

    /// Sets the state of tasks.
    @discardableResult
    public func setState<IDs: TaskSelection>(_ ids: IDs, to state: TaskState) async throws(TaskError) -> IDs.Tasks {
        try await changeNoticed(ids, .changeState, { _ in .changedState(state) }) { try $0.setState($1, to: state) }
    }

    /// Advances the state of tasks: not started, active, completed, not started.
    @discardableResult
    public func cycle<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await changeNoticed(ids, .changeState, { .changedState($0?.state ?? .notStarted) }) { try $0.cycle($1) }
    }

    // MARK: Days

    /// Schedules tasks on a day or moves them to the Inbox, at the end.
    @discardableResult
    public func schedule<IDs: TaskSelection>(_ ids: IDs, on when: TaskDay) async throws(TaskError) -> IDs.Tasks {
        // Inside, since a write that waits over midnight belongs to the day on which it is written.
        try await changeNoticed(ids, .schedule, { [context = store.context] _ in .schedule(when, in: context) }) {
            try $0.schedule($1, on: when)
        }
    }

    /// Schedules a task on a day or moves it to the Inbox, at the end unless a place is given.
    @discardableResult
    public func schedule(_ id: UUID, on when: TaskDay, at place: TaskPlace?) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .schedule, { [context = store.context] _ in .schedule(when, in: context) }) {
            try $0.schedule($1, on: when, at: place)
        }
    }

    /// Schedules a task on a day.
    @discardableResult
    public func schedule(_ id: UUID, on day: Day) async throws(TaskError) -> TaskItem {
        try await schedule(id, on: .on(day))
    }

    /// Carries an open task of a past day to the end of another day; any other stays.
    @discardableResult
    public func carry(_ id: UUID, to when: TaskDay) async throws(TaskError) -> TaskItem? {
        try await carry([id], to: when).first
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

    /// Moves a task to another position within its day or the Inbox.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .reorder, { _ in .reordered }) { try $0.reorder($1, to: place) }
    }

    // MARK: Reminders and due times

    /// Sets the reminder of tasks to an instant; nil removes it.
    @discardableResult
    public func remind<IDs: TaskSelection>(_ ids: IDs, at moment: Instant?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .remind) { try $0.remind($1, at: moment) }
    }

    /// Sets the reminder of tasks; nil removes it.
    @discardableResult
    public func remind<IDs: TaskSelection>(_ ids: IDs, _ reminder: TaskReminder?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .remind) { try $0.remind($1, reminder) }
    }

    /// Sets the reminder of a task to a local time of day.
    ///
    /// - Parameter secondsIntoDay: The local time in seconds (09:00 is 32,400).
    @discardableResult
    public func remind(_ id: UUID, on day: Day, secondsIntoDay: Int) async throws(TaskError) -> TaskItem {
        try await change(id, .remind) { try $0.remind($1, on: day, secondsIntoDay: secondsIntoDay) }
    }

    /// Postpones the reminders of tasks by minutes, each from now, or from its time if that is still to come.
    @discardableResult
    public func snooze<IDs: TaskSelection>(_ ids: IDs, minutes: Int) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .remind) { try $0.snooze($1, minutes: minutes) }
    }

    /// Postpones the reminders of tasks to an instant.
    @discardableResult
    public func snooze<IDs: TaskSelection>(_ ids: IDs, until moment: Instant) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .remind) { try $0.snooze($1, until: moment) }
    }

    /// Sets when tasks are due; nil for no time.
    @discardableResult
    public func due<IDs: TaskSelection>(_ ids: IDs, _ due: TaskDue?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .due) { try $0.due($1, due) }
    }

    /// Hides tasks until a day; nil shows them at once.
    @discardableResult
    public func wait<IDs: TaskSelection>(_ ids: IDs, until day: Day?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .wait) { try $0.wait($1, until: day) }
    }

    // MARK: Recurrence

    /// Makes tasks recur by a rule from their days on, or no longer. A task without a day gets the first day of the rule from today
    /// on. Completing an occurrence creates the next one in the same transaction, so that undo takes back both.
    ///
    ///     try await tasks.repeat(id, by: RecurrenceRule(phrase: "monthly on 31", today: today))
    @discardableResult
    public func `repeat`<IDs: TaskSelection>(_ ids: IDs, by rule: RecurrenceRule?) async throws(TaskError) -> IDs.Tasks
    {
        try await change(ids, .setRecurrence) { try $0.repeat($1, by: rule) }
    }

    /// Drops one occurrence of each of several recurring tasks: the task moves to the next day of its rule. After the last one it is
    /// deleted. To move one occurrence, schedule it on another day: the next one follows from the rule all the same.
    @discardableResult
    public func skip<IDs: TaskSelection>(_ ids: IDs) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .skip) { try $0.skip($1) }
    }

    // MARK: Text and details

    /// Changes the text, the notes, the category or other details of tasks.
    @discardableResult
    public func edit<IDs: TaskSelection>(
        _ ids: IDs, _ change: @escaping @Sendable (inout TaskItem) -> Void
    ) async throws(TaskError) -> IDs.Tasks {
        try await self.change(ids, .edit) { try $0.edit($1, change) }
    }

    /// Gives tasks tags beside those that they have.
    @discardableResult
    public func tag<IDs: TaskSelection>(_ ids: IDs, _ names: [String]) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .tag) { try $0.tag($1, names) }
    }

    /// Takes tags from tasks.
    @discardableResult
    public func untag<IDs: TaskSelection>(_ ids: IDs, _ names: [String]) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .tag) { try $0.untag($1, names) }
    }

    /// Sets how important tasks are.
    @discardableResult
    public func setPriority<IDs: TaskSelection>(
        _ ids: IDs, to priority: TaskPriority
    ) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .setPriority) { try $0.setPriority($1, to: priority) }
    }

    // MARK: Lists, subtasks and dependencies

    /// Moves tasks to the end of a list, or out of any list.
    @discardableResult
    public func move<IDs: TaskSelection>(_ ids: IDs, toList list: UUID?) async throws(TaskError) -> IDs.Tasks {
        try await changeNoticed(ids, .move, { _ in .movedToList }) { try $0.move($1, toList: list) }
    }

    /// Moves a task to another place within its list.
    @discardableResult
    public func reorder(_ id: UUID, inListTo place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .reorder, { _ in .reordered }) { try $0.reorder($1, inListTo: place) }
    }

    /// Makes tasks the last parts of another one; nil makes them parts of none.
    @discardableResult
    public func move<IDs: TaskSelection>(_ ids: IDs, under parent: UUID?) async throws(TaskError) -> IDs.Tasks {
        try await change(ids, .setParent) { try $0.move($1, under: parent) }
    }

    /// Moves a subtask to another place among those of the same task.
    @discardableResult
    public func reorder(_ id: UUID, inParentTo place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await changeNoticed(id, .reorder, { _ in .reordered }) { try $0.reorder($1, inParentTo: place) }
    }

    /// Makes a task wait for another one.
    @discardableResult
    public func block(_ id: UUID, by blocker: UUID) async throws(TaskError) -> TaskItem {
        try await change(id, .block) { try $0.block($1, by: blocker) }
    }

    /// Makes a task no longer wait for another one.
    @discardableResult
    public func unblock(_ id: UUID, by blocker: UUID) async throws(TaskError) -> TaskItem {
        try await change(id, .block) { try $0.unblock($1, by: blocker) }
    }

    // MARK: Delete

    /// Deletes a task with those below it. Its completion, if there is one, stays in the statistics.
    public func delete(_ id: UUID) async throws(TaskError) { try await delete([id]) }

    /// Deletes tasks with those below them. Returns the given ones as they were.
    @discardableResult
    public func delete(_ ids: [UUID]) async throws(TaskError) -> [TaskItem] {
        try await writeNoticed(.delete, reclaims: true) { transaction in
            let deleted = try transaction.delete(ids.withoutRepetition)
            return (deleted, .deleted, deleted.map(\.id))
        }
    }

    /// Removes every trace of a task, including its completion in the statistics. It cannot be undone.
    public func purge(_ id: UUID) async throws(TaskError) { try await purge([id]) }

    /// Removes every trace of tasks. It cannot be undone.
    public func purge(_ ids: [UUID]) async throws(TaskError) {
        try await write(.purge, reclaims: true) { transaction in
            let below = try Set(ids.flatMap { try transaction.reading.descendants(of: $0).map(\.id) })
            for id in ids.withoutRepetition where !below.contains(id) { try transaction.purge(id) }
        }
    }

    // MARK: Helpers

    /// Changes each task by itself, in one transaction.
    func change<IDs: TaskSelection>(
        _ ids: IDs, _ operation: TaskOperation,
        _ body: @escaping @Sendable (TaskTransaction, UUID) throws -> TaskItem
    ) async throws(TaskError) -> IDs.Tasks {
        try await write(operation) { transaction in try ids.mapIDs { try body(transaction, $0) } }
    }

    /// Changes each task by itself, in one transaction that can be undone by a notice, which names the tasks that differ afterwards.
    ///
    /// - Parameter action: What the notice reports, for the first of the tasks.
    func changeNoticed<IDs: TaskSelection>(
        _ ids: IDs, _ operation: TaskOperation, _ action: @escaping @Sendable (TaskItem?) -> UndoNotice.Action,
        _ body: @escaping @Sendable (TaskTransaction, UUID) throws -> TaskItem
    ) async throws(TaskError) -> IDs.Tasks {
        try await writeNoticed(operation) { transaction in
            var (first, changed): (TaskItem?, [UUID]) = (nil, [])
            let tasks = try ids.mapIDs { id in
                // A notice of one task is made only if the transaction changed something.
                let before = ids is UUID ? nil : try transaction.get(id)
                let task = try body(transaction, id)
                first = first ?? task
                if task != before { changed.append(id) }
                return task
            }
            return (tasks, action(first), changed)
        }
    }
}

extension UndoNotice.Action {
    /// The move to the view that shows a day.
    fileprivate static func schedule(_ when: TaskDay, in context: Context) -> Self {
        let today = context.today
        return .scheduled(.containing(when.day(today: today), today: today))
    }
}
