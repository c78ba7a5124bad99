import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Records

/// Readings as an earlier version of a program declares them: no index, no roll-up.
private struct Bare: Record {
    static let collection = RecordCollection<Bare>("readings") {}
    let id: UUID
    var takenAt: Instant

    init(_ number: UInt64, at takenAt: Instant) {
        id = uuid(number)
        self.takenAt = takenAt
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        _ = try fields.string(1)
        takenAt = try fields.instant(2)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, "roof")
        fields.put(2, takenAt)
    }
}

/// The same with an index of another meaning under the same name, and a higher version.
private struct Reversed: Record {
    static let byTime = Index<Reversed, Int64>("byTime", version: 2) { -$0.takenAt.microsecondsSince1970 }
    static let collection = RecordCollection<Reversed>("readings") { byTime }
    let id: UUID
    var takenAt: Instant

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        takenAt = try fields.instant(2)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(2, takenAt)
    }
}

/// Stores as files of format 1. `Tests/Fixtures/Format1` was written by commit f5a6e7d, the end of the first issue, with
/// the declarations above and with `Reading` without `byLevel`; nothing of today's code had a part in it.
enum GoldenStore {
    static let root = URL(filePath: #filePath).appending(path: "../../../Fixtures/Format1").standardized

    /// Copies a golden store into a folder and opens it.
    static func open(_ name: String, schema: Schema = Reading.schema) throws -> TestStore {
        let folder = TemporaryFolder(on: .memory)
        try FileManager.default.copyItem(atPath: root.appending(path: name).path, toPath: folder.store)
        return try TestStore(schema: schema, folder: folder)
    }
}

@Suite struct MigrationTests {
    private let bare = Schema().adding(Bare.collection)
    private let reversed = Schema().adding(Reversed.collection)

    private func bareStore(count: UInt64 = 2500) async throws -> TestStore {
        let opened = try TestStore(schema: bare)
        try await opened.store.write { transaction in
            for number in 0..<count {
                try transaction.put(Bare(number, at: Instant(secondsSince1970: Int64(number) * 1000)))
            }
        }
        return opened
    }

    private func expectComplete(_ opened: TestStore, count: Int) throws {
        #expect(try opened.store.verify().problems == [])
        try opened.store.read { (transaction) throws in
            #expect(try transaction[Reading.self].count() == count)
            #expect(try transaction[Reading.byTime].count() == count)
            let all = Instant(microsecondsSince1970: .min)..<Instant(microsecondsSince1970: .max)
            #expect(try transaction[Reading.perDay].count(in: all) == count)
        }
    }

    @Test("A store of the first version opens, gets an id and its new index, and keeps its records [C-AD3]")
    func goldenReadings() async throws {
        let opened = try GoldenStore.open("readings")
        #expect(try opened.store.verify().problems == [])
        let readings = try opened.readings()
        #expect(readings.count == 19)
        #expect(readings[uuid(7)] == nil)
        for number in (1...20 as ClosedRange<UInt64>) where number != 7 {
            var expected = Reading(number, level: Int32(number) - 10)
            if number % 5 != 0 { expected.takenAt = Instant(secondsSince1970: Int64(number) * 40_000) }
            expected.day = number % 2 == 0 ? Day(daysSince1970: Int32(number)) : nil
            expected.note = number % 3 == 0 ? String(repeating: "é", count: Int(number) * 20) : nil
            #expect(readings[uuid(number)] == expected)
        }
        try opened.store.read { (transaction) throws in
            #expect(try transaction[Reading.byLevel].range().map(\.level) == readings.values.map(\.level).sorted())
            let all = Instant(microsecondsSince1970: .min)..<Instant(microsecondsSince1970: .max)
            #expect(try transaction[Reading.perDay].count(in: all) == 15)
            #expect(try transaction.lastSequence() == 21)
        }
        #expect(try opened.store.readImage { $0.storeID } != nil)
        // Its change log is continued: the deletion is undone first, then the last reading.
        #expect(try await opened.store.write { try $0.undo() } == ChangeLabel(operation: "readings.delete"))
        #expect(try opened.readings()[uuid(7)]?.level == -3)
        #expect(try await opened.store.write { try $0.undo() } == ChangeLabel(operation: "readings.put"))
        #expect(try opened.readings()[uuid(20)] == nil)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Indexes and roll-ups that a store of the first version never had are built at the first open [C-AD3]")
    func goldenBare() throws {
        let opened = try GoldenStore.open("bare")
        try expectComplete(opened, count: 50)
        #expect(try opened.store.read { try $0[Reading.byTime].range().map(\.id) } == (0..<50).map(uuid))
    }

    @Test("Opening a store of the first version for reading only leaves its files as they are [D13]")
    func goldenReadOnly() throws {
        let folder = TemporaryFolder(on: .memory)
        try FileManager.default.copyItem(
            atPath: GoldenStore.root.appending(path: "bare").path, toPath: folder.store)
        let before = folder.contents
        let opened = try TestStore(schema: bare, folder: folder, options: StoreOptions(isReadOnly: true))
        #expect(try opened.store.read { try $0[Bare.self].count() } == 50)
        opened.store.close()
        #expect(folder.contents == before)
    }

    @Test("Indexes and roll-ups that are declared later are built at the next open [C-AD3]")
    func additive() async throws {
        let opened = try await bareStore().reopened()
        try expectComplete(opened, count: 2500)
    }

    @Test("An index that an older version did not maintain is rebuilt [C-AD3]")
    func olderVersionWrites() async throws {
        var opened = try await bareStore(count: 10).reopened()
        try expectComplete(opened, count: 10)
        opened = try opened.reopened(schema: bare)
        try await opened.store.write { transaction in
            try transaction.put(Bare(77, at: TestStore.start))
            try transaction.delete(Bare.self, id: uuid(1))
        }
        opened = try opened.reopened()
        try expectComplete(opened, count: 10)
        #expect(try opened.store.read { try $0[Reading.byTime].range().last?.id } == uuid(77))
    }

    @Test("An index with a higher version is rebuilt")
    func versionBump() async throws {
        var opened = try await bareStore(count: 50).reopened()
        opened = try opened.reopened(schema: reversed)
        let ids = try opened.store.read { try $0[Reversed.byTime].range().map(\.id) }
        #expect(ids == (0..<50).reversed().map(uuid))
        #expect(try opened.store.verify().problems == [])
        opened = try opened.reopened()
        try expectComplete(opened, count: 50)
    }

    @Test("Opening an up-to-date store writes nothing")
    func idempotent() async throws {
        let opened = try await bareStore(count: 50).reopened()
        opened.store.close()
        let before = opened.folder.contents
        let again = try opened.reopened()
        again.store.close()
        #expect(again.folder.contents == before)
    }

    @Test(
        "Opened for reading only, a store without an index stays as it was and serves everything but that index [D13]")
    func readOnlyNotMigrated() async throws {
        let opened = try await bareStore(count: 5)
        opened.store.close()
        let before = opened.folder.contents
        let early = try opened.reopened(options: StoreOptions(isReadOnly: true))
        try early.store.read { (transaction) throws in
            #expect(try transaction[Reading.self].count() == 5)
            #expect(try transaction[Reading.self].get(uuid(4))?.takenAt == Instant(secondsSince1970: 4_000))
            #expect(throws: RecordsError.engine(.tableMissing(name: "readings.byTime"))) {
                try transaction[Reading.byTime].range()
            }
            #expect(throws: RecordsError.engine(.tableMissing(name: "readings.perDay"))) {
                try transaction[Reading.perDay].count(in: TestStore.start..<TestStore.start.advanced(bySeconds: 1))
            }
        }
        #expect(try early.store.verify().problems == [])
        early.store.close()
        #expect(opened.folder.contents == before)
        _ = try opened.reopened()
        let readOnly = try opened.reopened(options: StoreOptions(isReadOnly: true))
        try expectComplete(readOnly, count: 5)
    }

