import CivilTime
import FoundationEssentials
import Records
import Tasks

extension ListPack {
    package static let operations: [DomainOperation<Self>] = ofTasks + ofLists + ofLinks

    // MARK: Tasks

    private static let ofTasks: [DomainOperation<Self>] = [
        DomainOperation("write", weight: 3) { model, draw in
            let list = draw.pick(model.listOrder + [nil]) ?? nil
            let due = due(draw.below(6), at: draw.now, today: draw.today)
            let words = [draw.below(vocabulary.count), draw.below(vocabulary.count)]
            let category = draw.pick([0, nil, 1, 2, nil, 3]) ?? nil
            let (number, task) = (
                model.lastNumber + 1, Task(list: list, words: words, category: category, due: due)
            )
            return DomainChange {
                $0.insert(number, task)
            } transaction: {
                var new = NewTask(text(words, number), id: id(number))
                (new.list, new.due) = (list.map(id), due)
                new.category = category.map { categories[$0] }
                try $0.tasks.create(new)
            }
        },
        DomainOperation("move") { model, draw in
            guard let number = draw.pick(model.numbers()), let task = model.tasks[number] else { return nil }
            let others = (model.listOrder.reversed() + [nil]).filter { $0 != task.list }
            guard let list = draw.pick(others) else { return nil }
            return DomainChange {
                $0.leaveList(number)
                $0.tasks[number]?.list = list
                $0.orders[list, default: []].append(number)
            } transaction: {
                try $0.tasks.move(id(number), toList: list.map(id))
            }
        },
        // Other words, which are found from now on instead of the old ones.
        DomainOperation("edit") { model, draw in
            guard let number = draw.pick(model.numbers()), let task = model.tasks[number] else { return nil }
            let first = ((task.words.first ?? 0) + 1 + draw.below(vocabulary.count - 1)) % vocabulary.count
            let words = [first] + task.words.dropFirst()
            return DomainChange({ $0.tasks[number]?.words = words }) {
                try $0.tasks.edit(id(number)) { $0.text = text(words, number) }
            }
        },
        DomainOperation("finish") { model, draw in
            guard let number = draw.pick(model.numbers { !$0.isCompleted }) else { return nil }
            return DomainChange({ $0.tasks[number]?.isCompleted = true }) {
                try $0.tasks.setState(id(number), to: .completed)
            }
        },
        DomainOperation("reopen", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers(where: \.isCompleted)) else { return nil }
            return DomainChange({ $0.tasks[number]?.isCompleted = false }) {
                try $0.tasks.setState(id(number), to: .active)
            }
        },
        DomainOperation("annotate", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers()), let task = model.tasks[number] else { return nil }
            let note = task.note == nil ? draw.below(vocabulary.count) : nil
            return DomainChange({ $0.tasks[number]?.note = note }) {
                try $0.tasks.edit(id(number)) { $0.notes = note.map { vocabulary[$0].0 } }
            }
        },
        DomainOperation("sort", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers()), let task = model.tasks[number] else { return nil }
            let others = ([nil] + Array(categories.indices)).filter { $0 != task.category }
            guard let category = draw.pick(others) else { return nil }
            return DomainChange({ $0.tasks[number]?.category = category }) {
                try $0.tasks.edit(id(number)) { $0.category = category.map { categories[$0] } }
            }
        },
        DomainOperation("expect", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers()), let task = model.tasks[number] else { return nil }
            let due = due(draw.below(6), at: draw.now, today: draw.today)
            guard due != task.due else { return nil }
            return DomainChange({ $0.tasks[number]?.due = due }) { try $0.tasks.due(id(number), due) }
        },
        // Into the archive, or out of it to the end of its list.
        DomainOperation("shelve", isShort: false) { model, draw in
            guard let number = draw.pick(model.tasks.keys.sorted()), let task = model.tasks[number] else { return nil }
            let moment = task.isArchived ? nil : draw.now
            return DomainChange {
                if !task.isArchived { $0.leaveList(number) }
                $0.tasks[number]?.isArchived = !task.isArchived
                if task.isArchived { $0.orders[task.list, default: []].append(number) }
            } transaction: {
                try $0.tasks.edit(id(number)) { $0.archivedAt = moment }
            }
        },
        DomainOperation("remove", isShort: false) { model, draw in
            guard let number = draw.pick(model.tasks.keys.sorted()) else { return nil }
            return DomainChange({ $0.delete(number) }) { try $0.tasks.delete(id(number)) }
        },
        DomainOperation("arrange", isShort: false) { model, draw in
            let long = model.orders.filter { $0.value.count > 1 }.sorted { ($0.key ?? 0) < ($1.key ?? 0) }
            guard let (list, order) = draw.pick(long), let number = draw.pick(order),
                let other = draw.pick(order.filter { $0 != number })
            else { return nil }
            var rest = order.filter { $0 != number }
            let place: TaskPlace
            switch draw.below(3) {
            case 0: (place, rest) = (.first, [number] + rest)
            case 1:
                place = .before(id(other))
                rest.insert(number, at: rest.firstIndex(of: other) ?? 0)
            default:
                place = .after(id(other))
                rest.insert(number, at: (rest.firstIndex(of: other) ?? 0) + 1)
            }
            guard rest != order else { return nil }
            return DomainChange { [rest] in
                $0.orders[list] = rest
            } transaction: {
                try $0.tasks.reorder(id(number), inListTo: place)
            }
        },
    ]

    // MARK: Lists

    private static let ofLists: [DomainOperation<Self>] = [
        // With its tasks, also archived ones. Their completions stay.
        DomainOperation("drop") { model, draw in
            guard let list = draw.pick(model.listOrder) else { return nil }
            return DomainChange {
                for (number, task) in $0.tasks where task.list == list { $0.delete(number) }
                $0.lists[list] = nil
                $0.listOrder.removeAll { $0 == list }
            } transaction: {
                try $0.tasks.deleteList(id(list))
            }
        },
        DomainOperation("name", isShort: false) { model, _ in
            let number = model.lastNumber + 1
            let list = List(name: "List \(number)")
            return DomainChange {
                $0.lastNumber = number
                $0.lists[number] = list
                $0.listOrder.append(number)
            } transaction: {
                try $0.tasks.createList(list.name, id: id(number))
            }
        },
        DomainOperation("rename", isShort: false) { model, draw in
            guard let list = draw.pick(model.listOrder), let old = model.lists[list]?.name else { return nil }
            // In other letters, which is another name.
            let name = old == old.uppercased() ? "List \(list)" : old.uppercased()
            return DomainChange({ $0.lists[list]?.name = name }) { try $0.tasks.renameList(id(list), to: name) }
        },
        DomainOperation("paint", isShort: false) { model, draw in
            guard let list = draw.pick(model.listOrder), let isRed = model.lists[list]?.isRed else { return nil }
            return DomainChange({ $0.lists[list]?.isRed = !isRed }) {
                try $0.tasks.colorList(id(list), isRed ? CustomList.defaultColor : "#ff0000")
            }
        },
        DomainOperation("shift", isShort: false) { model, draw in
            guard let list = draw.pick(Array(model.listOrder.dropFirst())) else { return nil }
            return DomainChange {
                $0.listOrder = [list] + $0.listOrder.filter { $0 != list }
            } transaction: {
                try $0.tasks.reorderList(id(list), to: .first)
            }
        },
        // A name that another list has.
        DomainOperation("duplicate", isShort: false) { model, draw in
            guard let list = draw.pick(model.listOrder), let name = model.lists[list]?.name else { return nil }
            let number = model.lastNumber + 1
            return .refused { try $0.tasks.createList(name, id: id(number)) }
        },
        // Into a list that is gone.
        DomainOperation("stray", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers()) else { return nil }
            let gone = model.lastNumber + 1
            return .refused { try $0.tasks.move(id(number), toList: id(gone)) }
        },
    ]

    // MARK: Dependencies

    private static let ofLinks: [DomainOperation<Self>] = [
        // Refused where it would close a circle.
        DomainOperation("link", weight: 2) { model, draw in
            let numbers = model.numbers()
            let pairs = numbers.reversed().flatMap { number in
                numbers.filter { model.tasks[number]?.blockers.contains($0) == false }.map { (number, $0) }
            }
            guard let (number, blocker) = draw.pick(pairs) else { return nil }
            let link = { @Sendable (transaction: WriteTransaction) throws -> Void in
                try transaction.tasks.block(id(number), by: id(blocker))
            }
            if model.waits(blocker, for: number) { return .refused(transaction: link) }
            return DomainChange({ $0.tasks[number]?.blockers.insert(blocker) }, transaction: link)
        },
        DomainOperation("unlink", isShort: false) { model, draw in
            guard let number = draw.pick(model.numbers { !$0.blockers.isEmpty }),
                let blocker = draw.pick(model.tasks[number]?.blockers.sorted() ?? [])
            else { return nil }
            return DomainChange({ $0.tasks[number]?.blockers.remove(blocker) }) {
                try $0.tasks.unblock(id(number), by: id(blocker))
            }
        },
    ]
}
