import Daybook

/// Performs steps. Each function returns a description of the outcome.
extension Session {
    func play(_ step: Step) async throws -> String {
        switch step.action {
        case .expect(let expectations):
            try await expect(expectations)
            return "as expected"
        case .advance, .advanceTo, .jump, .jumpTo, .travel, .sleep, .wake:
            try await pass(step.action)
            return "done"
        case .close:
            _ = try requireOpenStore(for: "close")
            await closeStore()
            model.forgetNotice()
            return "done"
        case .open:
            guard openStore == nil else {
                throw StoryFailure("what can be", expected: "a closed store to open", found: "an open one")
            }
            try await open()
            return "done"
        case .crash(let crash, let action, let choice):
            return try await self.crash(crash, during: action, choice: choice)
        case .fault(let fault, let writes):
            guard machine.canFail else { throw SimulationError.machineCannot("a fault") }
            machine.setFault(writes == 0 ? nil : fault, writes: writes)
            faultsBefore = machine.faultsHit
            return "done"
        case .elsewhere(let action):
            return try await checkingRefusal(step) { try await elsewhere(action) }
        default:
            return try await checkingRefusal(step) { try await operate(step.action) }
        }
    }

    /// Returns the open store. Throws a failure if it is closed or the machine sleeps.
    func requireOpenStore(for what: String) throws -> OpenStore {
        guard let openStore else {
            throw StoryFailure("what can be", expected: "an open store for \(what)", found: "a closed one")
        }
        guard !world.isAsleep else {
            throw StoryFailure(
                "what can be", expected: "a machine that is awake for \(what)", found: "one that is asleep")
        }
        return openStore
    }

    /// Checks that the step was refused if and only if it says so.
    private func checkingRefusal(_ step: Step, _ work: () async throws -> String?) async throws -> String {
        hadNothingToDo = false
        let refusal = try await work()
        if !isDrawn, refusal != step.refusal {
            throw StoryFailure(
                "the step", expected: step.refusal.map { "refused: \($0)" } ?? "no refusal",
                found: refusal.map { "refused: \($0)" } ?? "no refusal")
        }
        if let refusal { return "refused: \(refusal)" }
        return hadNothingToDo ? "nothing to do" : "done"
    }

    // MARK: Time

    private func pass(_ action: Action) async throws {
        let now = moment
        switch action {
        case .advance(let duration): await world.advance(by: duration)
        case .advanceTo(let target):
            let instant = target.instant(after: now.wall, in: now.zone)
            guard instant > now.wall else {
                throw StoryFailure("advance to \(target)", expected: "a moment to come", found: "it is \(now.wall)")
            }
            await world.advance(by: .microseconds(instant.microseconds(since: now.wall)))
        case .jump(let duration, let monotonic):
            await world.jump(
                to: now.wall.advanced(byMicroseconds: duration.wholeMicroseconds),
                monotonicBy: monotonic ? duration : .zero)
        case .jumpTo(let target):
            await world.jump(to: target.instant(after: now.wall, in: now.zone))
        case .travel(let zone): try await world.travel(to: zone)
        case .sleep: world.sleep()
        case .wake: await world.wake()
        default: break
        }
    }

    // MARK: Operations

    /// Performs an operation on the store and the model. Returns the code of the refusal, on which both must agree.
    func operate(_ action: Action) async throws -> String? {
        if case .custom(let verb, let value) = action { return try await perform(verb, value) }
        let openStore = try requireOpenStore(for: "the step")
        if action.hasTaskVerb { return try await performVerbs(action, openStore) }
        let before = moment
        let action = try action.resolved(at: before)
        var answer = Answer()
        let found = try await refusal { answer = try await perform(action, on: openStore.daybook.tasks) }
        await world.settle()
        if try checkFault(found, since: before) { return found }
        let refusal = try follow(action, asked: before, found: found)
        try compare(answer, of: action, in: openStore.daybook.tasks)
        return refusal
    }

