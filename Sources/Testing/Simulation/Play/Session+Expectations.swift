import Daybook
import DomainPacks

/// Evaluates a scenario's own expectations.
extension Session {
    func expect(_ expectations: [Expectation]) async throws {
        for expectation in expectations {
            let found: ScenarioValue
            do {
                found = try await find(expectation)
            } catch {
                throw StoryFailure(error, of: expectation.subject, line: expectation.line)
            }
            guard expectation.value.accepts(found) else {
                throw StoryFailure(
                    expectation.subject, expected: "\(expectation.value)", found: "\(found)", line: expectation.line)
            }
        }
    }

    private func find(_ expectation: Expectation) async throws -> ScenarioValue {
        let moment = moment
        switch expectation.subject {
        case "date": return .text("\(moment.today)")
        case "zone": return .text(moment.zone.identifier)
        case "clock": return .text("\(Moment(shownAt: moment.wall, in: moment.zone))")
        case "wake-ups":
            defer { wakesAsked = world.clock.wakeCount }
            return .number(world.clock.wakeCount - wakesAsked)
        default: break
        }
        guard let openStore else {
            throw StoryFailure(expectation.subject, expected: "an open store", found: "a closed one")
        }
        let tasks = openStore.daybook.tasks
        switch expectation.subject {
        case "inbox": return .texts(try tasks.inbox().map { name(of: $0.id) })
        case "today": return .texts(try tasks.today().map { name(of: $0.id) })
        case "past": return .texts(try tasks.past().map { name(of: $0.id) })
        case "upcoming":
            let days = try tasks.upcoming()
            let found = days.map { ScenarioValue.Entry("\($0.day)", .texts($0.tasks.map { name(of: $0.id) })) }
            return .complete(found, asFor: expectation.value)
        case "upcoming labels": return .texts(try tasks.upcoming().map(\.label))
        case "completed today": return .number(try tasks.today().completedCount)
        case "tasks": return .number(try tasks.read { try $0.count() })
        case "statistics": return Self.value(of: try tasks.statistics())
        case "statistics in": return try statistics(openStore, asFor: expectation.value)
        case "days of": return try days(tasks, asFor: expectation.value)
        case "task": return try details(tasks, asFor: expectation.value)
        case "gone": return try gone(tasks, asFor: expectation.value)
        case "reminders": return .texts(try tasks.dueReminders().map { name(of: $0.id) })
        case "notice": return tasks.undoNotice.map { .text($0.text) } ?? .none
        case "told": return viewSteps(asFor: expectation.value)
        case "changes":
            defer { unaskedChanges = [] }
            return .texts(unaskedChanges)
        default:
            if let find = vocabulary.subjects[expectation.subject] {
                return try await find(expectation.value, openStore.daybook)
            }
            guard let subject = TaskSubject.named(expectation.subject) else {
                throw StoryFailure(expectation.subject, expected: "a known subject", found: "an unknown one")
            }
            defer { reported[subject.name] = nil }
            return try subject.find(expectation.value, witness(of: tasks))
        }
    }

    private func witness(of tasks: TaskList) -> TaskWitness {
        TaskWitness(tasks: tasks, context: world.context, name: name, id: id, reported: reported)
    }

    private static func value(of statistics: CompletionStatistics) -> ScenarioValue {
        .named([
            "today": .number(statistics.today), "week": .number(statistics.week), "month": .number(statistics.month),
            "last month": .number(statistics.lastMonth), "trend": .text(statistics.trend.rawValue),
            "sentence": .text(statistics.sentence), "week start": .text("\(statistics.weekStart)"),
        ])
    }

    private func statistics(_ openStore: OpenStore, asFor expected: ScenarioValue) throws -> ScenarioValue {
        .map(
            try expected.entries.map { entry in
                let observer = try OpenStore.observer(from: entry.key, at: storePath, of: vocabulary.records, in: world)
                return .init(entry.key, Self.value(of: try observer.tasks.statistics()))
            })
    }

