import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct ForgettingTests {
    private static let secret = "MARKED-SECRET-TEXT"

    private func forget(_ number: UInt64, in opened: TestStore) async throws {
        try await opened.store.write { transaction in
            try transaction.delete(Reading.self, id: uuid(number))
            try transaction.purgeHistory(of: Reading.self, id: uuid(number))
        }
    }

    /// Whether any table of the store holds the secret.
    private func holdsSecret(_ opened: TestStore) throws -> Bool {
        let names = ["readings", "readings.byTime", "readings.byLevel", "readings.perDay", "changes", "meta"]
        let secret = Data(Self.secret.utf8)
        return try names.contains { name in
            try opened.store.rawEntries(name).contains { Data($0.value).range(of: secret) != nil }
        }
    }

    private func storeWithSecret() async throws -> TestStore {
        let opened = try TestStore()
        try await opened.put(Reading(1, note: "open"))
        try await opened.put(Reading(2, note: Self.secret))
        try await opened.put(Reading(2, level: 2, note: Self.secret))
        try await opened.put(Reading(1, note: "open still"), Reading(2, level: 3, note: Self.secret))
        try await opened.store.write { try $0.undo() }
        return opened
    }

    @Test("Purging a record leaves none of its bytes in any table, including the change log [D8]")
    func nothingIsLeft() async throws {
        let opened = try await storeWithSecret()
        #expect(try holdsSecret(opened))
        try await forget(2, in: opened)
        #expect(try !holdsSecret(opened))
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Undo does not restore a purged record, and still restores others [D8]")
    func undoSkipsTheForgotten() async throws {
        let opened = try await storeWithSecret()
        try await forget(2, in: opened)
        // What is left to undo is the creation of the first record; nothing of the second.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().isEmpty)
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        try await opened.store.write { try $0.redo() }
        #expect(try opened.readings() == [uuid(1): Reading(1, note: "open")])
        #expect(try !holdsSecret(opened))
        #expect(try opened.store.verify().problems == [])
    }

    @Test("The change feed still reports a purged record as deleted")
    func feedTellsDeletion() async throws {
        let opened = try await storeWithSecret()
        let last = try opened.store.read { try $0.lastSequence() }
        try await forget(2, in: opened)
        let changes = opened.store.changes(after: last).makeAsyncIterator()
        let change = try #require(try await changes.next())
        #expect(change.entries.map(\.kind) == [.deleted])
        #expect(change.entries.first?.key == uuid(2).keyBytes.array)
    }
}
