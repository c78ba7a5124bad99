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
        let (before, after) = (old?.fields ?? [:], new?.fields ?? [:])
        return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.reduce(0) { $0 | 1 << $1 }
    }

    /// The fields of the record that are not at their defaults, by their numbers.
    private var fields: [UInt64: String] {
        var fields: [UInt64: String] = [1: text, 3: "\(createdAt)", 4: "\(updatedAt)"]
        if state != .notStarted { fields[2] = state.name }
        fields[5] = completedAt.map { "\($0)" }
        fields[6] = completedIn
        fields[7] = completedOffset.map { "\($0)" }
        fields[8] = day.map { "\($0)" }
        if timesReopened > 0 { fields[12] = "\(timesReopened)" }
        fields[15] = reminderAt.map { "\($0)" }
        fields[28] = carriedFrom.map { "\($0)" }
        if timesCarried > 0 { fields[29] = "\(timesCarried)" }
        return fields
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
