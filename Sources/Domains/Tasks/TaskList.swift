import CivilTime
import FoundationEssentials
import Logging
import Records
import Threading

/// The task list of a store: every operation durable when it returns, every view one range of an index.
public final class TaskList: Sendable {
    let store: RecordStore
    private let notice = ForkSafeMutex<UndoNotice?>(nil)
    private let log = Logger(label: "daybook.tasks")

    /// The collections that a task list keeps in its store.
    public static let schema = Schema().adding(TaskItem.collection).adding(Tombstone.collection)

    /// The task list of a store that was opened with `TaskList.schema`.
    public init(store: RecordStore) {
        self.store = store
    }

    // MARK: Create

    /// Creates a task in the Inbox or on a day. Durable when it returns.
    @discardableResult
    public func create(_ text: String, on day: Day? = nil, notes: String? = nil) async throws(TaskError) -> TaskItem {
        let new = NewTask(text, on: day, notes: notes)
        return try await write(.create) { try $0.create(new) }
    }

    /// Creates a task in a view: Today gives it today, Upcoming tomorrow, the Inbox no day.
    @discardableResult
    public func create(_ text: String, in view: TaskView) async throws(TaskError) -> TaskItem {
        let context = store.context
        return try await write(.create) { try $0.create(NewTask(text, on: view.defaultDay(today: context.today))) }
    }

    /// Creates many tasks in one transaction: all or none, in the order given. Cost: one commit.
    @discardableResult
    public func create(_ tasks: [NewTask]) async throws(TaskError) -> [TaskItem] {
        try await write(.create) { transaction in try tasks.map { try transaction.create($0) } }
    }

    /// The same for programs that do not use concurrency: on the calling thread, without `await`.
    @discardableResult
    public func create(_ tasks: [NewTask]) throws(TaskError) -> [TaskItem] {
        try rethrowing {
            try store.write(TaskOperation.create.label) { transaction in
                try tasks.map { try transaction.tasks.create($0) }
            }
        }
    }

    // MARK: Change

