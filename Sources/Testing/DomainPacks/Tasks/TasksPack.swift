import CivilTime
import FoundationEssentials
import Records
import Tasks

/// The task list as a domain of the testing tools: days, lists, the planner, recurrence, reminders, tags and subtasks in one
/// model, with every verb. The profiles have some of the verbs each, so that their short sequences stay few.
///
/// Tasks and lists have numbers from 1, from which their ids and texts follow; the occurrences of a task share its number.
package struct TasksPack: TasksProfile {
    package struct Task: Equatable, Sendable {
        let number: Int
        var day: Day?
        var state = TaskState.notStarted
        var completedAt: Instant?
        /// Whether it was completed before.
        var wasReopened = false
        /// The words of its text, by their places in the vocabulary; if there are none, the text follows from the number.
        var words: [Int] = []
        var note: String?
        /// The category, by its place among the spellings.
        var category: Int?
        var list: UUID?
        var due: TaskDue?
        var isArchived = false
        /// The tasks that it waits for.
        var blockers: Set<UUID> = []
        var region = TaskRegion.backlog
        var bucket = TaskBucket.none
        var isSticky = false
        var autoCarry = false
        var expiresAt: Instant?
        var carryCount: UInt32 = 0
        var rule: NaiveRule?
        var dayOfRule: Day?
        /// The task that its series began with, if it is not that one.
        var series: UUID?
        var reminder: Reminder?
        var tags: [Int] = []
        var priority = TaskPriority.none
        var wait: Day?
        /// The task that it is a part of.
        var parent: UUID?
    }

    /// A bucket of a region of one day.
    package struct Slot: Hashable, Sendable {
        var day: Day
        var region: TaskRegion
        var bucket: TaskBucket
    }

    package struct Reminder: Equatable, Sendable {
        var day: Day
        var hour: Int
        /// When that was in the zone in which it was set.
        var at: Instant

        init(_ day: Day, hour: Int, in zone: Zone) {
            self.day = day
            self.hour = hour
            at = zone.instant(day: day, secondsIntoDay: hour * 3600)
        }
    }

    package struct List: Equatable, Sendable {
        var name: String
        var isRed = false
    }

    package var tasks: [UUID: Task] = [:]
    /// The tasks of each day and of the Inbox, of each list and of none, of each bucket in use, and of each task that has parts, in
    /// their orders, without archived ones.
    var days: [Day?: [UUID]] = [:]
    var orders: [UUID?: [UUID]] = [:]
    var plan: [Slot: [UUID]] = [:]
    var parts: [UUID: [UUID]] = [:]
    var lists: [UUID: List] = [:]
    var listOrder: [UUID] = []
    var deleted: Set<UUID> = []
    /// When deleted tasks were completed: they stay in the statistics.
    var completionsOfDeleted: [Instant] = []
    /// The reminders that were delivered: untracked.
    var delivered: [UUID: Instant] = [:]
    /// The highest number given. No number is given twice, whatever is undone.
    var lastNumber = 0
    /// Whether draws go through the tasks by their ids, not by their numbers.
    var sortsByID = false

    package init() {}
}

extension TasksPack.Task {
    var isCompleted: Bool { state == .completed }

    /// The day that its rule is counted from; no task of the pack that has a rule is due at an instant.
    var anchor: Day? { if case .day(let due) = due { day ?? due } else { day } }

    /// Its bucket; nil for a task without a place, which the plan shows in the order of its day.
    var slot: TasksPack.Slot? {
        guard region != .backlog || bucket != .none else { return nil }
        return day.map { TasksPack.Slot(day: $0, region: region, bucket: bucket) }
    }

    var text: String {
        words.isEmpty
            ? TaskAction.text(number)
            : (words.map { TasksPack.vocabulary[$0].written } + ["\(number)"]).joined(separator: " ")
    }
}

// MARK: The vocabulary

extension TasksPack {
    /// Words as they are written and as they are found.
    static let vocabulary: [(written: String, found: String)] = [
        ("call", "call"), ("Calm", "calm"), ("Café", "cafe"), ("milk", "milk"), ("Ärger", "arger"), ("東京都", "東京都"),
        ("ПРИВЕТ", "привет"), ("cafe\u{301}", "cafe"),
    ]

    /// What is searched for: the text as a person types it, and its words as they are found.
    static let searches = [
        ("call", ["call"]), ("CAL", ["cal"]), ("café", ["cafe"]), ("milk cal", ["milk", "cal"]), ("京都", ["京都"]),
        ("Arg", ["arg"]), ("привет", ["привет"]), ("都 calm", ["都", "calm"]), ("none", ["none"]),
    ]

    /// Spellings of categories, two of each: they differ in case and diacritics only.
    static let categories = ["home", "HOME", "Büro", "buro"]

    /// The words of a text of the pack as they are found.
    static func folded(_ text: String) -> [String] {
        text.split(separator: " ").map { word in
            vocabulary.first { $0.written.utf8.elementsEqual(word.utf8) }?.found ?? String(word)
        }
    }

    /// Whether a task with some words is found: by the beginnings of words, where blanks separate them, else by any part.
    static func finds(_ searched: [String], in words: [String]) -> Bool {
        searched.allSatisfy { wanted in
            words.contains { $0.hasPrefix(wanted) || !wanted.utf8.allSatisfy { $0 < 0xE0 } && $0.contains(wanted) }
        }
    }

    /// The due times that tasks get: nothing, days, instants. Hours away from noon, so that what is overdue does not change in
    /// the course of a crash test.
    static func due(_ choice: Int, at now: Instant, today: Day) -> TaskDue? {
        switch choice {
        case 0: .day(today.advanced(by: -1))
        case 1: nil
        case 2: .day(today)
        case 3: .day(today.advanced(by: 2))
        case 4: .at(now.advanced(bySeconds: 86_400))
        default: .at(now.advanced(bySeconds: -86_400))
        }
    }

    static let tags = ["home", "Büro", "deep work"]
    static let regions: [TaskRegion] = [.morning, .evening]
    static let buckets: [TaskBucket] = [.must, .misc, .none]

    /// The hours of reminders: one that a change of the clocks leaves out in some zones and has twice in others, and some that
    /// are far from noon, so that what is due does not change in the course of a crash test.
    static let hours = [8, 18, 2, 0, 21]
}
