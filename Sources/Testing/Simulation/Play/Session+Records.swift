import Daybook
import DomainPacks

/// The records of a domain: its operations, and the comparison with its model.
extension Session {
    /// Performs an operation of the domain. The draw and the model determine what it does; nothing if it has no target.
    func perform(
        _ operation: String, of pack: any DomainPack.Type, _ value: ScenarioValue, in openStore: OpenStore
    ) async throws -> String? {
        try spareWaits()
        let before = moment
        guard let change = try change(operation, value, at: before) else { return nil }
        // A function of the program may look at the clock, and what it does then is not what the model was asked for.
        if case .program = change.work, pack.changesTasks { stopFaults() }
        let found = try await refusal { try await change.work.perform(in: openStore.daybook, change.label) }
        await world.settle()
        if try checkFault(found, since: before) { return found }
        if let found { throw StoryFailure(operation, expected: "no refusal", found: found) }
        if !isBeyondModel { try await followChanges(by: operation, openStore, records: change.content) }
        // Also what is not in the change log.
        model.records = change.content
        return nil
    }

    /// Performs an operation of the domain in another process; nothing if it is a function of the program.
    func performElsewhere(
        _ operation: String, of pack: any DomainPack.Type, _ value: ScenarioValue, in openStore: OpenStore
    ) async throws -> String? {
        guard let change = try change(operation, value, at: moment), let body = change.work.transaction else {
            hadNothingToDo = true
            return nil
        }
        let context = Context(
            clock: world.clock, random: SeededRandomSource(seed: world.random.next()), zones: world.zones,
            weekStart: scenario.weekStart)
        let (path, records) = (storePath, vocabulary.records)
        let answer = try machine.runElsewhere {
            do {
                try DaybookStore.open(at: path, context: context, records: records).write { try body($0) }
                return ""
            } catch {
                return "\(error)"
            }
        }
        try expect("\(operation) elsewhere", change.work.isRefused ? "a refusal" : "", change.work.answer(answer))
        if !isBeyondModel { try await followChanges(by: operation, openStore, records: change.content) }
        if isBeyondModel { try learnTasks(of: openStore.daybook) }
        model.records = change.content
        return nil
    }

    /// What an operation does now, determined by its number; nil if it has nothing to do.
    private func change(
        _ operation: String, _ value: ScenarioValue, at moment: ModelMoment
    ) throws -> PackChange? {
        var number = 0
        if value != .none {
            guard case .text(let text) = value, let found = Int(text), found >= 0 else {
                throw StoryFailure(operation, expected: "a number from 0", found: "\(value)")
            }
            number = found
        }
        let change = model.records?.change(operation, DomainDraw(number, at: moment.ofDomain))
        hadNothingToDo = change == nil
        return change
    }

    /// Compares the records of the domain with its model, and checks its invariants.
    func compareRecords(_ openStore: OpenStore) throws {
        guard let pack = vocabulary.pack else { return }
        let moment = moment.ofDomain
        let (lines, problems) = try openStore.daybook.read { transaction in
            (try pack.lines(in: transaction), try pack.problems(in: transaction))
        }
        try expect("the invariants", [], problems)
        // A crash may have kept a change of untracked records, which no change log shows.
        if let other = recordsOfCrash {
            recordsOfCrash = nil
            if model.records?.lines(at: moment) != lines, other.lines(at: moment) == lines { model.records = other }
        }
        guard let expected = model.records?.lines(at: moment), expected != lines else { return }
        throw StoryFailure("the records", expected: Self.list(expected), found: Self.list(lines))
    }
}

extension Session {
    /// Whether the domain's model, not the one of tasks, follows what happens to tasks.
    var domainHasTasks: Bool { vocabulary.pack?.changesTasks ?? false }

    /// Ends a fault shortly before midnight: an operation on tasks that waits over it differs from the one in the model.
    private func spareWaits() throws {
        guard domainHasTasks, machine.canFail else { return }
        let soon = moment.wall.advanced(bySeconds: 4)
        if moment.zone.day(of: soon) != moment.today { stopFaults() }
    }

    private func stopFaults() {
        if machine.canFail { machine.setFault(nil, writes: 0) }
    }
}

extension ModelMoment {
    /// The same moment for a domain.
    var ofDomain: DomainMoment { DomainMoment(wall, in: zone) }
}

extension DomainWork {
    /// What it does in a transaction; nil for a function of the program.
    var transaction: (@Sendable (WriteTransaction) throws -> Void)? {
        switch self {
        case .transaction(let body), .refused(let body): body
        case .program: nil
        }
    }

    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// An error of another process, or nothing: any error will do where one must come.
    func answer(_ error: String) -> String { isRefused && !error.isEmpty ? "a refusal" : error }

    /// Performs the work durably.
    func perform(in daybook: DaybookStore, _ label: ChangeLabel) async throws {
        switch self {
        case .transaction(let body): try await daybook.store.write(label) { try body($0) }
        case .program(let body): try await body(daybook)
        case .refused(let body):
            do {
                try await daybook.store.write(label) { try body($0) }
            } catch let error as RecordsError {
                // A full disk is no refusal of the domain.
                if case .engine = error { throw error }
                return
            } catch let error as TaskError {
                if case .store = error { throw error }
                return
            } catch let error as JournalError {
                if case .store = error { throw error }
                return
            }
            throw StoryFailure(label.operation, expected: "a refusal", found: "none")
        }
    }
}
