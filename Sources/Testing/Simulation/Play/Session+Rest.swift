import Daybook

/// What is compared less often than the views: after every step of a written scenario, in rotation in a random one.
extension Session {
    func compareRest(_ openStore: OpenStore, at moment: ModelMoment) throws {
        let turn = story.events.count
        let looks = [
            compareMonth, comparePast, compareTombstones, compareStates, compareObserver, compareRemindersOfADay,
            compareTask,
        ]
        for (number, look) in looks.enumerated() where isThorough || turn % looks.count == number {
            try look(openStore, turn, moment)
        }
    }

    /// Compares this month and the one before, day by day.
    private func compareMonth(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        let months = [moment.today.monthOfYear, moment.today.monthOfYear.previous].compactMap { $0 }
        for month in months {
            let found = try openStore.daybook.tasks.statistics(of: month)
            let expected = model.state.completions(of: month, in: moment.zone)
            let days = (1...31).compactMap { Day(year: month.year, month: month.month, day: $0) }
            try expect(
                "the days of \(month)", days.map { "\($0): \(expected[$0, default: 0])" },
                found.days.map { "\($0.day): \($0.completed)" })
            let before = month.previous.map { model.state.completions(of: $0, in: moment.zone) } ?? [:]
            try expect(
                "the month before \(month)", "\(before.values.reduce(0, +))", "\(found.previousMonth)")
        }
    }

    /// Compares what can be carried over.
    private func comparePast(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        let past = model.state.tasks(in: .past, today: moment.today)
        let open = past.filter { $0.state != .completed }
        try compare("the open tasks of the past", open, try openStore.daybook.tasks.past(openOnly: true))
        let limit = 1 + turn % 3
        try compare(
            "the first open tasks of the past", Array(open.prefix(limit)),
            try openStore.daybook.tasks.past(openOnly: true, limit: limit))
        try compare(
            "the first tasks of the past", Array(past.prefix(limit)), try openStore.daybook.tasks.past(limit: limit))
    }

    private func compareTombstones(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        var found: [String: ModelTombstone] = [:]
        try openStore.daybook.tasks.read { reading in
            try reading.forEachTombstone { found[name(of: $0.id)] = ModelTombstone($0) }
        }
        func lines(_ tombstones: [String: ModelTombstone]) -> [String] {
            tombstones.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        }
        guard found != model.state.deleted else { return }
        throw StoryFailure(
            "the tombstones", expected: Self.list(lines(model.state.deleted)),
            found: Self.list(lines(found)))
    }

    private func compareStates(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        let counts = TaskState.allCases.map { state in model.state.tasks.values.count { $0.state == state } }
        try expect(
            "the number of tasks in each state", counts.map(String.init),
            try openStore.daybook.tasks.read { reading in try TaskState.allCases.map { "\(try reading.count(in: $0))" }
            })
    }

    /// Compares a view as seen from another zone.
    private func compareObserver(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        guard !openStore.observers.isEmpty else { return }
        let observer = openStore.observers[turn % openStore.observers.count]
        let view = TaskView.allCases[turn % TaskView.allCases.count]
        let zone = observer.context.zone
        let expected = model.state.tasks(in: view, today: zone.day(of: moment.wall))
        try compare(
            "\(view.rawValue) in \(zone)", expected, try observer.tasks.read { try $0.tasks(in: view) })
    }

    private func compareRemindersOfADay(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        let reminders = model.state.reminders
        guard !reminders.isEmpty else { return }
        let (first, last) = (reminders[turn % reminders.count].instant, reminders[turn / 2 % reminders.count].instant)
        let range = min(first, last)..<max(first, last)
        try compareReminders(
            "the reminders from \(range.lowerBound) to before \(range.upperBound)",
            try openStore.daybook.tasks.reminders(in: range), where: range.contains)
    }

    /// Compares one task with every query that can return it.
    private func compareTask(_ openStore: OpenStore, turn: Int, at moment: ModelMoment) throws {
        let names = model.state.tasks.keys.sorted()
        guard !names.isEmpty, let task = model.state.tasks[names[turn % names.count]] else { return }
        let id = id(of: task.name)
        try openStore.daybook.tasks.read { reading in
            let found = try reading.get(id)
            try compare("one task", [task], found.map { [$0] } ?? [])
            guard let found else { return }
            let place = model.state.places[task.day, default: []].firstIndex(of: task.name)
            try expect("the place of \(task.name)", "\(place ?? -1)", "\(try reading.sortOrder(of: found))")
            let view = TaskView.allCases.first { view in
                model.state.tasks(in: view, today: moment.today).contains { $0.name == task.name }
            }
            let foundView = reading.view(of: found)
            try expect("the view of \(task.name)", view?.rawValue ?? "none", foundView?.rawValue ?? "none")
            try compareSearch(String(id.lowercased.prefix(4 + turn % 33)), in: reading)
        }
    }

    private func compareSearch(_ text: String, in reading: TaskReading) throws {
        let candidates = model.state.tasks.keys.map { id(of: $0).lowercased }.filter { $0.hasPrefix(text) }.sorted()
        let found: [String]
        do {
            found = [try reading.find(text).id.lowercased]
        } catch TaskError.ambiguous(_, let candidates) {
            found = candidates
        }
        try expect("the tasks whose ids begin with \(text)", Array(candidates.prefix(10)), found)
    }

    // MARK: Export

    /// Imports the store's export into another store, which must then have the same content and the same export.
    func compareExport(of daybook: DaybookStore) async throws {
        let exported = try export(of: daybook)
        let copy = try DaybookStore.open(at: copyPath, context: daybook.context)
        defer { copy.close() }
        let file = try TaskReader.read(exported, format: .ndjson, zone: copy.context.zone)
        let report = try await copy.files.import(file)
        if !domainHasTasks {
            try expect(
                "the number of imported records", "\(model.state.tasks.count + model.state.deleted.count)",
                "\(report.imported)")
            let moment = moment
            for view in TaskView.allCases {
                try compare(
                    "\(view.rawValue) after an import", model.state.tasks(in: view, today: moment.today),
                    try copy.tasks.read { try $0.tasks(in: view) })
                try comparePlaces(try copy.tasks.read { try $0.tasks(in: view) })
            }
        }
        let text = String(decoding: exported, as: UTF8.self)
        try expect("the export of an import", text, String(decoding: try export(of: copy), as: UTF8.self))
        try expect("the number of records of a second import", "0", "\(try await copy.files.import(file).imported)")
        try expect("verify after an import", [], try copy.verify().problems)
    }

    /// Returns an export of every task and tombstone, for the digest.
    func export(of daybook: DaybookStore) throws -> [UInt8] {
        let content = Shared<[UInt8]>([])
        try daybook.files.export(as: .ndjson) { content.set(content.value + $0) }
        return content.value
    }
}
