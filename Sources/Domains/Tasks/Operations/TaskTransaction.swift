import CivilTime
import FoundationEssentials
import Injection
import Records

/// The operations on tasks within a write transaction: `transaction.tasks`. Several of them are one change, all or nothing.
///
/// `TaskList` offers the same operations, each in a separate transaction. Here each throws the `TaskError` that it names,
/// and `RecordsError` if the store fails; `TaskList` reports these as `TaskError.store`.
public struct TaskTransaction {
    let transaction: WriteTransaction

    /// The views and counts at this point of the transaction.
    public var reading: TaskReading { TaskReading(transaction: transaction) }

    private var identifiers: IdentifierGenerator { transaction.identifiers }

    var now: Instant { transaction.context.clock.wall }
    var zone: Zone { transaction.context.zone }
    var today: Day { transaction.context.today }

    /// The length limit of a text, in bytes of UTF-8.
    static let textLimit = 16 << 20

    // MARK: Create and read

    /// Creates a task at the end of its day or of the Inbox, and of its list.
    ///
    /// - Throws: `TaskError`: `emptyText`, `unusableText`, `pastDay`, `duplicate`, `noSuchList`, `bucketFull`,
    ///   `unknownValue`, `neverOccurs`.
    @discardableResult
    public func create(_ new: NewTask) throws -> TaskItem {
        try check(new.text)
        if let notes = new.notes { try Self.checkUsable(notes) }
        if let day = new.day, day < today { throw TaskError.pastDay(day) }
        let id = new.id ?? identifiers.next()
        var task = TaskItem(id: id, text: new.text, createdAt: now)
        task.notes = new.notes
        task.scheduledDate = new.day
        if new.region != nil || new.bucket != nil {
            task.region = new.region ?? .backlog
            task.bucket = new.bucket ?? .none
            if task.region.isUnknown { throw TaskError.unknownValue(field: "region") }
            if task.bucket.isUnknown { throw TaskError.unknownValue(field: "bucket") }
            task.scheduledDate = new.day ?? today
        }
        task.autoCarry = new.autoCarry
        task.isSticky = new.isSticky
        task.expiresAt = new.expiresAt
        if let due = new.due { task.set(due, in: zone) }
        (task.tags, task.priority, task.waitUntil) = (new.tags, new.priority, new.waitUntil)
        if task.priority.isUnknown { throw TaskError.unknownValue(field: "priority") }
        if let day = new.waitUntil, day < today { throw TaskError.pastDay(day) }
        if let parent = new.parent {
            try setParent(parent, of: &task)
            let whole = try get(parent)
            if task.scheduledDate == nil, new.recurrence == nil {
                task.scheduledDate = whole.scheduledDate.flatMap { $0 < today ? nil : $0 }
            }
            task.listID = whole.listID
        }
        if let rule = new.recurrence { try start(rule, of: &task) }
        task.position = try transaction[TaskItem.order].last(in: task.group)
        task.category = new.category
        if let list = new.list { _ = try self.list(list) }
        try place(&task, inList: new.list ?? task.listID)
        if let reminder = new.reminder { task.set(reminder, in: zone) }
        try takePlace(&task)
        do {
            try transaction.insert(task)
        } catch RecordsError.duplicate {
            throw TaskError.duplicate(id: id.lowercased)
        }
        return task
    }

    /// Creates a task with a text and a day. Throws like the other `create`.
    @discardableResult
    public func create(_ text: String, on day: Day? = nil) throws -> TaskItem {
        try create(NewTask(text, on: day))
    }