    private func days(_ tasks: TaskList, asFor expected: ScenarioValue) throws -> ScenarioValue {
        .map(
            try expected.entries.map { entry in
                let found = try tasks.statistics(of: try Month(entry.key))
                return .init(entry.key, .map(found.days.map { .init("\($0.day)", .number($0.completed)) }))
            })
    }

    private func details(_ tasks: TaskList, asFor expected: ScenarioValue) throws -> ScenarioValue {
        .map(
            try expected.entries.map { entry in
                let id = id(of: entry.key)
                guard let task = try tasks.get(id) else { return .init(entry.key, .none) }
                let details = try tasks.read { try witness(of: tasks).details(of: task, $0) }
                func text(_ value: (some CustomStringConvertible)?) -> ScenarioValue {
                    value.map { .text("\($0)") } ?? .none
                }
                let named = ScenarioValue.named([
                    "state": .text(task.state.name), "day": text(task.scheduledDate), "text": .text(task.text),
                    "created": text(task.createdAt), "updated": text(task.updatedAt),
                    "completed": text(task.completedAt), "completed in": text(task.completedZone),
                    "reminder": text(task.reminderAt), "carried from": text(task.carriedFromDay),
                ])
                return .init(entry.key, .map(named.entries + details))
            })
    }

    private func gone(_ tasks: TaskList, asFor expected: ScenarioValue) throws -> ScenarioValue {
        guard case .list(let names) = expected else { return .none }
        return .list(try names.filter { try tasks.get(id(of: $0.description)) == nil })
    }

    private func viewSteps(asFor expected: ScenarioValue) -> ScenarioValue {
        .map(
            expected.entries.map { entry in
                let view = TaskView(rawValue: entry.key)
                return .init(entry.key, .texts(view.flatMap { unaskedViewSteps.removeValue(forKey: $0) } ?? []))
            })
    }
}

/// The application's own verbs.
extension Session {
    /// Performs a verb. Returns the code of the refusal.
    func perform(_ verb: String, _ value: ScenarioValue) async throws -> String? {
        let openStore = try requireOpenStore(for: verb)
        if let pack = vocabulary.pack, pack.operationNames.contains(verb) {
            return try await perform(verb, of: pack, value, in: openStore)
        }
        guard let perform = vocabulary.verbs[verb] else {
            throw StoryFailure(verb, expected: "a verb of the vocabulary", found: "none of this name")
        }
        let found: String?
        do {
            found = try await refusal { try await perform(value, openStore.daybook) }
        } catch {
            throw StoryFailure(error, of: verb)
        }
        await world.settle()
        if !isBeyondModel { try await followChanges(by: verb, openStore) }
        return found
    }

    /// The model ignores what a verb does to the application's records, except for its place in the change log. Once a
    /// verb changes tasks, the model no longer applies.
    ///
    /// - Parameter records: the records of the domain after it.
    func followChanges(
        by verb: String, _ openStore: OpenStore, records: (any DomainPack)? = nil
    ) async throws {
        let count = Int(try openStore.daybook.read { try $0.lastSequence() }) - model.sequence
        let hasCaughtUp = await world.executor.settle { [feed = openStore.feed] in feed.count >= count }
        guard hasCaughtUp else {
            throw StoryFailure(
                "the change feed", expected: "\(count) changes by \(verb)", found: "\(openStore.feed.count)")
        }
        let changes = openStore.feed.waiting
        let ofTasks: [String?] = [TaskItem.collection.name, Tombstone.collection.name]
        let touchesTasks = changes.contains { change in
            change.isUndoOrRedo || change.entries.isEmpty || change.entries.contains { ofTasks.contains($0.collection) }
        }
        if touchesTasks {
            isBeyondModel = true
        } else {
            for change in changes {
                let operation = TaskOperation(rawValue: change.label.operation) ?? .several
                expectedChanges.append(model.noteRecords(operation, records: records, at: moment))
            }
        }
    }
}
