import CivilTime
import Daybook
import FoundationEssentials
import Records
import Tasks

extension TasksPack {
    // MARK: Details

    static let ofDetails: [TasksVerb] = [
        TasksVerb("annotate", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let note = task.note == nil ? vocabulary[draw.below(vocabulary.count)].written : nil
            return DomainChange(id) {
                $0.note = note
            } tasks: {
                try $0.edit(id) { $0.notes = note }
            }
        },
        TasksVerb("sort", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let others = ([nil] + Array(categories.indices)).filter { $0 != task.category }
            guard let category = draw.pick(others) else { return nil }
            return DomainChange(id) {
                $0.category = category
            } tasks: {
                try $0.edit(id) { $0.category = category.map { categories[$0] } }
            }
        },
        // A task that recurs is due on days only.
        TasksVerb("expect", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let due = due(draw.below(6), at: draw.now, today: draw.today)
            guard due != task.due, task.rule == nil || !(due?.isInstant ?? false) else { return nil }
            return DomainChange(id) {
                $0.due = due
            } tasks: {
                try $0.due(id, due)
            }
        },
        // Into the archive, or out of it to the end of its day, its list and its bucket, if that has room.
        TasksVerb("shelve", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.all()), let task = model.tasks[id] else { return nil }
            let moment = task.isArchived ? nil : draw.now
            let isAllowed = moment != nil || task.isCompleted || model.hasRoom(in: task.slot)
            return DomainChange(id, if: isAllowed) {
                $0.isArchived = !task.isArchived
            } tasks: {
                try $0.edit(id) { $0.archivedAt = moment }
            }
        },
        TasksVerb("remove", [.lists: .long, .recurrence: .long, .people: .short], change: remove),
    ]

    // MARK: Lists and dependencies

    static let ofLists: [TasksVerb] = [
        TasksVerb("arrange", [.lists: .long]) { model, draw in
            let long = model.orders.filter { $0.value.count > 1 }
                .sorted { ($0.key.map(TaskAction.number) ?? 0) < ($1.key.map(TaskAction.number) ?? 0) }
            guard let (list, order) = draw.pick(long), let id = draw.pick(order),
                let (place, _, moved) = move(id, in: order, &draw), moved != order
            else { return nil }
            return DomainChange {
                $0.orders[list] = moved
            } tasks: {
                try $0.reorder(id, inListTo: place)
            }
        },
        // With its tasks, also archived ones. Their completions stay.
        TasksVerb("drop", [.lists: .short, .combined: .short]) { model, draw in
            guard let list = draw.pick(model.listOrder) else { return nil }
            return DomainChange {
                for id in $0.all(where: { $0.list == list }) { $0.delete(id) }
                $0.lists[list] = nil
                $0.listOrder.removeAll { $0 == list }
            } tasks: {
                try $0.deleteList(list)
            }
        },
        TasksVerb("name", [.lists: .long]) { model, _ in
            let number = model.lastNumber + 1
            let (id, list) = (TaskAction.id(number), List(name: "List \(number)"))
            return DomainChange {
                $0.lastNumber = number
                $0.lists[id] = list
                $0.listOrder.append(id)
            } tasks: {
                try $0.createList(list.name, id: id)
            }
        },
        TasksVerb("rename", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.listOrder), let old = model.lists[id]?.name else { return nil }
            // In other letters, which is another name.
            let name = old == old.uppercased() ? "List \(TaskAction.number(of: id))" : old.uppercased()
            return DomainChange {
                $0.lists[id]?.name = name
            } tasks: {
                try $0.renameList(id, to: name)
            }
        },
        TasksVerb("paint", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.listOrder), let isRed = model.lists[id]?.isRed else { return nil }
            return DomainChange {
                $0.lists[id]?.isRed = !isRed
            } tasks: {
                try $0.colorList(id, isRed ? CustomList.defaultColor : "#ff0000")
            }
        },
        TasksVerb("raise", [.lists: .long(1, as: "shift")]) { model, draw in
            guard let id = draw.pick(Array(model.listOrder.dropFirst())) else { return nil }
            return DomainChange {
                $0.listOrder = [id] + $0.listOrder.filter { $0 != id }
            } tasks: {
                try $0.reorderList(id, to: .first)
            }
        },
        // A name that another list has.
        TasksVerb("duplicate", [.lists: .long]) { model, draw in
            guard let list = draw.pick(model.listOrder), let name = model.lists[list]?.name else { return nil }
            let id = TaskAction.id(model.lastNumber + 1)
            return .refused { try $0.tasks.createList(name, id: id) }
        },
        // Into a list that is gone.
        TasksVerb("stray", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.ids()) else { return nil }
            let gone = TaskAction.id(model.lastNumber + 1)
            return .refused { try $0.tasks.move(id, toList: gone) }
        },
        // Refused where it would close a circle.
        TasksVerb("link", [.lists: .short(2)]) { model, draw in
            let ids = model.ids()
            let pairs = ids.reversed().flatMap { id in
                ids.filter { model.tasks[id]?.blockers.contains($0) == false }.map { (id, $0) }
            }
            guard let (id, blocker) = draw.pick(pairs) else { return nil }
            return DomainChange(id, if: !model.waits(blocker, for: id)) {
                $0.blockers.insert(blocker)
            } tasks: {
                try $0.block(id, by: blocker)
            }
        },
        TasksVerb("unlink", [.lists: .long]) { model, draw in
            guard let id = draw.pick(model.ids { !$0.blockers.isEmpty }),
                let blocker = draw.pick(inOrder(model.tasks[id]?.blockers ?? []))
            else { return nil }
            return DomainChange(id) {
                $0.blockers.remove(blocker)
            } tasks: {
                try $0.unblock(id, by: blocker)
            }
        },
    ]
}
