import CivilTime
import FoundationEssentials
import Records
import Tasks

/// Lists, due times, categories, dependencies and search as a domain of the testing tools. Lists and tasks have numbers from 1,
/// and ids that follow from them.
package struct ListPack: DomainPack {
    package struct List: Equatable, Sendable {
        var name: String
        var isRed = false
    }

    package struct Task: Equatable, Sendable {
        var list: Int?
        /// The words of its text, by their places in the vocabulary.
        var words: [Int]
        /// The word that is its note.
        var note: Int?
        /// The category, by its place among the spellings.
        var category: Int?
        var due: TaskDue?
        var isCompleted = false
        var isArchived = false
        /// The tasks that it waits for.
        var blockers: Set<Int> = []
    }

    package var lists: [Int: List] = [:]
    package var listOrder: [Int] = []
    package var tasks: [Int: Task] = [:]
    /// The tasks of each list, and of none, in their order, without archived ones.
    package var orders: [Int?: [Int]] = [:]
    /// How many deleted tasks were completed: they stay in the statistics.
    package var completionsOfDeleted = 0
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    /// None but those of every store.
    package static let records = Schema()
    package static let changesTasks = true

    /// Two lists and four tasks: two in the first list, of which one is completed, one in the second, one in none. The last one
    /// waits for the first.
    package static let start = [
        "name", "name.1", "write", "write.5463", "write.1216", "write.2045", "finish.1", "link",
    ]

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.lastNumber = lastNumber
        return restored
    }

    static func id(_ number: Int) -> UUID { TaskAction.id(number) }
    static func number(of id: UUID) -> Int { TaskAction.number(of: id) }
}

// MARK: The vocabulary

extension ListPack {
    /// Words as they are written and as they are found.
    static let vocabulary = [
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

    static func text(_ words: [Int], _ number: Int) -> String {
        (words.map { vocabulary[$0].0 } + ["\(number)"]).joined(separator: " ")
    }

    /// The words of a text of the pack as they are found.
    static func folded(_ text: String) -> [String] {
        text.split(separator: " ").map { word in
            vocabulary.first { $0.0.utf8.elementsEqual(word.utf8) }?.1 ?? String(word)
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
}

// MARK: The model

extension ListPack {
    /// The tasks that a condition holds for and that are not archived, by their numbers.
    func numbers(where fits: (Task) -> Bool = { _ in true }) -> [Int] {
        tasks.filter { !$0.value.isArchived && fits($0.value) }.keys.sorted()
    }

    mutating func insert(_ number: Int, _ task: Task) {
        lastNumber = max(lastNumber, number)
        tasks[number] = task
        orders[task.list, default: []].append(number)
    }

    mutating func leaveList(_ number: Int) {
        guard let list = tasks[number]?.list else {
            orders[nil]?.removeAll { $0 == number }
            if orders[nil] == [] { orders[nil] = nil }
            return
        }
        orders[list]?.removeAll { $0 == number }
        if orders[list] == [] { orders[list] = nil }
    }

    mutating func delete(_ number: Int) {
        leaveList(number)
        if tasks[number]?.isCompleted == true { completionsOfDeleted += 1 }
        tasks[number] = nil
        for other in tasks.keys { tasks[other]?.blockers.remove(number) }
    }

    /// Whether a task waits for another one, at once or through others.
    func waits(_ number: Int, for other: Int) -> Bool {
        if number == other { return true }
        return (tasks[number]?.blockers ?? []).contains { waits($0, for: other) }
    }

    func isBlocking(_ number: Int) -> Bool { tasks[number].map { !$0.isCompleted && !$0.isArchived } ?? false }
}
