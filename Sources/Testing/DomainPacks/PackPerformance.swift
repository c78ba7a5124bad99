import Daybook
import Journals
import Records
import Tasks

extension PackAction {
    /// Performs the action durably.
    package func perform(in daybook: DaybookStore) async throws {
        switch self {
        case .undo: try await daybook.write { _ = try $0.undo() }
        case .redo: try await daybook.write { _ = try $0.redo() }
        case .compact: try await daybook.compact()
        case .changes(let changes):
            if changes.count == 1, case .program(let body) = changes[0].work { return try await body(daybook) }
            try daybook.store.perform(changes)
        }
    }
}

extension RecordStore {
    /// Performs changes that are transactions durably, several in one commit.
    package func perform(_ changes: [PackChange]) throws {
        var together: [(label: ChangeLabel, body: @Sendable (WriteTransaction) throws -> Void)] = []
        for change in changes {
            switch change.work {
            case .transaction(let body):
                if changes.count == 1 { return try write(change.label) { try body($0) } }
                together.append((change.label, body))
            case .refused(let body): try expectRefusal { try write(change.label) { try body($0) } }
            case .program: break
            }
        }
        guard !together.isEmpty else { return }
        for answer in writeTogether(together) { try answer.get() }
    }

    private func expectRefusal(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as RecordsError {
            // An error of the engine is no refusal.
            if case .engine = error { throw error }
            return
        } catch let error as TaskError {
            if case .store = error { throw error }
            return
        } catch is JournalError {
            return
        }
        throw PackError.notRefused
    }
}

/// A store that does not do what a domain says.
package enum PackError: Error, Equatable, CustomStringConvertible {
    /// An operation that the domain's rules must refuse was carried out.
    case notRefused
    /// It does not show what the domain's model has.
    case differs(String)

    package var description: String {
        switch self {
        case .notRefused: "An operation that must be refused was carried out, even without a crash. Fix that first."
        case .differs(let difference): difference
        }
    }
}

/// The domains of this project.
package enum KnownPacks {
    package static let all: [any DomainPack.Type] = [
        TaskPack.self, GardenPack.self, PlannerPack.self, ListPack.self, RecurrencePack.self, PeoplePack.self,
        JournalPack.self,
    ]

    /// A schema with the records of all of them.
    package static let schema = all.reduce(DaybookStore.schema) { $0.adding($1.records) }
}
