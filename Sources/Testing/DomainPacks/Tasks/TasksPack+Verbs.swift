import CivilTime
import FoundationEssentials
import Records
import Tasks

extension TasksPack {
    /// All verbs. Their order determines what the seed of a profile draws.
    static let verbs =
        ofBeginnings + ofPlanner + ofPeople + ofStates + ofDetails + ofOccurrences + ofLists + ofParts + ofCombined

    // MARK: New tasks

    private static let ofBeginnings: [TasksVerb] = [
        TasksVerb("create", [.days: .short(3)]) { model, draw in
            .create(Task(number: model.lastNumber + 1, day: draw.below(3) == 1 ? draw.today : nil))
        },
        TasksVerb("begin", [.recurrence: .short(3)]) { model, draw in
            guard let hour = draw.pick(hours), let rule = draw.pick(NaiveRule.all(today: draw.today)) else {
                return nil
            }
            let today = draw.today
            let day = draw.pick([today, nil, today.advanced(by: 1)]) ?? nil
            let number = model.lastNumber + 1
            var task = Task(number: number, due: number.isMultiple(of: 3) ? nil : .day(today))
            let start = day ?? task.anchor ?? rule.first(from: today)
            (task.day, task.rule, task.dayOfRule) = (task.due == nil ? start : day, rule, start)
            task.reminder = Reminder(today, hour: hour, in: draw.zone)
            // Refused for a rule that has no day from this one on.
            return .create(task, if: start.flatMap(rule.first(from:)) != nil) {
                $0.day = day
                $0.recurrence = try rule.parsed(today: today)
            }
        },
        TasksVerb("write", [.lists: .short(3)]) { model, draw in
            var task = Task(number: model.lastNumber + 1)
            task.list = draw.pick(model.listOrder + [nil]) ?? nil
            task.due = due(draw.below(6), at: draw.now, today: draw.today)
            task.words = [draw.below(vocabulary.count), draw.below(vocabulary.count)]
            task.category = draw.pick([0, nil, 1, 2, nil, 3]) ?? nil
            return .create(task)
        },
        TasksVerb("move", [.lists: .short]) { model, draw in
            guard let id = draw.pick(model.ids()), let task = model.tasks[id] else { return nil }
            let others = (model.listOrder.reversed() + [nil]).filter { $0 != task.list }
            guard let list = draw.pick(others) else { return nil }
            return DomainChange(id) {
                $0.list = list
            } tasks: {
                try $0.move(id, toList: list)
            }
        },
        // Other words, which are found from now on instead of the old ones.
        TasksVerb("edit", [.lists: .short]) { model, draw in
            guard let id = draw.pick(model.ids()), var task = model.tasks[id] else { return nil }
            let first = ((task.words.first ?? 0) + 1 + draw.below(vocabulary.count - 1)) % vocabulary.count
            task.words = [first] + task.words.dropFirst()
            return DomainChange(id) { [task] in
                $0.words = task.words
            } tasks: { [task] in
                try $0.edit(id) { $0.text = task.text }
            }
        },
    ]

    // MARK: The planner

    private static let ofPlanner: [TasksVerb] = [
        // Into a bucket that has room, or into none.
        TasksVerb("plan", [.planner: .short(2)]) { model, draw in
            var task = Task(number: model.lastNumber + 1, day: draw.today)
            (task.bucket, task.region) = bucket(&draw)
            if !model.hasRoom(in: task.slot) { task.bucket = .none }
            return .create(task)
        },
        // Refused where there is no room. A task of the Inbox is planned for today.
        TasksVerb("place", [.planner: .short(2)]) { model, draw in
            let (bucket, region) = bucket(&draw)
            let others = model.ids { !$0.isCompleted && ($0.region != region || $0.bucket != bucket) }
            guard let id = draw.pick(others), let day = model.tasks[id].map({ $0.day ?? draw.today }) else {
                return nil
            }
            return DomainChange(id, if: model.hasRoom(in: Slot(day: day, region: region, bucket: bucket))) {
                ($0.day, $0.region, $0.bucket) = (day, region, bucket)
            } tasks: {
                try $0.place(id, region: region, bucket: bucket)
            }
        },
        // A task of a file, on a past day, that asks for the same place as others of its kind.
        TasksVerb("late", [.planner: .short]) { model, draw in
            var task = Task(number: model.lastNumber + 1, day: draw.today.advanced(by: -1 - draw.below(3)))
            (task.region, task.bucket, task.autoCarry) = (.morning, .must, true)
            let (id, now) = (TaskAction.id(task.number), draw.now)
            return DomainChange { [task] in
                $0.insert(id, task)
            } tasks: { [task] in
                var item = TaskItem(id: id, text: task.text, createdAt: now)
                (item.region, item.bucket, item.autoCarry) = (task.region, task.bucket, true)
                // After all that the bucket and the list had, however often tasks were moved there.
                let place = Int64(task.number) << 40
                (item.scheduledDate, item.planOrder, item.listOrder) = (task.day, place, place)
                try $0.merge(ImportedTask(item))
            }
        },
        TasksVerb("rollover", [.planner: .short, .combined: .short(3)]) { model, draw in
            let (today, now) = (draw.today, draw.now)
            var after = model
            after.rollOver(to: today, at: now)
            guard after.tasks != model.tasks else { return nil }
            return DomainChange {
                $0.rollOver(to: today, at: now)
            } tasks: {
                _ = try $0.rollOver()
            }
        },
        TasksVerb("expire", [.planner: .short]) { model, draw in
            let now = draw.now
            let due = model.ids { task in task.expiresAt.map { $0 < now } ?? false }
            guard !due.isEmpty else { return nil }
            return DomainChange {
                for id in due { $0.change(id) { $0.isArchived = true } }
            } tasks: {
                _ = try $0.archiveExpired()
            }
        },
    ]

