import CivilTime
import FoundationEssentials
import Records
import Tasks

/// Tags, priorities, hidden tasks and subtasks as a domain of the testing tools, with tasks that recur every day. Ids follow from the
/// numbers of tasks, their days, and the subtasks that they repeat.
package struct PeoplePack: DomainPack {
    package struct Task: Equatable, Sendable {
        var text: String
        var day: Day?
        var tags: [Int] = []
        var priority = TaskPriority.none
        var wait: Day?
        var parent: UUID?
        /// The day of its rule, for a task that recurs.
        var dayOfRule: Day?
        /// The task that its series began with, if it is not that one.
        var series: UUID?
        var isCompleted = false
    }

    package var tasks: [UUID: Task] = [:]
    /// The subtasks of each task in their order.
    package var parts: [UUID: [UUID]] = [:]
    package var deleted: Set<UUID> = []
    /// How many deleted tasks are completed.
    package var completionsOfDeleted = 0
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    /// None but those of every store.
    package static let records = Schema()
    package static let changesTasks = true

    /// A task that recurs and has a subtask that has one, and a hidden task with tags.
    package static let start = ["write.1", "write.1", "write.4", "write.30", "label.3"]

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.lastNumber = lastNumber
        return restored
    }

    static let tags = ["home", "Büro", "deep work"]
}

// MARK: The model

extension PeoplePack {
    /// The ids of tasks that a condition holds for, in an order that depends on nothing else.
    func ids(where fits: (Task) -> Bool = { _ in true }) -> [UUID] {
        tasks.filter { fits($0.value) }.map(\.key).sorted { $0.lowercased < $1.lowercased }
    }

    /// All tasks below one, each behind the one that it is a part of.
    func below(_ id: UUID) -> [UUID] {
        (parts[id] ?? []).flatMap { [$0] + below($0) }
    }

    /// How many tasks are above one.
    func level(_ id: UUID) -> Int { tasks[id]?.parent.map { level($0) + 1 } ?? 0 }

    /// How many levels of subtasks it has.
    func height(_ id: UUID) -> Int { (parts[id] ?? []).map { height($0) + 1 }.max() ?? 0 }

    mutating func nest(_ id: UUID, under parent: UUID?) {
        if let old = tasks[id]?.parent { parts[old]?.removeAll { $0 == id } }
        tasks[id]?.parent = parent
        if let parent { parts[parent, default: []].append(id) }
    }

    mutating func insert(_ id: UUID, _ task: Task) {
        tasks[id] = task
        tasks[id]?.parent = nil
        nest(id, under: task.parent)
    }

    mutating func delete(_ id: UUID) {
        for id in below(id) + [id] {
            if tasks[id]?.isCompleted == true { completionsOfDeleted += 1 }
            nest(id, under: nil)
            (tasks[id], parts[id]) = (nil, nil)
            deleted.insert(id)
        }
    }

    mutating func finish(_ id: UUID, today: Day) {
        guard let task = tasks[id] else { return }
        tasks[id]?.isCompleted = true
        let below = below(id)
        for part in below { tasks[part]?.isCompleted = true }
        guard let start = task.dayOfRule else { return }
        let next = max(start.advanced(by: 1), today)
        let days = start.distance(to: next)
        let series = task.series ?? id
        let child = UUID(occurrenceOf: series, on: next)
        if isKnown(child) { return }
        var occurrence = task.repeated(after: days)
        (occurrence.day, occurrence.dayOfRule, occurrence.series) = (next, next, series)
        insert(child, occurrence)
        copyParts(of: id, to: child, days)
    }

    private mutating func copyParts(of id: UUID, to copy: UUID, _ days: Int, _ occurrence: UUID? = nil) {
        let occurrence = occurrence ?? copy
        for part in parts[id] ?? [] {
            guard var task = tasks[part]?.repeated(after: days) else { continue }
            let new = UUID(subtask: part, of: occurrence)
            (task.parent, task.dayOfRule, task.series) = (copy, nil, nil)
            if !isKnown(new) { insert(new, task) }
            copyParts(of: part, to: new, days, occurrence)
        }
    }

    private func isKnown(_ id: UUID) -> Bool { tasks[id] != nil || deleted.contains(id) }

    /// Whether a task is hidden on a day.
    func isHidden(_ task: Task, on today: Day) -> Bool {
        guard let wait = task.wait, !task.isCompleted else { return false }
        return wait > max(today, task.day ?? today)
    }
}

extension PeoplePack.Task {
    /// The task as it is in a later occurrence.
    fileprivate func repeated(after days: Int) -> Self {
        var task = self
        task.isCompleted = false
        task.day = day?.advanced(by: days)
        task.wait = wait?.advanced(by: days)
        return task
    }
}
