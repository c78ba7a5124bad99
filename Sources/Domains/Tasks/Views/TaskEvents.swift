import CivilTime
import FoundationEssentials
import Records

/// What happened to a task or a list, by a name that an application can switch on: one event for each of them that a change has
/// touched, whichever process or device made it.
public struct TaskEvent: Sendable, Hashable {
    /// The names of events. They keep their meaning.
    public enum Name: String, Sendable, CaseIterable {
        /// A task is there that was not: it was created or imported, it came by sync, or an undo restored it.
        case taskCreated
        /// A task became active.
        case taskStarted
        /// A task was completed.
        case taskCompleted
        /// A task is completed no longer, or an active one is not started again.
        case taskReopened
        /// Anything else of a task has changed: its text, day, list, reminder, place.
        case taskChanged
        /// A task was deleted or purged.
        case taskDeleted
        /// A list is there that was not.
        case listCreated
        /// A list has another name, color or place.
        case listChanged
        /// A list was deleted. Each of its tasks has an event as well.
        case listDeleted
    }

    /// What happened.
    public let name: Name
    /// The id of the task or the list.
    public let id: UUID
    /// The number of the change: where to continue after a restart.
    public let sequence: UInt64
    /// The wall clock when it was made.
    public let instant: Instant
    /// Whether it undid or redid an earlier change.
    public let isUndoOrRedo: Bool

    /// The events of one change, in the order of its records.
    static func events(of change: Change) throws -> [TaskEvent] {
        try change.entries.compactMap { entry in
            guard let name = try Name(entry) else { return nil }
            return TaskEvent(
                name: name, id: try entry.id(), sequence: change.sequence, instant: change.instant,
                isUndoOrRedo: change.isUndoOrRedo)
        }
    }
}

extension TaskEvent.Name {
    /// The numbers of the fields `state` and `completedAt`.
    private static let (state, completedAt) = (2, 5)

    /// Nil for a record of neither a task nor a list.
    fileprivate init?(_ entry: Change.Entry) throws {
        switch (entry.collection, entry.kind) {
        case (TaskItem.collection.name, .created): self = .taskCreated
        case (TaskItem.collection.name, .deleted): self = .taskDeleted
        case (TaskItem.collection.name, .updated): self = Self.update(of: entry)
        case (CustomList.collection.name, .created): self = .listCreated
        case (CustomList.collection.name, .updated): self = .listChanged
        case (CustomList.collection.name, .deleted): self = .listDeleted
        default: return nil
        }
    }

    /// The change log has a record as it was before. The state after follows from it and from the changed fields, because a time of
    /// completion is there exactly while a task is completed.
    private static func update(of entry: Change.Entry) -> Self {
        func hasChanged(_ field: Int) -> Bool { entry.changedFields & (1 << field) != 0 }
        guard hasChanged(state) else { return .taskChanged }
        let before = entry.imageBefore.flatMap { StoredFields($0) }?.fields.first { $0.number == state }
        switch TaskState(rawValue: before?.content.first ?? 0) {
        case .completed: return .taskReopened
        case _ where hasChanged(completedAt): return .taskCompleted
        case .active: return .taskReopened
        default: return .taskStarted
        }
    }
}

/// The events of tasks and lists after a change, in order, as any process commits them: each exactly once.
///
///     for try await event in store.tasks.events(after: last) where event.name == .taskCompleted { celebrate(event.id) }
///
/// To continue after a restart, store the sequence number of the last event whose change was handled completely.
public struct TaskEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = TaskEvent

    let changes: ChangeFeed

    /// Begins to follow the events.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator()) }

    /// Reads the changes, and returns the events of each.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: ChangeFeed.Iterator
        private var events: ArraySlice<TaskEvent> = []

        init(changes: ChangeFeed.Iterator) {
            self.changes = changes
        }

        /// The next event; waits for one.
        ///
        /// - Throws: `CancellationError` when the task is cancelled; `RecordsError`, `changesTrimmed` if the log was trimmed too far.
        public mutating func next() async throws -> TaskEvent? {
            while events.isEmpty {
                guard let change = try await changes.next() else { return nil }
                events = try TaskEvent.events(of: change)[...]
            }
            return events.removeFirst()
        }
    }
}

extension TaskList {
    /// Returns the events of tasks and lists after a sequence number, in order, by any process.
    public func events(after sequence: UInt64) -> TaskEvents { TaskEvents(changes: store.changes(after: sequence)) }
}
