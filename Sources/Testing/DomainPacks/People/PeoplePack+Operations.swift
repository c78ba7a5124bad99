import CivilTime
import FoundationEssentials
import Records
import Tasks

extension PeoplePack {
    package static let operations: [DomainOperation<Self>] = ofTasks + ofParts

    /// Subtasks of the pack are at most so deep, so that only `knot` is refused.
    private static let depth = 4

    private static let ofTasks: [DomainOperation<Self>] = [
        // Below another task with two of three draws, and recurring where it is below none.
        DomainOperation("write", weight: 3) { model, draw in
            let number = model.lastNumber + 1
            let isPart = draw.below(3) > 0
            let parent = isPart ? draw.pick(model.ids { !$0.isCompleted }.filter { model.level($0) + 1 < depth }) : nil
            let day = draw.below(2) == 1 ? draw.today : nil
            let recurs = parent == nil && draw.below(3) < 2
            let wait = draw.below(3) == 1 ? draw.today.advanced(by: 1 + draw.below(3)) : nil
            let id = TaskAction.id(number)
            var task = Task(text: TaskAction.text(number), day: day, wait: wait, parent: parent)
            if recurs {
                task.day = day ?? draw.today
                task.dayOfRule = task.day
            } else if let parent, day == nil, let whole = model.tasks[parent]?.day, whole >= draw.today {
                task.day = whole
            }
            return DomainChange { [task] in
                $0.lastNumber = number
                $0.insert(id, task)
            } transaction: {
                var new = NewTask(TaskAction.text(number), on: day, id: id)
                (new.parent, new.waitUntil) = (parent, wait)
                new.recurrence = recurs ? try RecurrenceRule(phrase: "daily", today: $0.tasks.reading.currentDay) : nil
                try $0.tasks.create(new)
            }
        },
        // One of its tags, or not any more, in another spelling.
        DomainOperation("label") { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let tag = draw.below(tags.count)
            let spelling = tags[tag].uppercased()
            guard let place = task.tags.firstIndex(of: tag) else {
                return DomainChange({ $0.tasks[id]?.tags.append(tag) }) { try $0.tasks.tag(id, ["#" + tags[tag]]) }
            }
            return DomainChange({ $0.tasks[id]?.tags.remove(at: place) }) { try $0.tasks.untag(id, [spelling]) }
        },
        DomainOperation("rank", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            guard let priority = draw.pick(TaskPriority.allCases.filter { $0 != task.priority }) else { return nil }
            return DomainChange({ $0.tasks[id]?.priority = priority }) { try $0.tasks.setPriority(id, to: priority) }
        },
        // Until another day, or no longer.
        DomainOperation("hide", weight: 2) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let day = draw.today.advanced(by: draw.below(4))
            let wait = task.wait == day ? nil : day
            return DomainChange({ $0.tasks[id]?.wait = wait }) { try $0.tasks.wait(id, until: wait) }
        },
        // With all that is below it, and the next occurrence with its subtasks.
        DomainOperation("finish", weight: 2) { model, draw in
            guard let id = draw.pick(model.ids { !$0.isCompleted }) else { return nil }
            let today = draw.today
            return DomainChange({ $0.finish(id, today: today) }) { try $0.tasks.setState(id, to: .completed) }
        },
        DomainOperation("reopen", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids { $0.isCompleted && $0.dayOfRule == nil }) else { return nil }
            return DomainChange({ $0.tasks[id]?.isCompleted = false }) { try $0.tasks.setState(id, to: .notStarted) }
        },
        DomainOperation("remove") { model, draw in
            guard let id = draw.pick(model.ids()) else { return nil }
            return DomainChange({ $0.delete(id) }) { try $0.tasks.delete(id) }
        },
    ]

    private static let ofParts: [DomainOperation<Self>] = [
        DomainOperation("nest") { model, draw in
            guard let id = draw.pick(model.ids()) else { return nil }
            let own = Set(model.below(id) + [id])
            let parents = model.ids().filter { parent in
                !own.contains(parent) && model.tasks[id]?.parent != parent
                    && model.level(parent) + 1 + model.height(id) < depth
            }
            guard let parent = draw.pick(parents) else { return nil }
            return DomainChange({ $0.nest(id, under: parent) }) { try $0.tasks.move(id, under: parent) }
        },
        DomainOperation("lift", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids { $0.parent != nil }) else { return nil }
            return DomainChange({ $0.nest(id, under: nil) }) { try $0.tasks.move(id, under: nil) }
        },
        DomainOperation("arrange", isShort: false) { model, draw in
            let long = model.parts.filter { $0.value.count > 1 }.sorted { $0.key.lowercased < $1.key.lowercased }
            guard let (parent, order) = draw.pick(long), let id = draw.pick(Array(order.dropFirst())) else {
                return nil
            }
            let moved = [id] + order.filter { $0 != id }
            return DomainChange({ $0.parts[parent] = moved }) { try $0.tasks.reorder(id, inParentTo: .first) }
        },
        // A task below one of its own parts.
        DomainOperation("knot", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids().filter { !model.below($0).isEmpty }) else { return nil }
            let part = draw.pick(model.below(id)) ?? id
            return .refused { try $0.tasks.move(id, under: part) }
        },
    ]
}