    /// Performs an operation on the model and compares the refusals.
    func follow(
        _ action: Action, asked: ModelMoment, found: String?, isElsewhere: Bool = false
    ) throws -> String? {
        if isBeyondModel {
            // What an undo takes back is not known.
            if action == .undo || action == .redo || action == .undoNotice { model.records = nil }
            return found
        }
        var expected: String?
        do {
            if let change = try model.perform(action, at: moment, asked: asked, isElsewhere: isElsewhere) {
                expectedChanges.append(change)
            }
        } catch let refusal as ModelRefusal {
            expected = refusal.code
        }
        guard found == expected else {
            throw StoryFailure(
                "the step", expected: expected.map { "refused: \($0)" } ?? "no refusal",
                found: found.map { "refused: \($0)" } ?? "no refusal")
        }
        return found
    }

    /// Returns the code of a thrown error; one without a code is an error of the run.
    func refusal(_ work: () async throws -> Void) async throws -> String? {
        do {
            try await work()
        } catch let error as any Refusal {
            refusal = error.code
        }
        return refusal
    }

    /// The result of an operation.
    private struct Answer {
        var tasks: [TaskItem] = []
        var operation: TaskOperation?
    }

    /// Compares the result of an operation with what is stored.
    private func compare(_ answer: Answer, of action: Action, in tasks: TaskList) throws {
        for task in answer.tasks {
            let stored = try tasks.get(task.id)
            guard stored != task else { continue }
            throw StoryFailure(
                "the task that was returned",
                expected: stored.map { "\(ModelTask($0, name: name(of: $0.id)))" } ?? "none",
                found: "\(ModelTask(task, name: name(of: task.id)))")
        }
        if case .carry(let names, _) = action, !answer.tasks.isEmpty {
            try expect("the tasks that were carried", names.withoutRepetition, answer.tasks.map { name(of: $0.id) })
        }
        if !isBeyondModel, let operation = answer.operation, let change = model.changes(last: 1).first {
            try expect("the undone operation", ["\(change.operation)"], ["\(operation)"])
        }
    }

    private func perform(_ action: Action, on tasks: TaskList) async throws -> Answer {
        switch action {
        case .create(let name, let when, let view):
            let task =
                if let view { try await tasks.create(name, in: view) } else {
                    try await tasks.create(name, on: try when.flatMap { try $0.day(today: moment.today) })
                }
            try learn(name, isNew: task.id)
            return Answer(tasks: [task])
        case .setState(let name, .active): return Answer(tasks: [try await tasks.start(id(of: name))])
        case .setState(let name, .completed): return Answer(tasks: [try await tasks.complete(id(of: name))])
        case .setState(let name, .notStarted): return Answer(tasks: [try await tasks.reopen(id(of: name))])
        case .cycle(let name): return Answer(tasks: [try await tasks.cycle(id(of: name))])
        case .schedule(let name, let when, let place):
            return Answer(tasks: [
                try await tasks.schedule(id(of: name), on: try taskDay(when), at: place.map(taskPlace))
            ])
        case .reorder(let name, let place):
            return Answer(tasks: [try await tasks.reorder(id(of: name), to: taskPlace(place))])
        case .carry(let names, let when):
            return Answer(tasks: try await tasks.carry(names.map(id), to: try taskDay(when)))
        case .edit(let name, let text):
            return Answer(tasks: [try await tasks.edit(id(of: name)) { $0.text = text }])
        case .remind(let name, .local(let day, let time)) where time % 1_000_000 == 0:
            return Answer(tasks: [
                try await tasks.remind(id(of: name), on: day, secondsIntoDay: Int(time / 1_000_000))
            ])
        case .remind(let name, let when):
            return Answer(tasks: [
                try await tasks.remind(id(of: name), at: when?.instant(after: moment.wall, in: moment.zone))
            ])
        case .delete(let name): try await tasks.delete(id(of: name))
        case .purge(let name): try await tasks.purge(id(of: name))
        case .together(let actions):
            let steps = StoreSteps(actions: actions, ids: ids, moment: moment, context: world.context)
            let outcome = try await tasks.write { try steps.perform(in: $0) }
            try learn(outcome, of: actions)
        case .undo: return Answer(operation: try await tasks.undo())
        case .redo: return Answer(operation: try await tasks.redo())
        case .undoNotice:
            guard let notice = tasks.undoNotice else { throw TaskError.undoExpired }
            try await tasks.undo(notice)
        default: break
        }
        return Answer()
    }

    private func taskDay(_ when: When) throws -> TaskDay { try when.taskDay(today: moment.today) }

    private func taskPlace(_ place: Place) -> TaskPlace { place.taskPlace(id) }
}
