import CivilTime
import Foundation
import KeyValue
import Testing

@testable import Records

@Suite struct RebuildTests {
    private func filledStore() async throws -> TestStore {
        let opened = try TestStore()
        for number in 0..<20 {
            let at = TestStore.start.advanced(bySeconds: Int64(number) * 600)
            try await opened.put(Reading(UInt64(number), at: at, level: Int32(number)))
        }
        return opened
    }

    private func expectWhole(_ opened: TestStore, count: Int) throws {
        #expect(try opened.store.verify().problems == [])
        try opened.store.read { (transaction) throws in
            #expect(try transaction[Reading.self].count() == count)
            #expect(try transaction[Reading.byTime].range().count == count)
            #expect(try transaction[Reading.byLevel].range().count == count)
        }
    }

    private static let fifth = hexadecimal(uuid(5).keyBytes.array)

    /// What may have happened to the stored record 5.
    enum Damage: CaseIterable {
        case flippedValue, flippedSeal, emptied, valueOfAnother, unreadableFields, flippedKey, shorterKey, longerKey

        func apply(to store: RecordStore) async throws {
            let entries = try store.rawEntries("readings")
            let (key, value) = (entries[5].key, entries[5].value)
            switch self {
            case .flippedValue: try await store.flip("readings", entry: 5, byte: 9)
            case .flippedSeal: try await store.flip("readings", entry: 5, byte: value.count - 1)
            case .emptied: try await store.rawPut("readings", key, [])
            case .valueOfAnother: try await store.rawPut("readings", key, entries[6].value)
            case .unreadableFields: try await store.checksummedPut("readings", key, [1, 2, 9])
            case .flippedKey: try await move(to: [key[0] ^ 0x40] + key.dropFirst())
            case .shorterKey: try await move(to: Array(key.dropLast()))
            case .longerKey: try await move(to: key + [UInt8](repeating: 7, count: 200))
            }

            func move(to other: [UInt8]) async throws {
                try await store.rawDelete("readings", key)
                try await store.rawPut("readings", other, value)
            }
        }
    }

    @Test(
        "A record with any kind of damage is quarantined, and everything else works again [S-10]",
        arguments: Damage.allCases)
    func quarantined(damage: Damage) async throws {
        let opened = try await filledStore()
        try await damage.apply(to: opened.store)
        #expect(try !opened.store.verify().isClean)
        let report = try await opened.store.rebuild()
        #expect(report.quarantinedRecords.count == 1)
        #expect(report.missingRecords == [:])
        #expect(report.outdatedCollections == [])
        #expect(!report.isComplete)
        #expect(try opened.store.information().quarantined == 1)
        try expectWhole(opened, count: 19)

        // The id can be used again, as by the import of a backup, and then everything is as it was.
        try await opened.put(Reading(5, at: TestStore.start, level: 5))
        try await opened.store.write { try $0.delete(Reading.self, id: uuid(6)) }
        try expectWhole(opened, count: 19)
        #expect(try await opened.store.rebuild().isComplete)
        try expectWhole(opened, count: 19)
    }

    @Test("The quarantine keeps the bytes of a record under its collection's number and its key")
    func keptAsFound() async throws {
        let opened = try await filledStore()
        try await opened.store.flip("readings", entry: 5, byte: 9)
        let found = try opened.store.rawEntries("readings")[5]
        let report = try await opened.store.rebuild()
        #expect(report.quarantinedRecords == ["readings \(Self.fifth)"])
        let lost = try #require(opened.store.schema.quarantine)
        let key = Quarantine.key(uuid(5).keyBytes, in: Checksum.collectionNumber(of: "readings"))
        #expect(hexadecimal(key.array) == "6c270907" + Self.fifth)
        let kept = try opened.store.environment.read { engine in
            try lost.table.get(key, in: engine) { value, _ in value.copied }
        }
        #expect(kept == found.value)
    }

    @Test("The change feed reports a quarantined record as deleted [S-10]")
    func feedTells() async throws {
        let opened = try await filledStore()
        try await opened.store.flip("readings", entry: 5, byte: 9)
        _ = try await opened.store.rebuild()
        // Otherwise the feed would wait forever.
        try #require(try opened.store.information().lastSequence == 21)
        let change = try #require(try await opened.store.changes(after: 20).makeAsyncIterator().next())
        #expect(change.sequence == 21)
        #expect(change.entries.map(\.kind) == [.deleted])
        #expect(try change.entries.first?.id(as: UUID.self) == uuid(5))
    }

    @Test("A rebuild that finds nothing wrong adds no change and keeps the log and the records as they are")
    func nothingWrong() async throws {
        let opened = try await filledStore()
        let before = try ["readings", "changes", "meta", "readings.byTime", "readings.perDay"].map {
            try opened.store.rawEntries($0)
        }
        let report = try await opened.store.rebuild()
        #expect(report.isComplete)
        #expect(report.changesRemoved == 0)
        let after = try ["readings", "changes", "meta", "readings.byTime", "readings.perDay"].map {
            try opened.store.rawEntries($0)
        }
        #expect(after == before)
    }

