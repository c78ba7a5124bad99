import Daybook

/// A task in the model, with everything that the store shows of it.
struct ModelTask: Sendable, Equatable {
    let name: String
    var text: String
    var day: Day?
    var state = TaskState.notStarted
    let createdAt: Instant
    var updatedAt: Instant
    var completedAt: Instant?
    var completedIn: String?
    var completedOffset: Int32?
    var timesReopened: UInt32 = 0
    var reminderAt: Instant?
    /// The reminder as it was given: the same instant can be another time of day in another zone.
    var reminder: TaskReminder?
    var carriedFrom: Day?
    var timesCarried: UInt32 = 0

    init(name: String, day: Day?, at now: Instant) {
        self.name = name
        text = name
        self.day = day
        createdAt = now
        updatedAt = now
    }

    /// Converts a task of the store.
    init(_ task: TaskItem, name: String) {
        self.name = name
        text = task.text
        day = task.scheduledDate
        state = task.state
        createdAt = task.createdAt
        updatedAt = task.updatedAt
        completedAt = task.completedAt
        completedIn = task.completedZone
        completedOffset = task.completedOffsetSeconds
        timesReopened = task.completionEpoch
        reminderAt = task.reminderAt
        reminder = task.reminder
        carriedFrom = task.carriedFromDay
        timesCarried = task.carryCount
    }

    /// Makes this earlier state of a task the present one, as undo and redo do: its time of change still advances, and taking a
    /// completion back reopens it (X-8).
    mutating func restore(replacing current: ModelTask?, at now: Instant) {
        let latest = max(updatedAt, current?.updatedAt ?? updatedAt)
        updatedAt = max(now, latest.advanced(byMicroseconds: 1))
        guard let current else { return }
        let reopens = current.state == .completed && state != .completed
        timesReopened = max(timesReopened, current.timesReopened + (reopens ? 1 : 0))
    }
}

extension ModelTask {
    /// Returns the fields that differ between two versions of the record: bit n for field n, as in the change feed.
    /// Excludes the position, which is a number in the store and an order in the model.
    static func changedFields(from old: ModelTask?, to new: ModelTask?) -> UInt64 {
        let changes: [(field: UInt64, isChanged: Bool)] = [
            (1, old?.text != new?.text),
            (2, (old?.state ?? .notStarted) != (new?.state ?? .notStarted)),
            (3, old?.createdAt != new?.createdAt),
            (4, old?.updatedAt != new?.updatedAt),
            (5, old?.completedAt != new?.completedAt),
            (6, old?.completedIn != new?.completedIn),
            (7, old?.completedOffset != new?.completedOffset),
            (8, old?.day != new?.day),
            (12, (old?.timesReopened ?? 0) != (new?.timesReopened ?? 0)),
            (15, old?.reminderAt != new?.reminderAt),
            (28, old?.carriedFrom != new?.carriedFrom),
            (29, (old?.timesCarried ?? 0) != (new?.timesCarried ?? 0)),
            (32, old?.reminder?.day != new?.reminder?.day),
            (33, old?.reminder?.secondsIntoDay != new?.reminder?.secondsIntoDay),
        ]
        return changes.reduce(0) { $1.isChanged ? $0 | 1 << $1.field : $0 }
    }
}

extension ModelTask: CustomStringConvertible {
    /// The name, followed by everything that differs from a new task.
    var description: String {
        var words = [name, state.name, "updated \(updatedAt)"]
        if let day { words.append("on \(day)") }
        if let completedAt { words.append("completed \(completedAt) in \(completedIn ?? "no zone")") }
        if let reminderAt { words.append("reminder \(reminderAt)") }
        if let day = reminder?.day, let seconds = reminder?.secondsIntoDay {
            words.append("given as \(day), \(seconds) s into the day")
        }
        if let carriedFrom { words.append("carried from \(carriedFrom), \(timesCarried) times") }
        if text != name { words.append("text '\(text)'") }
        return words.joined(separator: ", ")
    }
}

