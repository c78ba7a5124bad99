import Daybook

/// A task with the same fields as Daybook's, as an application on SQLite or on a JSON file would declare it.
///
/// The state is stored as its rank in views (active, not started, completed), so that an index sorts by it.
struct TaskFields: Codable, Sendable {
    var id: UUID
    var text: String
    var state: Int
    var createdAt: Int64
    var updatedAt: Int64
    var completedAt: Int64?
    var completedZone: String?
    var completedOffsetSeconds: Int?
    var day: Int?
    var position: Int64
    var notes: String?
    var category: String?
    var completionEpoch = 0
    var dueAt: Int64?
    var dueIsAllDay = true
    var reminderAt: Int64?
    var listID: UUID?
    var listOrder: Int64 = 0
    var region = 0
    var bucket = 0
    var planOrder: Int64 = 0
    var autoCarry = false
    var isSticky = false
    var expiresAt: Int64?
    var archivedAt: Int64?
    var isRecurring = false
    var recurringPattern: String?
    var parentRecurringID: UUID?
    var carriedFromDay: Int?
    var carryCount = 0
    var extra: String?
}

extension TaskFields {
    /// A new task.
    init(id: UUID, text: String, day: Int, position: Int64, now: Instant) {
        self.init(
            id: id, text: text, state: Int(TaskState.notStarted.rank), createdAt: now.microsecondsSince1970,
            updatedAt: now.microsecondsSince1970, day: day, position: position)
    }

    /// Converts a task of Daybook.
    init(_ task: TaskItem) {
        self.init(
            id: task.id, text: task.text, state: Int(task.state.rank),
            createdAt: task.createdAt.microsecondsSince1970, updatedAt: task.updatedAt.microsecondsSince1970,
            completedAt: task.completedAt?.microsecondsSince1970, completedZone: task.completedZone,
            completedOffsetSeconds: task.completedOffsetSeconds.map(Int.init),
            day: (task.scheduledDate?.daysSince1970).map(Int.init), position: task.position, notes: task.notes)
    }

    /// Sets the state, with the time of completion.
    mutating func set(_ state: TaskState, at now: Instant, in zone: Zone) {
        let isCompleted = state == .completed
        self.state = Int(state.rank)
        updatedAt = now.microsecondsSince1970
        completedAt = isCompleted ? now.microsecondsSince1970 : nil
        completedZone = isCompleted ? zone.identifier : nil
        completedOffsetSeconds = isCompleted ? zone.offsetSeconds(at: now) : nil
    }
}

/// The tasks of one day.
struct DayGroup {
    let day: Int?
    var tasks: [TaskFields]

    static func groups(of tasks: [TaskFields]) -> [DayGroup] {
        var groups: [DayGroup] = []
        for task in tasks {
            if let last = groups.last, last.day == task.day {
                groups[groups.count - 1].tasks.append(task)
            } else {
                groups.append(DayGroup(day: task.day, tasks: [task]))
            }
        }
        return groups
    }
}

/// A complete export with the structure of Daybook's own.
struct ExportedTasks: Encodable {
    var exportDate = "2026-02-10T16:00:00Z"
    var appVersion = "1.0.0"
    let tasks: [TaskFields]
}
