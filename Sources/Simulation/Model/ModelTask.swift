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