// MARK: What is compared

extension PeoplePack {
    package var lines: [String] {
        let tagCounts = Self.tags.indices.compactMap { tag -> String? in
            let all = tasks.values.filter { $0.tags.contains(tag) }
            return all.isEmpty ? nil : Self.line(Self.tags[tag], open: all.count { !$0.isCompleted }, all: all.count)
        }
        let completions = tasks.values.count(where: \.isCompleted) + completionsOfDeleted
        return ids().compactMap { id in
            tasks[id].map { task in
                Self.line(id, task, tags: task.tags.map { Self.tags[$0] }, parts[id] ?? [])
            }
        } + tagCounts.sorted() + ["deleted: \(deleted.map(\.lowercased).sorted())", "completions: \(completions)"]
    }

    package func lines(at moment: DomainMoment) -> [String] {
        let hidden = tasks.filter { isHidden($0.value, on: moment.today) }
        let waiting = hidden.sorted { left, right in
            (left.value.wait ?? .first, left.key.lowercased) < (right.value.wait ?? .first, right.key.lowercased)
        }
        let inbox = ids { $0.day == nil && !isHidden($0, on: moment.today) }
        return lines + ["waiting: \(waiting.map(\.key.lowercased))", "inbox: \(inbox.map(\.lowercased))"]
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let reading = transaction.tasks
        var all: [TaskItem] = []
        try reading.forEach { task, _ in all.append(task) }
        var lines = try all.sorted { $0.id.lowercased < $1.id.lowercased }.map { item in
            let task = Task(
                text: item.text, day: item.scheduledDate, priority: item.priority, wait: item.waitUntil,
                parent: item.parentTaskID, dayOfRule: item.occurrenceDay, series: item.parentRecurringID,
                isCompleted: item.isCompleted)
            let parts = try reading.subtasks(of: item.id)
            let progress = try reading.subtaskProgress(of: item.id)
            guard progress?.ids ?? [] == parts.map(\.id), progress?.completed ?? 0 == parts.count(where: \.isCompleted)
            else { throw LookUpsDisagree() }
            return line(item.id, task, tags: item.tags, parts.map(\.id))
        }
        lines += try reading.tags().map { line($0.name, open: $0.open, all: $0.all) }.sorted()
        var deleted: [String] = []
        var completions = all.count(where: \.isCompleted)
        try reading.forEachTombstone { tombstone in
            deleted.append(tombstone.id.lowercased)
            if tombstone.completedAt != nil { completions += 1 }
        }
        lines += ["deleted: \(deleted.sorted())", "completions: \(completions)"]
        let inbox = try reading.inbox()
        guard try pages(of: .inbox, in: reading) == inbox else { throw LookUpsDisagree() }
        return try lines + [
            "waiting: \(reading.waiting().map(\.id.lowercased))", "inbox: \(inbox.map(\.id.lowercased).sorted())",
        ]
    }

    private static func pages(of view: TaskView, in reading: TaskReading) throws -> [TaskItem] {
        var found: [TaskItem] = []
        var token: PageToken?
        while true {
            let page = try reading.page(of: view, after: token, limit: 3)
            found += page.records
            guard let next = page.next else { return found }
            token = next
        }
    }

    private static func line(_ tag: String, open: Int, all: Int) -> String { "#\(tag): \(open) of \(all)" }

    private static func line(_ id: UUID, _ task: Task, tags: [String], _ parts: [UUID]) -> String {
        func words<Value>(_ name: String, _ value: Value?) -> String { value.map { ", \(name) \($0)" } ?? "" }
        return "\(id.lowercased) \(task.text)\(task.isCompleted ? " done" : "") \(tags) \(task.priority.name)"
            + words("on", task.day) + words("of", task.dayOfRule) + words("from", task.series?.lowercased)
            + words("hidden until", task.wait) + words("below", task.parent?.lowercased)
            + (parts.isEmpty ? "" : ", parts \(parts.map(\.lowercased))")
    }

    /// Two ways to the same tasks differ.
    struct LookUpsDisagree: Error, CustomStringConvertible {
        var description: String { "Two ways to look up the same tasks differ." }
    }
}