    /// Returns the task of an id.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    public func get(_ id: UUID) throws -> TaskItem {
        guard let task = try transaction[TaskItem.self].get(id) else { throw TaskError.noSuchTask(id: id.lowercased) }
        return task
    }

    // MARK: State

    /// Sets the state of a task. Any state may follow any other; the same state changes nothing. Completing a task completes the
    /// open tasks below it; completing a recurring one creates its next occurrence.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `unknownValue` if only a newer version defines the present or the new state,
    ///   `bucketFull` for a completed task whose bucket has no room.
    @discardableResult
    public func setState(_ id: UUID, to state: TaskState) throws -> TaskItem {
        var task = try get(id)
        guard task.state != state else { return task }
        if task.state.isUnknown || state.isUnknown { throw TaskError.unknownValue(field: "state") }
        set(&task, to: state)
        try save(&task)
        guard state == .completed else { return task }
        try completeSubtasks(of: task)
        if transaction.isPostponed(.occurrenceOutsideTransaction) {
            transaction.postpone { [task] in try $0.tasks.createNextOccurrence(after: task) }
        } else {
            try createNextOccurrence(after: task)
        }
        return task
    }

    /// Sets the state of a task that is about to be written, and what follows from it.
    func set(_ task: inout TaskItem, to state: TaskState) {
        if task.isCompleted { task.completionEpoch += 1 }
        task.state = state
        let now = now
        task.completedAt = state == .completed ? now : nil
        task.completedZone = state == .completed ? zone.identifier : nil
        task.completedOffsetSeconds = state == .completed ? Int32(clamping: zone.offsetSeconds(at: now)) : nil
    }

    /// Advances the state of a task: not started, active, completed, not started. Throws like `setState`.
    @discardableResult
    public func cycle(_ id: UUID) throws -> TaskItem {
        let state = try get(id).state
        if state.isUnknown { throw TaskError.unknownValue(field: "state") }
        return try setState(id, to: state.next)
    }

    // MARK: Days

    /// Carries open tasks of past days to the end of another day, in the given order. Others stay where they are: completed
    /// and archived ones, and those of the Inbox, of today and of later days. An id that is given twice counts once.
    ///
    /// - Returns: All of the tasks, as they are afterwards, each once.
    /// - Throws: `TaskError`: `pastDay`, `noSuchTask`, `bucketFull`.
    @discardableResult
    public func carry(_ ids: [UUID], to when: TaskDay) throws -> [TaskItem] {
        try carryNoting(ids, to: when).tasks
    }

    /// Returns also the ids of those that were carried.
    func carryNoting(_ ids: [UUID], to when: TaskDay) throws -> (tasks: [TaskItem], carried: [UUID]) {
        let day = when.day(today: today)
        if let day, day < today { throw TaskError.pastDay(day) }
        var tasks: [TaskItem] = []
        var carried: [UUID] = []
        for id in ids.withoutRepetition {
            var task = try get(id)
            if let from = task.scheduledDate, from < today, !task.isCompleted, task.archivedAt == nil {
                task.carriedFromDay = from
                task.carryCount += 1
                try move(&task, to: day)
                try save(&task)
                carried.append(id)
            }
            tasks.append(task)
        }
        return (tasks, carried)
    }

    /// Carries all open tasks of past days to another day, in the order of the view.
    ///
    /// - Throws: `TaskError`: `pastDay`, `bucketFull`.
    @discardableResult
    public func carryAll(to when: TaskDay) throws -> [TaskItem] {
        try carry(reading.past(openOnly: true).map(\.id), to: when)
    }

    func move(_ task: inout TaskItem, to day: Day?) throws {
        task.scheduledDate = day
        task.position = try transaction[TaskItem.order].last(in: task.group)
    }

    // MARK: Reminders

    /// Sets the reminder of a task to an instant; nil removes it. The same reminder changes nothing. A reminder in the past
    /// is due at once.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func remind(_ id: UUID, at moment: Instant?) throws -> TaskItem {
        try remind(id, moment.map(TaskReminder.at))
    }

    /// Sets the reminder of a task as it was given; nil removes it. The same reminder changes nothing.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func remind(_ id: UUID, _ reminder: TaskReminder?) throws -> TaskItem {
        try change(id) { $0.set(reminder, in: zone) }
    }

    /// Sets the reminder of a task to a local time of day. A time in a gap means the first instant after the gap, a time in
    /// an overlap the first of the two. The instant is stored, so it stays the same in other zones.
    ///
    /// - Parameter secondsIntoDay: The local time in seconds (09:00 is 32,400).
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func remind(_ id: UUID, on day: Day, secondsIntoDay: Int) throws -> TaskItem {
        try remind(id, .time(day, secondsIntoDay: secondsIntoDay))
    }

    /// Sets when a task is due; nil for no time. The same time changes nothing.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func due(_ id: UUID, _ due: TaskDue?) throws -> TaskItem {
        try change(id) { $0.set(due, in: zone) }
    }

    // MARK: Edit and delete

    /// Changes the text, the notes or other details of a task.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `emptyText`, `unusableText`, `unknownValue` for a change of a field whose value
    ///   only a newer version defines, `bucketFull`.
    @discardableResult
    public func edit(_ id: UUID, _ change: (inout TaskItem) -> Void) throws -> TaskItem {
        let stored = try get(id)
        var task = stored
        change(&task)
        // The record keeps its identity, whatever task the closure has assigned.
        task.id = id
        try checkKnown(stored.region, task.region, "region")
        try checkKnown(stored.bucket, task.bucket, "bucket")
        try checkKnown(stored.priority, task.priority, "priority")
        // A task that leaves the archive comes last: another task may have its old position.
        if stored.archivedAt != nil, task.archivedAt == nil {
            try move(&task, to: task.scheduledDate)
            try place(&task, inList: task.listID)
        }
        try check(task.text)
        if let notes = task.notes { try Self.checkUsable(notes) }
        return try save(&task)
    }

    /// Deletes a task with those below it. A tombstone of each stays, and their completions stay in the statistics.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func delete(_ id: UUID) throws -> TaskItem {
        let task = try get(id)
        try deleteAll([task])
        return task
    }

    /// Deletes tasks with those below them; one that is below another of them counts once.
    ///
    /// - Returns: The tasks as they were.
    /// - Throws: `TaskError.noSuchTask`.
    func delete(_ ids: [UUID]) throws -> [TaskItem] {
        let tasks = try ids.map(get)
        try deleteAll(tasks)
        return tasks
    }

    /// Deletes tasks that were read in this transaction, with those below them.
    func deleteAll(_ tasks: [TaskItem]) throws {
        var deleted: Set<UUID> = []
        for task in tasks where deleted.insert(task.id).inserted {
            let subtasks = try reading.descendants(of: task.id)
            deleted.formUnion(subtasks.map(\.id))
            for subtask in subtasks { try delete(subtask) }
            try delete(task)
        }
    }

    private func delete(_ task: TaskItem) throws {
        // The tombstone comes second: it takes over the task's entry in the index of completions.
        try transaction.delete(TaskItem.self, id: task.id)
        try transaction.put(Tombstone(of: task, deletedAt: max(now, task.updatedAt)))
    }

    /// Removes every trace of a task, and of those below it: the task or its tombstone, its completion in the statistics, its images
    /// in the change log, and its quarantined records. It cannot be undone.
    ///
    /// - Throws: `TaskError.noSuchTask` if there is none of these.
    public func purge(_ id: UUID) throws {
        for subtask in try reading.descendants(of: id) { try purgeAlone(subtask.id) }
        guard try purgeAlone(id) else { throw TaskError.noSuchTask(id: id.lowercased) }
    }

    /// Removes every trace of one task; returns whether there was any.
    @discardableResult
    private func purgeAlone(_ id: UUID) throws -> Bool {
        let hadTask = try transaction.delete(TaskItem.self, id: id)
        let hadTombstone = try transaction.delete(Tombstone.self, id: id)
        try transaction.delete(DeliveredReminder.self, id: id)
        try transaction.purgeHistory(of: TaskLink.self) { $0.blocked == id || $0.blocker == id }
        let hadLostTask = try transaction.purgeHistory(of: TaskItem.self, id: id)
        let hadLostTombstone = try transaction.purgeHistory(of: Tombstone.self, id: id)
        return hadTask || hadTombstone || hadLostTask || hadLostTombstone
    }

    // MARK: Helpers

    /// Notes the time of a change, which ascends with each one.
    func touch(_ task: inout TaskItem) {
        task.updatedAt = max(now, task.updatedAt.advanced(byMicroseconds: 1))
    }

    /// Changes a task, and writes it if it differs then.
    func change(_ id: UUID, _ body: (inout TaskItem) -> Void) throws -> TaskItem {
        let stored = try get(id)
        var task = stored
        body(&task)
        return task == stored ? stored : try save(&task)
    }

    @discardableResult
    func save(_ task: inout TaskItem) throws -> TaskItem {
        try takePlace(&task)
        touch(&task)
        let saved = task
        try transaction.put(saved)
        return saved
    }

    func check(_ text: String) throws {
        try Self.check(text)
    }

    static func check(_ text: String) throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw TaskError.emptyText }
        try checkUsable(text)
    }

    func checkKnown<Choice: TaskChoice>(_ old: Choice, _ new: Choice, _ field: String) throws {
        if old != new, old.isUnknown || new.isUnknown { throw TaskError.unknownValue(field: field) }
    }

    static func checkUsable(_ text: String) throws {
        guard text.utf8.count <= textLimit, !text.hasNUL else { throw TaskError.unusableText }
    }
}

extension WriteTransaction {
    /// The operations on tasks in this transaction.
    public var tasks: TaskTransaction { TaskTransaction(transaction: self) }
}
