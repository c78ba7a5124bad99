import CivilTime
import FoundationEssentials
import Injection
import Records

/// A reminder of the schedule, with what a notification shows.
public struct ScheduledReminder: Sendable, Hashable {
    /// The task.
    public let task: TaskItem
    /// When it is due.
    public let at: Instant

    /// The identifier of its notification: `task-` and the task's id in upper case. Setting another one replaces it.
    public var identifier: String { "\(Self.prefix)\(task.id.uuidString)" }

    private static let prefix = "task-"

    /// Returns the id of the task that a notification is about; nil for an identifier of another kind.
    public static func taskID(ofNotification identifier: String) -> UUID? {
        guard identifier.hasPrefix(prefix) else { return nil }
        return UUID(uuidString: String(identifier.dropFirst(prefix.count)))
    }

    /// What the notification shows first: the task's text.
    public var title: String { task.text }
    /// What the notification shows below: the task's notes; nil for none.
    public var body: String? { task.notes.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }

    init?(_ task: TaskItem) {
        guard let at = task.reminderAt else { return nil }
        self.task = task
        self.at = at
    }
}

extension TaskReading {
    /// Returns the reminders that are due in a range, in the order of time: those of tasks that are neither completed nor
    /// archived; none while notifications are denied. It always follows from the tasks, whatever has changed them.
    ///
    /// - Complexity: a step and a look-up for each.
    public func schedule(in range: Range<Instant>) throws -> [ScheduledReminder] {
        guard try settings().notificationPermission != .denied else { return [] }
        return try reminders(in: range).compactMap(ScheduledReminder.init)
    }
}

extension TaskList {
    /// Returns the reminders that are due in a range, in the order of time; none while notifications are denied.
    public func schedule(in range: Range<Instant>) throws(TaskError) -> [ScheduledReminder] {
        try view { try $0.schedule(in: range) }
    }
}

/// A reminder that was delivered: neither in the change log nor undone, so that undoing a change of the task does not
/// deliver it again.
struct DeliveredReminder: Record {
    /// The task's id.
    let id: UUID
    /// When the reminder was due. A task whose reminder is set to another time is reminded of again.
    let at: Instant

    static let collection = RecordCollection<DeliveredReminder>("deliveredReminders", isTracked: false) {
        Field(1, "at", .instant)
    }

    init(id: UUID, at: Instant) {
        self.id = id
        self.at = at
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        at = try fields.instant(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, at)
    }
}

/// Hands reminders to an application as they come due, each at most once: though the clock steps back, though several
/// processes do it, and though the program restarts. What came due while no scheduler ran is delivered at its start.
///
///     let scheduler = ReminderScheduler(store.tasks)
///     try await scheduler.run { reminder in show(reminder.title, reminder.body) }
public struct ReminderScheduler: Sendable {
    private let tasks: TaskList

    /// Creates a scheduler of a task list's reminders.
    public init(_ tasks: TaskList) {
        self.tasks = tasks
    }

    /// Delivers reminders until the task is cancelled or the closure throws.
    ///
    /// A reminder is noted as delivered, durably, before the closure is called with it: a program that crashes in between
    /// does not deliver it. Between reminders nothing runs but one timer.
    ///
    /// - Throws: `TaskError` if the store fails, `CancellationError`, what the closure throws.
    public func run(_ deliver: @Sendable (ScheduledReminder) async throws -> Void) async throws {
        try await run(noting: { _ in }, deliver: deliver)
    }

    /// - Parameter isWaiting: called with true before each wait for the next reminder or change, and with false after it.
    package func run(
        noting isWaiting: @Sendable (Bool) -> Void,
        deliver: @Sendable (ScheduledReminder) async throws -> Void
    ) async throws {
        while true {
            do {
                let moment = try tasks.store.moment()
                let next = try await deliverDue(at: moment.now, deliver)
                isWaiting(true)
                try await tasks.store.waitForNews(since: moment, or: next)
                isWaiting(false)
            } catch let error as RecordsError {
                throw TaskError(error)
            }
        }
    }

    /// Delivers the reminders that are due, and returns when the next one is; nil for none.
    ///
    /// - Throws: As `run`.
    @discardableResult
    public func deliverDue(_ deliver: @Sendable (ScheduledReminder) async throws -> Void) async throws -> Instant? {
        try await deliverDue(at: tasks.store.context.clock.wall, deliver)
    }

    private func deliverDue(
        at now: Instant, _ deliver: @Sendable (ScheduledReminder) async throws -> Void
    ) async throws -> Instant? {
        let (due, next) = try tasks.view { try $0.undelivered(at: now) }
        for reminder in due {
            guard try await claim(reminder) else { continue }
            try await deliver(reminder)
        }
        return next
    }

    /// Notes a reminder as delivered; false if another process did, or if it has changed since.
    private func claim(_ reminder: ScheduledReminder) async throws -> Bool {
        try await tasks.write(.several) { try $0.claim(reminder) }
    }
}

extension TaskTransaction {
    /// Notes a reminder as delivered; false if it was, or if it has changed since.
    package func claim(_ reminder: ScheduledReminder) throws -> Bool {
        let (id, at) = (reminder.task.id, reminder.at)
        guard try reading.isUndelivered(id, at: at) else { return false }
        if !transaction.injectionPoint(.forgetsDeliveries) { try transaction.put(DeliveredReminder(id: id, at: at)) }
        return true
    }
}

extension TaskReading {
    /// The reminders that are due and were not delivered, and when the next one is due.
    package func undelivered(at now: Instant) throws -> (due: [ScheduledReminder], next: Instant?) {
        let end = now.advanced(byMicroseconds: 1)
        let due = try schedule(in: Instant(microsecondsSince1970: .min)..<end).filter {
            try transaction[DeliveredReminder.self].get($0.task.id)?.at != $0.at
        }
        return (due, try transaction[TaskItem.byReminder].range(from: end, limit: 1).first?.reminderAt)
    }

    /// Whether a task's reminder is due at an instant still and was not delivered.
    fileprivate func isUndelivered(_ id: UUID, at instant: Instant) throws -> Bool {
        guard let task = try get(id), !task.isCompleted, task.archivedAt == nil, task.reminderAt == instant else {
            return false
        }
        return try transaction[DeliveredReminder.self].get(id)?.at != instant
    }
}