    private static func bucket(_ draw: inout DomainDraw) -> (TaskBucket, TaskRegion) {
        (buckets[draw.below(buckets.count)], regions[draw.below(regions.count)])
    }

    // MARK: States and days

    private static let ofStates: [TasksVerb] = [
        TasksVerb(
            "finish",
            [
                .days: .short(2, as: "complete"), .lists: .short, .planner: .short, .recurrence: .short(3),
                .people: .short(2), .combined: .short(4),
            ]
        ) { model, draw in
            let moment = draw.moment
            guard let id = draw.pick(model.ids { !$0.isCompleted }) else { return nil }
            return DomainChange {
                $0.finish(id, moment)
            } tasks: {
                try $0.setState(id, to: .completed)
            }
        },
        TasksVerb("reorder", [.days: .short]) { model, draw in
            let last = Set(model.days.values.compactMap { $0.count > 1 ? $0.last : nil })
            guard let id = draw.pick(model.ids().filter(last.contains)), let task = model.tasks[id] else { return nil }
            let day = task.day
            return DomainChange {
                $0.days[day] = [id] + ($0.days[day] ?? []).filter { $0 != id }
            } tasks: {
                try $0.reorder(id, to: .first)
            }
        },
        TasksVerb("schedule", [.days: .short]) { model, draw in
            // The same number chooses the day and the task.
            schedule(on: draw.today.advanced(by: 1 + draw.number % 3), model, &draw)
        },
        TasksVerb("delete", [.days: .short], isCombined: false, change: remove),
        // Three tasks of a file; every third one is already completed.
        TasksVerb("importing", [.days: .short], isCombined: false) { model, draw in
            let (now, day) = (draw.now, draw.today.advanced(by: -1 - draw.below(3)))
            let tasks = (1...3).map { offset in
                var task = Task(number: model.lastNumber + offset, day: day)
                if task.number % 3 == 0 { (task.state, task.completedAt) = (.completed, now) }
                return task
            }
            return DomainChange {
                for task in tasks { $0.insert(TaskAction.id(task.number), task) }
            } tasks: {
                for task in tasks {
                    var imported = ImportedTask(
                        id: TaskAction.id(task.number), text: task.text, state: task.state, createdAt: now,
                        updatedAt: now,
                        completedAt: task.completedAt, scheduledDate: day)
                    if task.isCompleted { imported.completedOffsetSeconds = 0 }
                    try $0.merge(imported)
                }
            }
        },
        TasksVerb("reopen", [.days: .long, .lists: .long]) { reopen(as: .active, $0, &$1) },
        TasksVerb("again", [.planner: .short, .recurrence: .short(2, as: "reopen")]) {
            reopen(as: .notStarted, $0, &$1)
        },
        TasksVerb("resume", [.people: .long(1, as: "reopen")]) { model, draw in
            reopen(as: .notStarted, model, &draw) { $0.dayOfRule == nil }
        },
        // A note that needs overflow pages.
        TasksVerb("large", [.days: .long]) { model, draw in
            let note = TaskAction.note(ofLength: 6000 + draw.number % 20_000)
            return .create(Task(number: model.lastNumber + 1, note: note))
        },
        // Forty tasks in one transaction.
        TasksVerb("bulk", [.days: .long], isCombined: false) { model, _ in
            let numbers = (model.lastNumber + 1)...(model.lastNumber + 40)
            return DomainChange {
                for number in numbers { $0.insert(TaskAction.id(number), Task(number: number)) }
            } transaction: {
                try TaskAction.bulk(numbers).perform($0)
            }
        },
        TasksVerb("stick", [.planner: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let isSticky = model.tasks[id]?.isSticky else { return nil }
            return DomainChange(id) {
                $0.isSticky = !isSticky
            } tasks: {
                try $0.setSticky(id, to: !isSticky)
            }
        },
        TasksVerb("perish", [.planner: .long]) { model, draw in
            var task = Task(number: model.lastNumber + 1, day: draw.today)
            (task.region, task.expiresAt) = (.evening, draw.now.advanced(bySeconds: -1))
            return .create(task)
        },
    ]

    /// Refused where the bucket has no room.
    private static func reopen(
        as state: TaskState, _ model: TasksPack, _ draw: inout DomainDraw, where fits: (Task) -> Bool = { _ in true }
    ) -> DomainChange<TasksPack>? {
        guard let id = draw.pick(model.ids { $0.isCompleted && fits($0) }), let task = model.tasks[id] else {
            return nil
        }
        return DomainChange(id, if: model.hasRoom(in: task.slot)) {
            ($0.state, $0.completedAt, $0.wasReopened) = (state, nil, true)
        } tasks: {
            try $0.setState(id, to: state)
        }
    }

    /// Refused where the bucket of an open task has no room on that day.
    static func schedule(on day: Day, _ model: TasksPack, _ draw: inout DomainDraw) -> DomainChange<TasksPack>? {
        guard let id = draw.pick(model.ids { $0.day != day }), var task = model.tasks[id] else { return nil }
        task.day = day
        return DomainChange(id, if: task.isCompleted || model.hasRoom(in: task.slot)) {
            $0.day = day
        } tasks: {
            try $0.schedule(id, on: .on(day))
        }
    }

    /// Also an archived one.
    static let remove: TasksVerb.Change = { model, draw in
        guard let id = draw.pick(model.all()) else { return nil }
        return DomainChange {
            $0.delete(id)
        } tasks: {
            try $0.delete(id)
        }
    }
}
