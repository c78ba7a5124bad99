import Daybook
import DomainPacks

/// The records of a domain: its operations, and the comparison with its model.
extension Session {
    /// Performs an operation of the domain. The draw and the model determine what it does; nothing if it has no target.
    func perform(
        _ operation: String, of pack: any DomainPack.Type, _ value: ScenarioValue, in openStore: OpenStore
    ) async throws -> String? {
        var number = 0
        if value != .none {
            guard case .text(let text) = value, let found = Int(text), found >= 0 else {
                throw StoryFailure(operation, expected: "a number from 0", found: "\(value)")
            }
            number = found
        }
        let before = moment
        let draw = DomainDraw(number, now: before.wall, today: before.today)
        guard let change = model.records?.change(operation, draw) else { return nil }
        let found = try await refusal { try await change.work.perform(in: openStore.daybook, change.label) }
        await world.settle()
        if try checkFault(found, since: before) { return found }
        if let found { throw StoryFailure(operation, expected: "no refusal", found: found) }
        if !isBeyondModel { try await followChanges(by: operation, openStore, records: change.content) }
        // Also what is not in the change log.
        model.records = change.content
        return nil
    }

    /// Compares the records of the domain with its model, and checks its invariants.
    func compareRecords(_ openStore: OpenStore) throws {
        guard let pack = vocabulary.pack else { return }
        let (lines, problems) = try openStore.daybook.read { transaction in
            (try pack.lines(in: transaction), try pack.problems(in: transaction))
        }
        try expect("the invariants", [], problems)
        // A crash may have kept a change of untracked records, which no change log shows.
        if let other = recordsOfCrash {
            recordsOfCrash = nil
            if model.records?.lines != lines, other.lines == lines { model.records = other }
        }
        guard let expected = model.records?.lines, expected != lines else { return }
        throw StoryFailure("the records", expected: Self.list(expected), found: Self.list(lines))
    }
}

extension DomainWork {
    /// Performs the work durably.
    fileprivate func perform(in daybook: DaybookStore, _ label: ChangeLabel) async throws {
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
            } catch is JournalError {
                return
            }
            throw StoryFailure(label.operation, expected: "a refusal", found: "none")
        }
    }
}
