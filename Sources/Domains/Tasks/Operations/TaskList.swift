import CivilTime
import FoundationEssentials
import Records

/// The task list of a store. Every operation is durable when it returns; every view is one range of an index.
///
/// Operations that take several ids run in one transaction: all or none, undone as one.
public final class TaskList: Sendable {
    let access: DomainStore<TaskError>
    let offer: LastOffer<UndoNotice>

    /// The collections of a task list.
    public static let schema = Schema(domain: "tasks").adding(TaskItem.collection).adding(Tombstone.collection)
        .adding(CustomList.collection).adding(TaskSettings.collection)
        .adding(DeliveredReminder.collection).adding(TaskLink.collection)
        .declaring(TaskOperation.declarations)

    /// Creates the task list of a store that was opened with `TaskList.schema`.
    package init(store: RecordStore) {
        access = DomainStore(store, domain: "tasks")
        offer = LastOffer(clock: store.context.clock)
    }

    /// Creates the task list of a session: its operations show at once, and return when they are durable.
    package init(session: OptimisticSession, of store: RecordStore) {
        access = DomainStore(store, session: session, domain: "tasks")
        offer = LastOffer(clock: store.context.clock)
    }

    var store: RecordStore { access.store }

    // MARK: Read

    /// Reads views and counts from one consistent snapshot.
    ///
    /// - Throws: `TaskError`, with errors of the store as `TaskError.store`; other errors of the closure unchanged.
    public func read<Result>(_ body: (TaskReading) throws -> Result) throws -> Result {
        try read(isRepeatable: true, body)
    }

    /// Reads from one consistent snapshot.
    ///
    /// - Parameter isRepeatable: whether the closure may run again: not if it passes on what it reads before it ends.
    package func read<Result>(isRepeatable: Bool, _ body: (TaskReading) throws -> Result) throws -> Result {
        try access.read(isRepeatable: isRepeatable) { try body($0.tasks) }
    }

    /// Returns the task of an id; nil if there is none.
    public func get(_ id: UUID) throws(TaskError) -> TaskItem? { try view { try $0.get(id) } }

    /// Returns the task of an id, or of 4 or more digits of its beginning or its end.
    public func find(_ text: String) throws(TaskError) -> TaskItem { try view { try $0.find(text) } }

    /// Returns the tasks of the Inbox.
    public func inbox() throws(TaskError) -> [TaskItem] { try view { try $0.inbox() } }

    /// Returns the tasks of today.
    public func today() throws(TaskError) -> TodayView { try view { try $0.today() } }

    /// Returns the tasks of one day.
    public func tasks(on day: Day) throws(TaskError) -> [TaskItem] { try view { try $0.tasks(on: day) } }

    /// Returns the tasks of a view.
    public func tasks(in view: TaskView) throws(TaskError) -> [TaskItem] { try self.view { try $0.tasks(in: view) } }

    /// Returns the number of tasks, including archived ones.
    public func count() throws(TaskError) -> Int { try view { try $0.count() } }

    /// Returns the days after today that have tasks.
    public func upcoming() throws(TaskError) -> [UpcomingDay] { try view { try $0.upcoming() } }

    /// Returns the tasks of past days.
    public func past(openOnly: Bool = false, limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try view { try $0.past(openOnly: openOnly, limit: limit) }
    }

    /// Returns the tasks of a task's day, or of the Inbox, in the order that moving it would lead to. Writes nothing.
    public func preview(reordering id: UUID, to place: TaskPlace) throws(TaskError) -> [TaskItem] {
        try view { try $0.preview(reordering: id, to: place) }
    }

    /// Returns a page of a view, from its beginning or after an earlier page.
    public func page(
        of view: TaskView, after token: PageToken? = nil, limit: Int = 20
    ) throws(TaskError) -> Page<TaskItem> {
        try self.view { try $0.page(of: view, after: token, limit: limit) }
    }

    /// Returns the tasks that were created in a range of time, of every state and also archived ones, the oldest first.
    public func created(in range: Range<Instant>, limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try view { try $0.created(in: range, limit: limit) }
    }

    /// Returns the archived tasks, the oldest creation first. They are in no view.
    ///
    /// - Complexity: a step and a look-up for each task of the store until the limit is reached.
    public func archived(limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try view { try $0.archived(limit: limit) }
    }

    /// Returns a page of the archived tasks, from its beginning or after an earlier page.
    public func archivedPage(after token: PageToken? = nil, limit: Int = 20) throws(TaskError) -> Page<TaskItem> {
        try view { try $0.archivedPage(after: token, limit: limit) }
    }

    /// Returns the tasks that are not completed and whose reminders are in a range, in the order of time.
    public func reminders(in range: Range<Instant>) throws(TaskError) -> [TaskItem] {
        try view { try $0.reminders(in: range) }
    }

    /// Returns the tasks that are not completed and whose reminders are due by the wall clock, in the order of time.
    public func dueReminders() throws(TaskError) -> [TaskItem] { try view { try $0.dueReminders() } }

    /// Returns the completions of today, this week, this month and last month.
    public func statistics() throws(TaskError) -> CompletionStatistics { try view { try $0.statistics() } }

    /// Returns the completions of each day of a month.
    public func statistics(of month: Month) throws(TaskError) -> MonthStatistics {
        try view { try $0.statistics(of: month) }
    }

    /// Reads, and converts what the reading throws.
    func view<Result>(_ body: (TaskReading) throws -> Result) throws(TaskError) -> Result {
        try TaskError.rethrowing { try read(body) }
    }

    // MARK: Write

    /// Runs several operations in one transaction: all or none.
    ///
    /// - Throws: As `read`; `CancellationError` when the task is cancelled.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws -> Result {
        try await access.write(TaskOperation.several) { try body($0.tasks) }
    }

    /// Runs an operation on the calling thread, without a session.
    func writeHere<Result>(
        _ operation: TaskOperation, _ body: (TaskTransaction) throws -> Result
    ) throws(TaskError) -> Result {
        try TaskError.rethrowing { try store.write(operation.label) { try body($0.tasks) } }
    }

    package func write<Result: Sendable>(
        _ operation: TaskOperation, reclaims: Bool = false,
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> Result {
        try await writeNumbered(operation, reclaims: reclaims, body).result
    }

    func writeNumbered<Result: Sendable>(
        _ operation: TaskOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> (result: Result, sequence: UInt64) {
        try await access.writeNumbered(operation, continuing: first, reclaims: reclaims) { try body($0.tasks) }
    }
}
