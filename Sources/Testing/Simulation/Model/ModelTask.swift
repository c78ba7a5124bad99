import Daybook

/// A task as the model keeps it: everything of it that the store shows.
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
    var carriedFrom: Day?
    var timesCarried: UInt32 = 0

    init(name: String, day: Day?, at now: Instant) {
        self.name = name
        text = name
        self.day = day
        createdAt = now
        updatedAt = now
    }

    /// What the store has, in the model's words.
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
        carriedFrom = task.carriedFromDay
        timesCarried = task.carryCount
    }
}

extension ModelTask {
    /// Which fields of the record differ between two versions: bit n for field n, as the change feed tells it. Without
    /// the place, which is a number in the store and an order in the model.
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
        ]
        return changes.reduce(0) { $1.isChanged ? $0 | 1 << $1.field : $0 }
    }
}

extension ModelTask: CustomStringConvertible {
    /// For a report: the name, and what is not as in every task.
    var description: String {
        var words = [name, state.name, "updated \(updatedAt)"]
        if let day { words.append("on \(day)") }
        if let completedAt { words.append("completed \(completedAt) in \(completedIn ?? "no zone")") }
        if let reminderAt { words.append("reminder \(reminderAt)") }
        if let carriedFrom { words.append("carried from \(carriedFrom), \(timesCarried) times") }
        if text != name { words.append("text '\(text)'") }
        return words.joined(separator: ", ")
    }
}
