import CivilTime
import FoundationEssentials
import Records
import Tasks

// What only the profile of everything has: the other ways of the planner and of the views.
extension TasksPack {
    static let ofCombined: [TasksVerb] = [
        // Refused where the bucket of a completed task has no room.
        TasksVerb("cycle", [.combined: .long(2)]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let moment = draw.moment
            let next: TaskState = task.isCompleted ? .notStarted : task.state == .active ? .completed : .active
            return DomainChange(if: !task.isCompleted || model.hasRoom(in: task.slot)) {
                if next == .completed { return $0.finish(id, moment) }
                $0.change(id) {
                    ($0.state, $0.completedAt, $0.wasReopened) = (next, nil, $0.wasReopened || task.isCompleted)
                }
            } tasks: {
                try $0.cycle(id)
            }
        },
        // In any region and bucket; what is not drawn stays. Refused where there is no room.
        TasksVerb("assign", [.combined: .long(3)]) { model, draw in
            let region = draw.pick([nil] + TaskRegion.ordered) ?? nil
            let bucket = draw.pick([nil] + TaskBucket.ordered) ?? nil
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            var changed = task
            (changed.region, changed.bucket) = (region ?? task.region, bucket ?? task.bucket)
            changed.day = task.day ?? draw.today
            guard changed != task else { return nil }
            let isFree = task.isCompleted || changed.slot == task.slot || model.hasRoom(in: changed.slot)
            return DomainChange(id, if: isFree) { [changed] in
                $0 = changed
            } tasks: {
                try $0.place(id, region: region, bucket: bucket)
            }
        },
        // Refused as a whole where a bucket of the other day has no room for one of them.
        TasksVerb("carry", [.combined: .long(2)]) { model, draw in
            let today = draw.today
            let past = model.ids { task in !task.isCompleted && task.day.map { $0 < today } ?? false }
            let day = draw.below(4) == 0 ? nil : today.advanced(by: draw.below(2))
            let ids = Array(past.dropFirst(draw.below(past.count)).prefix(3))
            guard !ids.isEmpty else { return nil }
            var after = model
            let hasRoom = ids.allSatisfy { id in
                after.change(id) { $0.day = nil }
                guard var task = after.tasks[id] else { return false }
                (task.day, task.carryCount) = (day, task.carryCount + 1)
                defer { after.change(id) { $0 = task } }
                return after.hasRoom(in: task.slot)
            }
            return DomainChange(if: hasRoom) { [after] in
                $0 = after
            } tasks: {
                try $0.carry(ids, to: day.map { .on($0) } ?? .inbox)
            }
        },
        // To the Inbox. Its place in the plan waits for another day.
        TasksVerb("dismiss", [.combined: .long]) { model, draw in
            guard let id = draw.pick(model.ids { $0.day != nil }) else { return nil }
            return DomainChange(id) {
                $0.day = nil
            } tasks: {
                try $0.schedule(id, on: .inbox)
            }
        },
        // Beside a task of another state it moves to the nearest end of its group.
        TasksVerb("insert", [.combined: .long(2)]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id], let order = model.days[task.day],
                let (place, other, beside) = move(id, in: order, &draw), let neighbor = model.tasks[other]
            else { return nil }
            var moved = beside
            if place != .first, neighbor.state != task.state {
                let others = moved.filter { $0 != id }
                moved = neighbor.state.rank < task.state.rank ? [id] + others : others + [id]
            }
            guard moved != order else { return nil }
            return DomainChange { [moved] in
                $0.days[task.day] = moved
            } tasks: {
                try $0.reorder(id, to: place)
            }
        },
        TasksVerb("promote", [.combined: .long(3)]) { model, draw in
            let placed = model.ids { task in task.slot.map { (model.plan[$0] ?? []).count > 1 } ?? false }
            guard let id = draw.pick(placed), let slot = model.tasks[id]?.slot,
                let order = model.plan[slot], let (place, _, moved) = move(id, in: order, &draw), moved != order
            else { return nil }
            return DomainChange {
                $0.plan[slot] = moved
            } tasks: {
                try $0.reorderInPlan(id, to: place)
            }
        },
        TasksVerb("allow", [.combined: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let carries = model.tasks[id]?.autoCarry else { return nil }
            return DomainChange(id) {
                $0.autoCarry = !carries
            } tasks: {
                try $0.setAutoCarry(id, to: !carries)
            }
        },
        TasksVerb("limit", [.combined: .long]) { model, draw in
            guard let id = draw.pick(model.ids { $0.rule == nil }), let task = model.tasks[id] else { return nil }
            let expiry = task.expiresAt == nil ? draw.now.advanced(bySeconds: 7200) : nil
            return DomainChange(id) {
                $0.expiresAt = expiry
            } tasks: {
                try $0.setExpiry(id, to: expiry)
            }
        },
        // Refused where the bucket has no room. An expiry that is over goes.
        TasksVerb("unarchive", [.combined: .long(2)]) { model, draw in
            let now = draw.now
            guard let id = draw.pick(model.all(where: \.isArchived)), let task = model.tasks[id] else { return nil }
            return DomainChange(id, if: task.isCompleted || model.hasRoom(in: task.slot)) {
                $0.isArchived = false
                if let expiry = $0.expiresAt, expiry < now { $0.expiresAt = nil }
            } tasks: {
                try $0.unarchive(id)
            }
        },
    ]

    /// Another place of a task in an order, the neighbor of that place, and the order then.
    static func move(
        _ id: UUID, in order: [UUID], _ draw: inout DomainDraw
    ) -> (place: TaskPlace, other: UUID, moved: [UUID])? {
        var rest = order.filter { $0 != id }
        guard let other = draw.pick(rest), let index = rest.firstIndex(of: other) else { return nil }
        let place: TaskPlace
        switch draw.below(3) {
        case 0:
            place = .first
            rest.insert(id, at: 0)
        case 1:
            place = .before(other)
            rest.insert(id, at: index)
        default:
            place = .after(other)
            rest.insert(id, at: index + 1)
        }
        return (place, other, rest)
    }
}