    @Test("Undo continues past a quarantined record, and restores one that an older change has [S-10]")
    func undoPastLoss() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1, level: 1))
        try await opened.put(Reading(2, level: 1))
        try await opened.put(Reading(1, level: 2))
        try await opened.put(Reading(2, level: 2))
        try await opened.store.flip("readings", entry: 0, byte: 9)
        _ = try await opened.store.rebuild()
        #expect(try opened.readings() == [uuid(2): Reading(2, level: 2)])
        // The rebuild itself is passed over: nothing brings back what the record was last.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings() == [uuid(2): Reading(2, level: 1)])
        // The change before: the record as it was then is in the log.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings() == [uuid(1): Reading(1, level: 1), uuid(2): Reading(2, level: 1)])
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings() == [:])
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        for _ in 0..<2 { try await opened.store.write { try $0.redo() } }
        #expect(try opened.readings() == [uuid(1): Reading(1, level: 1), uuid(2): Reading(2, level: 1)])
        // Redoing the change of the lost record removes it again.
        try await opened.store.write { try $0.redo() }
        #expect(try opened.readings() == [uuid(2): Reading(2, level: 1)])
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Records that are missing entirely are counted by collection")
    func missing() async throws {
        let opened = try await filledStore()
        for number in [3, 7] { try await opened.store.rawDelete("readings", uuid(number).keyBytes.array) }
        try await opened.store.flip("readings", entry: 0, byte: 9)
        let report = try await opened.store.rebuild()
        #expect(report.missingRecords == ["readings": 2])
        #expect(report.quarantinedRecords.count == 1)
        try expectWhole(opened, count: 17)
        #expect(try await opened.store.rebuild().missingRecords == [:])
    }

    @Test("Outdated records are reported even if each can be read")
    func outdated() async throws {
        let opened = try await filledStore()
        let old = try opened.store.rawEntries("readings")[5]
        try await opened.put(Reading(5, level: 77))
        try await opened.store.rawPut("readings", old.key, old.value)
        #expect(try !opened.store.verify().isClean)
        let report = try await opened.store.rebuild()
        #expect(report.outdatedCollections == ["readings"])
        #expect(!report.isComplete)
        try expectWhole(opened, count: 20)
    }

    @Test("Purging a record purges its bytes in the quarantine")
    func forgetting() async throws {
        let opened = try await filledStore()
        try await opened.store.flip("readings", entry: 5, byte: 9)
        _ = try await opened.store.rebuild()
        for had in [true, false] {
            let found = try await opened.store.write { try $0.purgeHistory(of: Reading.self, id: uuid(5)) }
            #expect(found == had)
            #expect(try opened.store.information().quarantined == 0)
        }
        try expectWhole(opened, count: 19)
    }

    @Test("A rebuild empties the quarantine of a record once the record exists again, and not before")
    func recovered() async throws {
        let opened = try await filledStore()
        for number in [5, 6] { try await opened.store.flip("readings", entry: number, byte: 9) }
        _ = try await opened.store.rebuild()
        try await opened.put(Reading(5))
        _ = try await opened.store.rebuild()
        #expect(try opened.store.information().quarantined == 1)
    }

    @Test("A damaged count fails each write with an error that says what to do, and rebuild repairs it")
    func damagedCount() async throws {
        let opened = try await filledStore()
        let key = Meta.countKey(Checksum.collectionNumber(of: "readings"))
        let row = try #require(try opened.store.rawEntries("meta").first { $0.key == key.array })
        try await opened.store.rawPut("meta", key.array, [row.value[0] ^ 4] + row.value.dropFirst())
        let expected = RecordsError.damagedEntry(table: "meta", key: key.hexadecimal)
        #expect(expected.description.contains("rebuild"))
        await #expect(throws: expected) { try await opened.put(Reading(77)) }
        await #expect(throws: expected) { try await opened.store.write { try $0.delete(Reading.self, id: uuid(3)) } }
        await #expect(throws: expected) { try await opened.store.write { try $0.undo() } }
        #expect(try opened.readings().count == 20)
        #expect(try opened.store.verify().problems == ["readings: the count is damaged"])
        let report = try await opened.store.rebuild()
        #expect(report.isComplete)
        try expectWhole(opened, count: 20)
        try await opened.put(Reading(77, at: TestStore.start))
        try expectWhole(opened, count: 21)
    }

    @Test("Unreadable entries of meta are removed, and this program's entries are written again")
    func damagedNotes() async throws {
        let opened = try await filledStore()
        for row in try opened.store.rawEntries("meta") {
            try await opened.store.rawPut("meta", row.key, [row.value[0] ^ 4] + row.value.dropFirst())
            try await opened.store.rawPut("meta", [row.key[0] ^ 1] + row.key.dropFirst(), row.value)
        }
        #expect(try opened.store.verify().problems.count >= 12)
        _ = try await opened.store.rebuild()
        try expectWhole(opened, count: 20)
        #expect(try opened.store.rawEntries("meta").count == 8)
    }
}