extension TaskReminder {
    fileprivate var day: Day? { if case .time(let day, _) = self { day } else { nil } }
    fileprivate var secondsIntoDay: Int? { if case .time(_, let seconds) = self { seconds } else { nil } }
}

/// A change as the feed must report it.
struct ModelChange: Sendable, Equatable {
    enum Kind: String, Sendable {
        case created, updated, deleted
    }

    var operation: TaskOperation
    var isRestoration = false
    /// The time of the change.
    var instant: Instant
    var tasks: [String: Kind] = [:]
    /// The fields that it changed in each task: bit n for field n, without the position.
    var fields: [String: UInt64] = [:]

    init(
        _ operation: TaskOperation, isRestoration: Bool = false, at instant: Instant, from before: ModelState,
        to after: ModelState, of names: Set<String>? = nil
    ) {
        self.operation = operation
        self.isRestoration = isRestoration
        self.instant = instant
        for name in names ?? ModelState.differences(before, after) {
            let (old, new) = (before.tasks[name], after.tasks[name])
            switch (old, new) {
            case (nil, .some): tasks[name] = .created
            case (.some, nil): tasks[name] = .deleted
            case (.some(let old), .some(let new)) where old != new: tasks[name] = .updated
            default: continue
            }
            fields[name] = ModelTask.changedFields(from: old, to: new)
        }
    }

    /// Converts a change of the feed.
    init(_ change: Change, name: (UUID) -> String, includingTasks: Bool) {
        operation = TaskOperation(rawValue: change.label.operation) ?? .several
        isRestoration = change.isUndoOrRedo
        instant = change.instant
        for entry in change.entries where includingTasks && entry.collection == TaskItem.collection.name {
            guard let id = try? entry.id(as: UUID.self) else { continue }
            tasks[name(id)] =
                switch entry.kind {
                case .created: .created
                case .updated: .updated
                case .deleted: .deleted
                }
            fields[name(id)] = entry.changedFields & ~Self.place
        }
    }

    /// The fields that hold a task's positions within its day and its list.
    private static let place: UInt64 = 1 << 9 | 1 << 17

    /// Returns whether a reported change matches. For several operations in one transaction the store reports every
    /// field that any of them wrote, even if a later one restored it.
    func accepts(_ found: ModelChange) -> Bool {
        guard operation == .several, !isRestoration else { return self == found }
        var found = found
        for (name, expected) in fields { found.fields[name]? &= expected }
        return self == found
    }

    /// Removes a purged task.
    mutating func forget(_ name: String) {
        tasks[name] = nil
        fields[name] = nil
    }
}

extension ModelChange: CustomStringConvertible {
    var description: String {
        let tasks = tasks.sorted { $0.key < $1.key }.map { name, kind in
            "\(kind.rawValue) \(name) (\(String(fields[name, default: 0], radix: 16)))"
        }
        return "\(isRestoration ? "undo or redo of " : "")\(operation) at \(instant): \(tasks.joined(separator: ", "))"
    }
}

/// What remains of a deleted task: the time of deletion, and the completion, which still counts in statistics.
struct ModelTombstone: Sendable, Equatable {
    var deletedAt: Instant
    var completedAt: Instant?
    var completedIn: String?
    var completedOffset: Int32?

    init(of task: ModelTask, at now: Instant) {
        // After a step backward, a task must not be deleted before its last change.
        deletedAt = max(now, task.updatedAt)
        completedAt = task.completedAt
        completedIn = task.completedIn
        completedOffset = task.completedOffset
    }

    /// Converts a tombstone of the store.
    init(_ tombstone: Tombstone) {
        deletedAt = tombstone.deletedAt
        completedAt = tombstone.completedAt
        completedIn = tombstone.completedZone
        completedOffset = tombstone.completedOffsetSeconds
    }
}
