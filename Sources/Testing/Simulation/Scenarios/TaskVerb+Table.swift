import Daybook

extension TaskVerb {
    /// All verbs.
    static let table = lists + dates + planner + recurrence + links

    /// Starts delivering reminders in this process for as long as the scenario runs. In another process, it delivers once.
    static let deliverReminders = "deliver reminders"
    /// Creates a task from a text with phrases at its end.
    static let quickAdd = "quick add"
    /// Makes a task recur: from then on a step may name its occurrences.
    static let makeRecurring = "repeat"

    private static let lists: [TaskVerb] = [
        TaskVerb("add list", .newList, optionally: ["color": .text], as: .createList) { words, tasks in
            try tasks.createList(try words.text(), color: words.optionalText("color"))
        },
        TaskVerb("rename list", .list, ["to": .newList], as: .editList) { words, tasks in
            try tasks.renameList(words.requiredList(in: tasks), to: words.text("to"))
        },
        TaskVerb("color list", .list, ["as": .text], as: .editList) { words, tasks in
            try tasks.colorList(words.requiredList(in: tasks), words.text("as"))
        },
        TaskVerb("reorder list", .list, as: .reorderList) { words, tasks in
            let place = try words.place { try tasks.reading.findList($0).id }
            try tasks.reorderList(words.requiredList(in: tasks), to: place)
        }.withPlace(.list),
        TaskVerb("delete list", .list, as: .deleteList) { words, tasks in
            _ = try tasks.deleteList(words.requiredList(in: tasks))
        },
        TaskVerb("move", .taskName, ["to": .list], as: .move) { words, tasks in
            try tasks.move(words.task(), toList: words.list("to", in: tasks))
        },
        TaskVerb("reorder in list", .taskName, as: .reorder) { words, tasks in
            try tasks.reorder(words.task(), inListTo: words.place { words.id($0) })
        }.withPlace(.taskName),
    ]

    private static let dates: [TaskVerb] = [
        TaskVerb("due", .taskName, ["at": .phrase], as: .due) { words, tasks in
            try tasks.due(words.task(), words.moment("at").map { TaskDue($0) })
        },
        TaskVerb("notifications", .one(of: ["granted", "denied"]), as: .several) { words, tasks in
            let permission: TaskSettings.NotificationPermission = try words.text() == "denied" ? .denied : .granted
            try tasks.changeSettings { $0.notificationPermission = permission }
        },
        TaskVerb(
            deliverReminders, as: .several,
            reporting: { words, tasks in
                let due = try tasks.reading.undelivered(at: words.context.clock.wall).due
                return ["delivered": try due.filter { try tasks.claim($0) }.map(\.task.id)]
            }),
        TaskVerb(quickAdd, .newTask, as: .create) { words, tasks in
            let found = QuickAdd(parsing: try words.text(), in: words.context)
            var new = NewTask(found.text, on: found.day)
            new.due = found.due.map { TaskDue($0) }
            new.reminder = found.reminder.flatMap { TaskReminder($0) }
            (new.category, new.region, new.bucket) = (found.category, found.region, found.bucket)
            new.recurrence = found.rule?.anchored(at: new.anchor(in: words.context.zone) ?? words.context.today)
            try tasks.create(new)
        },
    ]

    private static let planner: [TaskVerb] = [
        TaskVerb("place", .taskName, optionally: ["region": regions, "bucket": buckets], as: .place) { words, tasks in
            try tasks.place(
                words.task(), region: words.optionalText("region").flatMap { TaskRegion(name: $0) },
                bucket: words.optionalText("bucket").flatMap { TaskBucket(name: $0) })
        },
        TaskVerb("reorder in plan", .taskName, as: .reorder) { words, tasks in
            try tasks.reorderInPlan(words.task(), to: words.place { words.id($0) })
        }.withPlace(.taskName),
        TaskVerb("sticky", .taskName, optionally: ["off": .yes], as: .setSticky) { words, tasks in
            try tasks.setSticky(words.task(), to: words.isOn)
        },
        TaskVerb("auto-carry", .taskName, optionally: ["off": .yes], as: .setAutoCarry) { words, tasks in
            try tasks.setAutoCarry(words.task(), to: words.isOn)
        },
        TaskVerb("expires", .taskName, ["at": .phrase], as: .setExpiry) { words, tasks in
            try tasks.setExpiry(words.task(), to: words.instant("at"))
        },
        TaskVerb(
            "rollover", as: .rollover,
            reporting: { _, tasks in
                let rollover = try tasks.rollOver()
                return ["carried": rollover.carried.map(\.id), "unassigned": rollover.unassigned]
            }),
        TaskVerb("expire", as: .expire, reporting: { _, tasks in ["archived": try tasks.archiveExpired().map(\.id)] }),
        TaskVerb("unarchive", .taskName, as: .unarchive) { words, tasks in try tasks.unarchive(words.task()) },
    ]

    private static let recurrence: [TaskVerb] = [
        TaskVerb(makeRecurring, .taskName, ["by": .rule], as: .setRecurrence) { words, tasks in
            let text = try words.text("by")
            let id = try words.task()
            let day = try tasks.get(id).anchor(in: words.context.zone)
            let rule = text == WordKind.never ? nil : try RecurrenceRule(parsing: text, from: day, in: words.context)
            try tasks.repeat(id, by: rule)
        },
        TaskVerb("skip", .taskName, as: .skip) { words, tasks in try tasks.skip(words.task()) },
    ]

    private static let links: [TaskVerb] = [
        TaskVerb("categorize", .taskName, ["as": .text], as: .edit) { words, tasks in
            let category = try words.text("as")
            try tasks.edit(words.task()) { $0.category = category == "none" ? nil : category }
        },
        TaskVerb("annotate", .taskName, ["with": .text], as: .edit) { words, tasks in
            let note = try words.text("with")
            try tasks.edit(words.task()) { $0.notes = note }
        },
        TaskVerb("block", .taskName, ["by": .taskName], as: .block) { words, tasks in
            try tasks.block(words.task(), by: words.task("by"))
        },
        TaskVerb("unblock", .taskName, ["by": .taskName], as: .block) { words, tasks in
            try tasks.unblock(words.task(), by: words.task("by"))
        },
    ]

    static let regions = WordKind.one(of: ["morning", "afternoon", "evening", "backlog"])
    static let buckets = WordKind.one(of: ["must", "complementary", "misc", "none"])
}
