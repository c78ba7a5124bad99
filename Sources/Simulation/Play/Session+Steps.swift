import Daybook

/// What each step does. Returns what came of it, in words.
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
            _ = try openLife("close")
            await endLife()
            model.forgetNotice()
            return "done"
        case .open:
            guard life == nil else {
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
            return try await judged(step) { try await elsewhere(action) }
        default:
            return try await judged(step) { try await operate(step.action) }
        }
    }

    /// The open store. A story that does something to a closed one, or while the machine sleeps, is wrong.
    func openLife(_ what: String) throws -> Life {
        guard let life else {
            throw StoryFailure("what can be", expected: "an open store for \(what)", found: "a closed one")
        }
        guard !world.isAsleep else {
            throw StoryFailure(
                "what can be", expected: "a machine that is awake for \(what)", found: "one that is asleep")
        }
        return life
    }

    /// Whether the step was refused as it says it is.
    private func judged(_ step: Step, _ work: () async throws -> String?) async throws -> String {
        let refusal = try await work()
        if !isDrawn, refusal != step.refusal {
            throw StoryFailure(
                "the step", expected: step.refusal.map { "refused: \($0)" } ?? "no refusal",
                found: refusal.map { "refused: \($0)" } ?? "no refusal")
        }
        return refusal.map { "refused: \($0)" } ?? "done"
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

    /// Does something to the store and to the model. Returns the code of the refusal, on which both have to agree.
    func operate(_ action: Action) async throws -> String? {
        if case .custom(let verb, let value) = action { return try await perform(verb, value) }
        let life = try openLife("the step")
        let before = moment
        let action = try action.meant(at: before)
        let found = try await refusal { try await perform(action, on: life.daybook.tasks) }
        await world.settle()
        if try judgeFault(found, since: before) { return found }
        return try follow(action, asked: before, found: found)
    }

    /// Has the model do the same, and compares the refusals.
    func follow(
        _ action: Action, asked: ModelMoment, found: String?, isElsewhere: Bool = false
    ) throws -> String? {
        if isBeyondModel { return found }
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

    /// The code of what was thrown; what has no code is no refusal but an error of the run.
    func refusal(_ work: () async throws -> Void) async throws -> String? {
        do {
            try await work()
        } catch let error as any Refusal {
            refusal = error.code
        }
        return refusal
    }

    private func perform(_ action: Action, on tasks: TaskList) async throws {
        switch action {
        case .create(let name, let when, let view):
            let task =
                if let view { try await tasks.create(name, in: view) } else {
                    try await tasks.create(name, on: try when.flatMap { try $0.day(today: moment.today) })
                }
            learn(name, is: task.id)
        case .setState(let name, .active): try await tasks.start(id(of: name))
        case .setState(let name, .completed): try await tasks.complete(id(of: name))
        case .setState(let name, .notStarted): try await tasks.reopen(id(of: name))
        case .cycle(let name): try await tasks.cycle(id(of: name))
        case .schedule(let name, let when, let place):
            try await tasks.schedule(id(of: name), on: try taskDay(when), at: place.map(taskPlace))
        case .reorder(let name, let place): try await tasks.reorder(id(of: name), to: taskPlace(place))
        case .carry(let names, let when): try await tasks.carry(names.map(id), to: try taskDay(when))
        case .edit(let name, let text): try await tasks.edit(id(of: name)) { $0.text = text }
        case .remind(let name, let when):
            try await tasks.remind(id(of: name), at: when?.instant(after: moment.wall, in: moment.zone))
        case .delete(let name): try await tasks.delete(id(of: name))
        case .purge(let name): try await tasks.purge(id(of: name))
        case .together(let actions):
            let steps = StoreSteps(actions: actions, ids: ids, moment: moment)
            for (name, id) in try await tasks.write({ try steps.perform(in: $0) }) { learn(name, is: id) }
        case .undo: try await tasks.undo()
        case .redo: try await tasks.redo()
        case .undoNotice:
            guard let notice = tasks.undoNotice else { throw TaskError.undoExpired }
            try await tasks.undo(notice)
        default: break
        }
    }

    private func taskDay(_ when: When) throws -> TaskDay { try when.taskDay(today: moment.today) }

    private func taskPlace(_ place: Place) -> TaskPlace { place.taskPlace(id) }
}
