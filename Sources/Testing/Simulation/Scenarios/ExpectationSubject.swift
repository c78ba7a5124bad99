import Daybook

/// What can be looked at, and how what is expected there is written.
enum ExpectationSubject: String, CaseIterable {
    case inbox, today, upcoming, past
    case upcomingLabels = "upcoming labels"
    case completedToday = "completed today"
    case tasks, date, zone, clock, statistics
    case statisticsIn = "statistics in"
    case daysOf = "days of"
    case task, gone, reminders, notice, told, changes
    case wakeUps = "wake-ups"

    /// The shape of its value.
    var shape: ValueShape {
        switch self {
        case .inbox, .today, .past, .gone, .reminders: .list(.taskName)
        case .upcoming: .by(.day, .list(.taskName))
        case .upcomingLabels, .changes: .list(.text)
        case .completedToday, .tasks, .wakeUps: .word(.number)
        case .date: .word(.day)
        case .zone: .word(.zone)
        case .clock: .word(.moment)
        case .statistics: Self.statisticsShape
        case .statisticsIn: .by(.zone, Self.statisticsShape)
        case .daysOf: .by(.month, .by(.day, .word(.number)))
        case .task: .by(.taskName, Self.taskShape)
        case .notice: .wordOrNothing(.text)
        case .told: .by(.view, .list(.text))
        }
    }

    private static let statisticsShape = ValueShape.fields([
        ("today", .word(.number)), ("week", .word(.number)), ("month", .word(.number)),
        ("last month", .word(.number)), ("trend", .word(.one(of: ["up", "down", "same", "noData"]))),
        ("sentence", .word(.text)), ("week start", .word(.text)),
    ])

    private static let taskShape = ValueShape.fields([
        ("state", .word(.one(of: TaskState.allCases.map { "\($0)" }))), ("day", .wordOrNothing(.day)),
        ("text", .word(.text)), ("created", .wordOrNothing(.instant)), ("updated", .wordOrNothing(.instant)),
        ("completed", .wordOrNothing(.instant)), ("completed in", .wordOrNothing(.zone)),
        ("reminder", .wordOrNothing(.instant)), ("carried from", .wordOrNothing(.day)),
    ])
}