    @Test("Opened for reading only, an index that an older version did not maintain is an error, never half a view")
    func readOnlyStale() async throws {
        var opened = try await bareStore(count: 5).reopened()
        opened = try opened.reopened(schema: bare)
        try await opened.store.write { try $0.delete(Bare.self, id: uuid(1)) }
        #expect(throws: RecordsError.engine(.tableMissing(name: "readings.byLevel"))) {
            _ = try opened.reopened(options: StoreOptions(isReadOnly: true))
        }
    }

    @Test("Collections that a program does not declare are kept")
    func otherCollections() async throws {
        var opened = try TestStore(schema: Reading.schema.adding(EveryForm.collection))
        try await opened.store.write { transaction in
            try transaction.put(Reading(1, at: TestStore.start))
            try transaction.put(EveryForm())
        }
        opened = try opened.reopened(schema: Schema().adding(EveryForm.collection))
        try await opened.store.write { transaction in
            var record = EveryForm()
            record.number = 8
            try transaction.put(record)
        }
        #expect(throws: RecordsError.unknownCollection(name: "readings")) {
            try opened.store.read { _ = try $0[Reading.self].get(uuid(1)) }
        }
        opened = try opened.reopened(schema: Reading.schema.adding(EveryForm.collection))
        #expect(try opened.readings() == [uuid(1): Reading(1, at: TestStore.start)])
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A declaration that contradicts itself is an error")
    func badDeclaration() {
        #expect(throws: RecordsError.self) { try TestStore(schema: Reading.schema.adding(Reading.collection)) }
        // Names of tables that are there for something else.
        #expect(throws: RecordsError.self) { try TestStore(schema: Schema().adding(Misnamed<NamedMeta>.collection)) }
        #expect(throws: RecordsError.self) {
            try TestStore(schema: Reading.schema.adding(Misnamed<NamedIndex>.collection))
        }
    }

    @Test("Joined schemas have the higher version")
    func joinedVersion() {
        #expect(Schema(version: 1).adding(Schema(version: 5)).version == 5)
        #expect(Schema(version: 5).adding(Schema(version: 1)).version == 5)
    }
}

private protocol TableName: Sendable { static var name: String { get } }
private enum NamedMeta: TableName { static let name = "meta" }
private enum NamedIndex: TableName { static var name: String { Reading.byTime.tableName } }

/// A record whose collection takes the name of another table.
private struct Misnamed<Name: TableName>: Record {
    let id: UUID
    static var collection: RecordCollection<Misnamed> { RecordCollection(Name.name) }
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
    func encode(into fields: inout FieldEncoder) {}
}
