import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct VerifyTests {
    private static let tables = ["readings", "readings.byTime", "readings.byLevel", "readings.perDay", "changes"]

    private func filledStore() async throws -> TestStore {
        let opened = try TestStore()
        var dice = Dice(41)
        for number in 0..<20 {
            var reading = Reading.random(UInt64(number), &dice)
            reading.takenAt = .random(&dice)
            try await opened.put(reading)
        }
        return opened
    }

    private func problems(_ opened: TestStore) throws -> [String] { try opened.store.verify().problems }

    @Test("An intact store has no problems, and verify counts what it read [S-11]")
    func clean() async throws {
        let opened = try await filledStore()
        let report = try opened.store.verify()
        #expect(report.isClean)
        #expect(report.records == 20)
        #expect(report.indexEntries == 40)
        #expect(report.changes == 20)
    }

    @Test("A deleted index entry is found and rebuilt [S-11]", arguments: ["readings.byTime", "readings.byLevel"])
    func deletedIndexEntry(table: String) async throws {
        let opened = try await filledStore()
        try await opened.store.rawDelete(table, opened.store.rawEntries(table)[7].key)
        #expect(try problems(opened).count == 1)
        #expect(try problems(opened)[0].contains(table))
        try await expectRepaired(opened)
    }

    @Test("An index entry without a record is found and rebuilt [S-11]")
    func extraIndexEntry() async throws {
        let opened = try await filledStore()
        try await opened.store.checksummedPut("readings.byTime", [UInt8](repeating: 0x80, count: 24), [])
        #expect(try problems(opened) == ["readings.byTime: 1 entries belong to no record"])
        try await expectRepaired(opened)
    }

    @Test("A misplaced index entry is reported as missing and as superfluous [S-11]")
    func misplacedIndexEntry() async throws {
        let opened = try await filledStore()
        let key = try opened.store.rawEntries("readings.byTime")[3].key
        try await opened.store.rawDelete("readings.byTime", key)
        try await opened.store.checksummedPut("readings.byTime", [0xFF] + key.dropFirst(), [])
        #expect(try problems(opened).count == 2)
        try await expectRepaired(opened)
    }

    @Test("Wrong, missing and superfluous roll-up counts are found and rebuilt [S-11]", arguments: 0..<3)
    func wrongRollUp(kind: Int) async throws {
        let opened = try await filledStore()
        let row = try opened.store.rawEntries("readings.perDay")[0]
        let table = try opened.store.checksummedTable("readings.perDay")
        var wrong = RollUpRow()
        _ = wrong.add(3, toQuarter: 95)
        switch kind {
        case 0:
            try await opened.store.checksummedPut(
                "readings.perDay", row.key, wrong.encoded(for: KeyBytes(row.key), in: table))
        case 1: try await opened.store.rawDelete("readings.perDay", row.key)
        default:
            let key = Int32(9999).keyBytes
            try await opened.store.checksummedPut("readings.perDay", key.array, wrong.encoded(for: key, in: table))
        }
        #expect(try !problems(opened).isEmpty)
        try await expectRepaired(opened)
    }

    @Test("A roll-up total that differs from its quarters is found [S-11]")
    func wrongTotal() async throws {
        let opened = try await filledStore()
        let row = try opened.store.rawEntries("readings.perDay")[0]
        var value = Array(row.value.dropLast(4))
        value[0] += 1
        try await opened.store.checksummedPut("readings.perDay", row.key, value)
        #expect(try problems(opened).count == 1)
        try await expectRepaired(opened)
    }

    @Test("A wrong number of records and a wrong digest are found and rebuilt [S-11]", arguments: [0, 8])
    func wrongCount(byte: Int) async throws {
        let opened = try await filledStore()
        let key = Meta.countKey(BoundCollection<Reading>.number(of: "readings")).array
        let row = try #require(try opened.store.rawEntries("meta").first { $0.key == key })
        var value = Array(row.value.dropLast(4))
        value[byte] ^= 1
        try await opened.store.checksummedPut("meta", key, value)
        #expect(try problems(opened).count == 1)
        try await expectRepaired(opened)
    }

    @Test("A missing record is found by the count, and its entries by the indexes [S-11]")
    func lostRecord() async throws {
        let opened = try await filledStore()
        try await opened.store.rawDelete("readings", uuid(5).keyBytes.array)
        let problems = try problems(opened)
        #expect(problems.contains("readings: 19 records can be read, 20 are counted"))
        #expect(problems.contains("readings.byLevel: 1 entries belong to no record"))
        try await expectRepaired(opened)
    }

    @Test(
        "A flipped bit in any byte of any table is found, and only its own entry is unreadable [S-10]",
        arguments: tables
    )
    func flippedBits(table: String) async throws {
        let opened = try await filledStore()
        let entries = try opened.store.rawEntries(table)
        for (number, entry) in entries.enumerated() where number % 5 == 0 {
            for byte in stride(from: 0, to: entry.value.count, by: table == "changes" ? 11 : 1) {
                try await opened.store.flip(table, entry: number, byte: byte)
                let problems = try problems(opened)
                #expect(!problems.isEmpty, "entry \(number), byte \(byte)")
                #expect(problems.contains { $0.contains("damaged") })
                try await opened.store.rawPut(table, entry.key, entry.value)
            }
        }
        #expect(try problems(opened) == [])
    }

    @Test("A damaged record is an error that names its key; the others stay readable [S-10]")
    func damagedRecord() async throws {
        let opened = try await filledStore()
        try await opened.store.flip("readings", entry: 5, byte: 9)
        let key = hexadecimal(uuid(5).keyBytes.array)
        #expect(throws: RecordsError.damagedRecord(collection: "readings", key: key)) {
            try opened.store.read { _ = try $0[Reading.self].get(uuid(5)) }
        }
        for number in 0..<20 where number != 5 {
            #expect(try opened.store.read { try $0[Reading.self].get(uuid(number)) } != nil)
        }
        let report = try await opened.store.rebuild()
        #expect(report.quarantinedRecords == ["readings \(key)"])
    }

    @Test("An entry whose value belongs to another key or another table is found [S-10]")
    func foreignValues() async throws {
        let opened = try await filledStore()
        let records = try opened.store.rawEntries("readings")
        try await opened.store.rawPut("readings", records[3].key, records[4].value)
        #expect(try !problems(opened).isEmpty)
        #expect(throws: RecordsError.self) {
            try opened.store.read { _ = try $0[Reading.self].get(uuid(3)) }
        }
        let checksum = try opened.store.rawEntries("readings.byTime")[0].value
        try await opened.store.rawPut("readings", records[3].key, checksum)
        #expect(throws: RecordsError.self) {
            try opened.store.read { _ = try $0[Reading.self].get(uuid(3)) }
        }
    }

    @Test("A change that is missing from the middle of the log is found [S-11]")
    func missingChange() async throws {
        let opened = try await filledStore()
        try await opened.store.rawDelete("changes", UInt64(7).keyBytes.array)
        #expect(try problems(opened) == ["change 7: missing"])
    }

    @Test(
        "A row of another store's change log is found though its checksum is right, and removed with those before it",
        arguments: ForeignChange.allCases)
    func foreignChange(_ change: ForeignChange) async throws {
        let (opened, other) = (try await filledStore(), try await filledStore())
        try await opened.put(Reading(3, note: "a"))
        try await opened.put(Reading(3, note: "b"))
        try await opened.put(Reading(4, note: "a"))
        switch change {
        case .ofAnotherRecord: try await other.put(Reading(5, note: "a"), Reading(6, note: "a"))
        case .deletion: try await other.store.write { _ = try $0.delete(Reading.self, id: uuid(3)) }
        case .ofAnotherField:
            try await other.store.write { transaction in
                var reading = try #require(try transaction[Reading.self].get(uuid(3)))
                reading.level += 1
                try transaction.put(reading)
            }
        }
        let row = try #require(try other.store.rawEntries("changes").last)
        try await opened.store.rawPut("changes", row.key, row.value)
        #expect(try problems(opened).contains { $0.hasSuffix("a record is not as this change left it") })
        let report = try await opened.store.rebuild()
        #expect(report.isComplete)
        #expect(report.changesRemoved >= 20)
        #expect(try problems(opened) == [])
        _ = try await opened.store.write { try $0.undo() }
        #expect(try problems(opened) == [])
    }

    enum ForeignChange: CaseIterable {
        case ofAnotherRecord
        case deletion
        case ofAnotherField
    }

    @Test("Undo, redo, purging and the quarantine leave a change log that agrees with the records")
    func everyWayToChange() async throws {
        let opened = try await filledStore()
        try await opened.put(Reading(3, note: "a"))
        try await opened.put(Reading(4, note: "a"))
        _ = try await opened.store.write { try $0.undo() }
        _ = try await opened.store.write { try $0.redo() }
        try await opened.store.write { transaction in
            try transaction.purgeHistory(of: Reading.self, id: uuid(3))
            _ = try transaction.delete(Reading.self, id: uuid(3))
            try transaction.purgeHistory(of: Reading.self, id: uuid(3))
        }
        try await opened.put(Reading(3, note: "again"))
        #expect(try problems(opened) == [])
        try await opened.store.flip("readings", entry: 7, byte: 9)
        #expect(try await opened.store.rebuild().changesRemoved == 0)
        #expect(try problems(opened) == [])
        try await opened.put(Reading(7, note: "from a backup"))
        #expect(try problems(opened) == [])
    }

    @Test("Verify reports violated invariants of records [S-11]")
    func brokenInvariants() async throws {
        let opened = try TestStore(schema: Schema().adding(Doubtful.collection))
        try await opened.store.write { try $0.put(Doubtful(id: uuid(1))) }
        let key = hexadecimal(uuid(1).keyBytes.array)
        #expect(try problems(opened) == ["record \(key) of doubtful: never right"])
    }

    @Test("At most a hundred problems are listed, without any content of a record")
    func limit() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<300 { try transaction.put(Reading(UInt64(number), note: "SECRET")) }
        }
        for number in 0..<150 { try await opened.store.flip("readings", entry: number, byte: 3) }
        let problems = try problems(opened)
        #expect(problems.count == 101)
        #expect(problems.allSatisfy { !$0.contains("SECRET") })
    }

    @Test("A damaged note about an index's version costs a rebuild, not the store")
    func damagedBuiltVersion() async throws {
        var opened = try await filledStore()
        let key = Meta.builtKey("readings.byTime").array
        let row = try #require(try opened.store.rawEntries("meta").first { $0.key == key })
        try await opened.store.rawPut("meta", key, [row.value[0] ^ 4] + row.value.dropFirst())
        opened = try opened.reopened()
        #expect(try problems(opened) == [])
    }

    private func expectRepaired(_ opened: TestStore) async throws {
        _ = try await opened.store.rebuild()
        #expect(try problems(opened) == [])
    }
}

private struct Doubtful: Record {
    static let collection = RecordCollection<Doubtful>("doubtful")
    let id: UUID

    init(id: UUID) { self.id = id }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }

    func encode(into fields: inout FieldEncoder) {}

    var brokenInvariants: [String] { ["never right"] }
}
