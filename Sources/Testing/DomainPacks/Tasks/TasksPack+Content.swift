import CivilTime
import FoundationEssentials
import Records
import Tasks

// A store that other devices change as well: no model of one history can follow it, so verbs draw from what the store has.
extension TasksPack {
    /// What a store has, as far as verbs draw from it.
    ///
    /// - Parameters:
    ///   - lastNumber: new tasks have higher numbers.
    ///   - limit: how many tasks are drawn from, the first by their ids.
    ///   - fits: what holds for each of them.
    package init(
        contentOf transaction: ReadTransaction, lastNumber: Int, limit: Int = .max,
        where fits: (TaskItem) -> Bool = { _ in true }
    ) throws {
        self.init()
        (sortsByID, self.lastNumber) = (true, lastNumber)
        let (reading, zone) = (transaction.tasks, transaction.context.zone)
        var items: [TaskItem] = []
        try reading.forEach { item, _ in if fits(item) { items.append(item) } }
        for item in items.prefix(limit) {
            tasks[item.id] = Task(item, in: zone)
            tasks[item.id]?.parent = nil
        }
        // Devices can close a circle together, in which the rules that draws ask for would never end.
        for item in items {
            var above = item.parentTaskID
            while let id = above, id != item.id { above = tasks[id]?.parent }
            if above == nil, let parent = item.parentTaskID, tasks[parent] != nil { tasks[item.id]?.parent = parent }
            for blocker in try reading.blockerIDs(of: item.id) where !waits(blocker, for: item.id) {
                tasks[item.id]?.blockers.insert(blocker)
            }
        }
        let shown = items.filter { $0.archivedAt == nil && tasks[$0.id] != nil }
        func inOrder<Key: Hashable>(_ place: (TaskItem) -> Int64, _ key: (TaskItem) -> Key?) -> [Key: [UUID]] {
            var orders: [Key: [UUID]] = [:]
            for item in shown.sorted(by: { (place($0), $0.id) < (place($1), $1.id) }) {
                if let key = key(item) { orders[key, default: []].append(item.id) }
            }
            return orders
        }
        days = inOrder(\.position) { .some($0.scheduledDate) }
        orders = inOrder(\.listOrder) { .some($0.listID) }
        plan = inOrder(\.planOrder) { tasks[$0.id]?.slot }
        parts = inOrder(\.subtaskOrder) { tasks[$0.id]?.parent }
        for list in try reading.lists().lists.map(\.list) {
            lists[list.id] = List(name: list.name, isRed: list.color != CustomList.defaultColor)
            listOrder.append(list.id)
        }
    }

    /// The verbs of some profiles, each as often as in the one that has it most often.
    package static func operations(of profiles: Set<TasksVerb.Profile>) -> [DomainOperation<TasksPack>] {
        verbs.compactMap { verb in
            verb.weight(in: profiles).map { DomainOperation(verb.name, weight: $0, change: verb.change) }
        }
    }
}

extension TasksPack.Task {
    /// The fields of a stored task, but for the tasks that it waits for. Every rule counts as a daily one.
    init(_ item: TaskItem, in zone: Zone) {
        // The text of the pack's tasks ends in their numbers.
        self.init(number: item.text.split(separator: " ").last.flatMap { Int($0) } ?? 0, day: item.scheduledDate)
        (state, completedAt, note) = (item.state, item.completedAt, item.notes)
        category = item.category.flatMap { TasksPack.categories.firstIndex(of: $0) }
        (list, due, isArchived) = (item.listID, item.due(in: zone), item.archivedAt != nil)
        (region, bucket, isSticky) = (item.region, item.bucket, item.isSticky)
        (autoCarry, expiresAt, carryCount) = (item.autoCarry, item.expiresAt, item.carryCount)
        rule = item.isRecurring ? NaiveRule(form: .daily) : nil
        (dayOfRule, series) = (item.occurrenceDay, item.parentRecurringID)
        tags = TasksPack.tags.indices.filter { item.tags.contains(TasksPack.tags[$0]) }
        (priority, wait, parent) = (item.priority, item.waitUntil, item.parentTaskID)
    }
}
