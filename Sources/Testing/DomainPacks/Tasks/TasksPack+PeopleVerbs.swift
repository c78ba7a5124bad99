import CivilTime
import FoundationEssentials
import Records
import Tasks

// Tags, priorities, hidden tasks and subtasks.
extension TasksPack {
    /// Subtasks of the pack are at most so deep, so that only `knot` is refused.
    private static let depth = 4

    static let ofPeople: [TasksVerb] = [
        // Below another task with two of three draws, and recurring where it is below none.
        TasksVerb("add", [.people: .short(3, as: "write")]) { model, draw in
            let parents = draw.below(3) > 0 ? model.ids { !$0.isCompleted }.filter { model.level($0) + 1 < depth } : []
            let parent = draw.pick(parents)
            let day = draw.below(2) == 1 ? draw.today : nil
            let recurs = parent == nil && draw.below(3) < 2
            var task = Task(number: model.lastNumber + 1, day: day, parent: parent)
            task.wait = draw.below(3) == 1 ? draw.today.advanced(by: 1 + draw.below(3)) : nil
            if recurs {
                task.day = day ?? draw.today
                (task.rule, task.dayOfRule) = (NaiveRule(form: .daily), task.day)
            } else if let parent, day == nil, let whole = model.tasks[parent]?.day, whole >= draw.today {
                task.day = whole
            }
            return .create(task) { [task, today = draw.today] in
                ($0.day, $0.parent, $0.waitUntil) = (day, task.parent, task.wait)
                $0.recurrence = try task.rule?.parsed(today: today)
            }
        },
        // One of its tags, or not any more, in another spelling.
        TasksVerb("label", [.people: .short]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let tag = draw.below(tags.count)
            guard let place = task.tags.firstIndex(of: tag) else {
                return DomainChange(id) {
                    $0.tags.append(tag)
                } tasks: {
                    try $0.tag(id, ["#" + tags[tag]])
                }
            }
            return DomainChange(id) {
                $0.tags.remove(at: place)
            } tasks: {
                try $0.untag(id, [tags[tag].uppercased()])
            }
        },
        TasksVerb("rank", [.people: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id],
                let priority = draw.pick(TaskPriority.allCases.filter { $0 != task.priority })
            else { return nil }
            return DomainChange(id) {
                $0.priority = priority
            } tasks: {
                try $0.setPriority(id, to: priority)
            }
        },
        // Until another day, or no longer.
        TasksVerb("hide", [.people: .short(2)]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let day = draw.today.advanced(by: draw.below(4))
            let wait = task.wait == day ? nil : day
            return DomainChange(id) {
                $0.wait = wait
            } tasks: {
                try $0.wait(id, until: wait)
            }
        },
    ]

    static let ofParts: [TasksVerb] = [
        TasksVerb("nest", [.people: .short]) { model, draw in
            guard let id = draw.pick(model.ids()) else { return nil }
            let own = Set(model.below(id) + [id])
            let parents = model.ids().filter { parent in
                !own.contains(parent) && model.tasks[id]?.parent != parent
                    && model.level(parent) + 1 + model.height(id) < depth
            }
            guard let parent = draw.pick(parents) else { return nil }
            return DomainChange(id) {
                $0.parent = parent
            } tasks: {
                try $0.move(id, under: parent)
            }
        },
        TasksVerb("lift", [.people: .long]) { model, draw in
            guard let id = draw.pick(model.ids { $0.parent != nil }) else { return nil }
            return DomainChange(id) {
                $0.parent = nil
            } tasks: {
                try $0.move(id, under: nil)
            }
        },
        TasksVerb("advance", [.people: .long(1, as: "arrange")]) { model, draw in
            let long = model.parts.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            guard let (parent, order) = draw.pick(long), let id = draw.pick(Array(order.dropFirst())) else {
                return nil
            }
            return DomainChange {
                $0.parts[parent] = [id] + order.filter { $0 != id }
            } tasks: {
                try $0.reorder(id, inParentTo: .first)
            }
        },
        // A task below one of its subtasks.
        TasksVerb("knot", [.people: .long]) { model, draw in
            guard let id = draw.pick(model.ids().filter { !model.below($0).isEmpty }) else { return nil }
            let part = draw.pick(model.below(id)) ?? id
            return .refused { try $0.tasks.move(id, under: part) }
        },
    ]
}