    /// Marks a task as being worked on.
    @discardableResult
    public func start(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .active) }

    /// Marks a task as done. One that is done already keeps its time.
    @discardableResult
    public func complete(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .completed) }

    /// Marks a task as not started.
    @discardableResult
    public func reopen(_ id: UUID) async throws(TaskError) -> TaskItem { try await setState(id, to: .notStarted) }

    /// Gives a task a state.
    @discardableResult
    public func setState(_ id: UUID, to state: TaskState) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.changeState) { transaction in
            let task = try transaction.setState(id, to: state)
            return (task, "Marked as \(state.name)")
        }
    }

    /// Moves a task on: not started, active, completed, not started.
    @discardableResult
    public func cycle(_ id: UUID) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.changeState) { transaction in
            let task = try transaction.cycle(id)
            return (task, "Marked as \(task.state.name)")
        }
    }

    /// Gives a task a day, or sends it to the Inbox; last there, unless a place is given.
    @discardableResult
    public func schedule(
        _ id: UUID, on when: TaskDay, at place: TaskPlace? = nil
    ) async throws(TaskError) -> TaskItem {
        let context = store.context
        return try await writeNoticed(.schedule) { transaction in
            let task = try transaction.schedule(id, on: when, at: place)
            let view = TaskView.holding(task.scheduledDate, today: context.today)
            return (task, "Moved to \(view.rawValue.capitalized)")
        }
    }

    /// Gives a task a day.
    @discardableResult
    public func schedule(_ id: UUID, on day: Day) async throws(TaskError) -> TaskItem {
        try await schedule(id, on: .on(day))
    }

    /// Gives a task another place within its day, or within the Inbox.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) async throws(TaskError) -> TaskItem {
        try await writeNoticed(.reorder) { (try $0.reorder(id, to: place), "Moved") }
    }

    /// Gives a task a reminder at a moment; nil takes it away.
    @discardableResult
    public func remind(_ id: UUID, at moment: Instant?) async throws(TaskError) -> TaskItem {
        try await write(.remind) { try $0.remind(id, at: moment) }
    }

    /// Gives a task a reminder at a time of day, in the zone of the one who asks.
    ///
    /// - Parameter secondsIntoDay: the time as the clock shows it, in seconds (09:00 is 32,400).
    @discardableResult
    public func remind(_ id: UUID, on day: Day, secondsIntoDay: Int) async throws(TaskError) -> TaskItem {
        try await write(.remind) { try $0.remind(id, on: day, secondsIntoDay: secondsIntoDay) }
    }

    /// Carries tasks of past days over to another day; those that are not named stay. Never happens by itself.
    @discardableResult
    public func carry(_ ids: [UUID], to when: TaskDay) async throws(TaskError) -> [TaskItem] {
        try await write(.carry) { try $0.carry(ids, to: when) }
    }

    /// Changes a task's text or details.
    @discardableResult
    public func edit(
        _ id: UUID, _ change: @escaping @Sendable (inout TaskItem) -> Void
    ) async throws(TaskError) -> TaskItem {
        try await write(.edit) { try $0.edit(id, change) }
    }

    /// Deletes a task. Its completion, if there is one, stays in the statistics.
    public func delete(_ id: UUID) async throws(TaskError) {
        try await write(.delete, reclaims: true) { try $0.delete(id) }
    }

    /// Removes every trace of a task, its completion in the statistics included. It cannot be undone.
    public func purge(_ id: UUID) async throws(TaskError) {
        try await write(.purge, reclaims: true) { try $0.purge(id) }
    }

    /// Runs several operations in one transaction: all or nothing. Throws what the closure threw.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws -> Result {
        try await store.write(TaskOperation.several.label) { try body($0.tasks) }
    }

    // MARK: Undo

    /// Takes back the last operation on this store, again and again, whoever did it. Returns what it was.
    @discardableResult
    public func undo() async throws(TaskError) -> TaskOperation {
        let label = try await write(.several) { try $0.transaction.undo() }
        notice.withLock { $0 = nil }
        return TaskOperation(rawValue: label.operation) ?? .several
    }

    /// Brings back what was taken back last. Any other change ends the chance.
    @discardableResult
    public func redo() async throws(TaskError) -> TaskOperation {
        let label = try await write(.several) { try $0.transaction.redo() }
        notice.withLock { $0 = nil }
        return TaskOperation(rawValue: label.operation) ?? .several
    }

    /// What could be offered to be undone after the last move or change of state, while its time lasts: 3 seconds of the
    /// monotonic clock, so that setting the wall clock changes nothing.
    public var undoNotice: UndoNotice? {
        notice.withLock { $0 }.flatMap { store.context.clock.monotonic <= $0.deadline ? $0 : nil }
    }

    /// Takes back the change of a notice, though others may have come since. Throws `undoExpired` after its time, and
    /// when it was taken back already.
    public func undo(_ notice: UndoNotice) async throws(TaskError) {
        guard store.context.clock.monotonic <= notice.deadline else { throw .undoExpired }
        let isLast = self.notice.withLock { last in
            guard last == notice else { return false }
            last = nil
            return true
        }
        guard isLast else { throw .undoExpired }
        do {
            try await write(.several) { transaction in
                try transaction.transaction.undo(notice.sequence)
                // A move may have spread others out: each of them came back to its old place, too.
                for id in try transaction.transaction.changedIDs(of: TaskItem.self) { try transaction.separate(id) }
            }
        } catch {
            // The offer stands again where nothing was taken back for a reason that may pass.
            if error.isOfStore { self.notice.withLock { $0 = $0 ?? notice } }
            throw error
        }
    }

    // MARK: Read

    /// Reads views and counts from one consistent moment.
    public func read<Result>(_ body: (TaskReading) throws -> Result) throws -> Result {
        try store.read { try body($0.taskViews) }
    }

    /// The task of an id, nil when there is none.
    public func get(_ id: UUID) throws(TaskError) -> TaskItem? { try view { try $0.get(id) } }

    /// The task of an id, or of its first 4 characters or more.
    public func find(_ text: String) throws(TaskError) -> TaskItem { try view { try $0.find(text) } }

    /// The Inbox.
    public func inbox() throws(TaskError) -> [TaskItem] { try view { try $0.inbox() } }

    /// Today.
    public func today() throws(TaskError) -> TodayView { try view { try $0.today() } }

    /// The days to come that have tasks.
    public func upcoming() throws(TaskError) -> [UpcomingDay] { try view { try $0.upcoming() } }

    /// The tasks of past days.
    public func past(openOnly: Bool = false, limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try view { try $0.past(openOnly: openOnly, limit: limit) }
    }

    /// The tasks still to be done whose reminders lie in a range of instants, in the order of time.
    public func reminders(in range: Range<Instant>) throws(TaskError) -> [TaskItem] {
        try view { try $0.reminders(in: range) }
    }

    /// The tasks still to be done whose reminders have come by the wall clock, in the order of time.
    public func dueReminders() throws(TaskError) -> [TaskItem] { try view { try $0.dueReminders() } }

    /// Completions of today, this week, this month and last month.
    public func statistics() throws(TaskError) -> CompletionStatistics { try view { try $0.statistics() } }

    /// Completions of each day of a month.
    public func statistics(of month: Month) throws(TaskError) -> MonthStatistics {
        try view { try $0.statistics(of: month) }
    }

    // MARK: Helpers

    private func view<Result>(_ body: (TaskReading) throws -> Result) throws(TaskError) -> Result {
        try rethrowing { try read(body) }
    }

    func write<Result: Sendable>(
        _ operation: TaskOperation, reclaims: Bool = false,
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> Result {
        try await writeNumbered(operation, reclaims: reclaims, body).result
    }

    func writeNumbered<Result: Sendable>(
        _ operation: TaskOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> (result: Result, sequence: UInt64) {
        let start = store.context.clock.monotonic
        do {
            let written = try await store.writeNumbered(
                operation.label, continuing: first, reclaims: reclaims
            ) { transaction in
                do {
                    return try body(transaction.tasks)
                } catch TaskError.store(let error) {
                    // The store knows by its own errors what is worth another try.
                    throw error
                }
            }
            log.debug("\(operation)", metadata: ["microseconds": "\(elapsed(since: start))"])
            return written
        } catch {
            let error = TaskError(error)
            log.debug("\(operation)", metadata: ["microseconds": "\(elapsed(since: start))", "error": "\(error.code)"])
            throw error
        }
    }

    private func writeNoticed(
        _ operation: TaskOperation, _ body: @escaping @Sendable (TaskTransaction) throws -> (TaskItem, String)
    ) async throws(TaskError) -> TaskItem {
        let ((task, text), sequence) = try await writeNumbered(operation, body)
        if sequence != 0 {
            let deadline = store.context.clock.monotonic.advanced(byMicroseconds: UndoNotice.window)
            notice.withLock { $0 = UndoNotice(text: text, sequence: sequence, task: task.id, deadline: deadline) }
        }
        return task
    }

    private func elapsed(since start: MonotonicTime) -> Int64 {
        store.context.clock.monotonic.microseconds(since: start)
    }
}

/// An offer to take back a move or a change of state.
public struct UndoNotice: Sendable, Hashable {
    /// How long the offer stands, in microseconds of the monotonic clock, its end included.
    static let window: Int64 = 3_000_000

    /// What was done, for example "Moved to Today".
    public let text: String
    /// The change, by its place in the change log.
    public let sequence: UInt64
    /// The task it was done to.
    public let task: UUID
    /// Until when it can be taken back.
    public let deadline: MonotonicTime
}

extension WriteTransaction {
    /// The operations on tasks in this transaction.
    public var tasks: TaskTransaction {
        TaskTransaction(transaction: self)
    }
}

extension ReadTransaction {
    /// The views and counts of the tasks at this moment.
    public var taskViews: TaskReading { TaskReading(transaction: self) }
}
