import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct ChangeLogTests {
    private func information(_ opened: TestStore) throws -> (first: UInt64, last: UInt64) {
        let information = try opened.store.information()
        return (information.firstSequence, information.lastSequence)
    }

    private func change(_ opened: TestStore, times: Int) async throws {
        for number in 0..<times {
            try await opened.put(Reading(1, level: Int32(number), note: String(repeating: "x", count: 3000)))
        }
    }

    @Test("A log that is too large is trimmed, never the last 64 changes [D7]")
    func trimsBySize() async throws {
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        try await change(opened, times: 400)
        let (first, last) = try information(opened)
        #expect(last == 400)
        #expect(first > 1)
        #expect(last - first >= 63)
        #expect(last - first < 200)
        for _ in 0..<30 { try await opened.store.write { try $0.undo() } }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Trimming keeps the present change and the 64 before it [D7]", arguments: [128, 192, 384])
    func keepsTheLast64(count: Int) async throws {
        // The log is trimmed with every 64th change: looked at later, it has more rows than are promised.
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        try await change(opened, times: count - 1)
        let first = try information(opened).first
        #expect(first == (count == 128 ? 1 : UInt64(count) - 128))
        try await change(opened, times: 1)
        #expect(try information(opened) == (UInt64(count) - 64, UInt64(count)))
        for _ in 0..<64 { try await opened.store.write { try $0.undo() } }
    }

    @Test("Changes that are too old are removed, the others stay [D7]")
    func trimsByAge() async throws {
        let retention = ChangeLogRetention(maximumAgeInDays: 10)
        let opened = try TestStore(options: StoreOptions(retention: retention))
        try await change(opened, times: 100)
        opened.clock.advance(byMicroseconds: 11 * 86_400_000_000)
        try await change(opened, times: 156)
        #expect(try information(opened) == (101, 256))
    }

    @Test("A retention of any size never traps")
    func extremeRetention() async throws {
        let retention = ChangeLogRetention(maximumBytes: .max, maximumAgeInDays: .max)
        let opened = try TestStore(options: StoreOptions(retention: retention))
        try await change(opened, times: 140)
        #expect(try information(opened) == (1, 140))
    }

    @Test("Nothing is trimmed under a consumer that has not read it [D7]")
    func keepsForConsumers() async throws {
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        try await change(opened, times: 10)
        var changes = Optional(opened.store.changes(after: 5).makeAsyncIterator())
        #expect(try await changes?.next()?.sequence == 6)
        try await change(opened, times: 290)
        #expect(try information(opened).first == 7)
        for expected in 7...UInt64(300) { #expect(try await changes?.next()?.sequence == expected) }
        // Once it is gone, the log shrinks again, though more comes.
        changes = nil
        try await change(opened, times: 200)
        #expect(try information(opened).first > 200)
    }

    @Test("Undo beyond the retained log is an error that changes nothing")
    func undoBeyondTheLog() async throws {
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        try await change(opened, times: 256)
        var undone = 0
        while await recordsError(of: { try await opened.store.write { _ = try $0.undo() } }) == nil { undone += 1 }
        #expect(undone >= 64)
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A damaged row of the log does not prevent later changes", arguments: [0, 99])
    func damagedRows(entry: Int) async throws {
        let opened = try TestStore()
        try await change(opened, times: 100)
        let rows = try opened.store.rawEntries("changes").count
        try await opened.store.flip("changes", entry: min(entry, rows - 1), byte: 20)
        #expect(try opened.store.verify().problems.count == 1)
        try await change(opened, times: 100)
        #expect(try information(opened).last == 200)
    }
}

@Suite struct PurgeTests {
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
    func undoSkipsPurgedRecords() async throws {
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
