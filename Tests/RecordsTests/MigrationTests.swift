import CivilTime
import Foundation
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

    private func expectWhole(_ opened: TestStore, count: Int) throws {
        #expect(try opened.store.verify().problems == [])
        try opened.store.read { (transaction) throws in
            #expect(try transaction[Reading.self].count() == count)
            #expect(try transaction[Reading.byTime].count() == count)
            let all = Instant(microsecondsSince1970: .min)..<Instant(microsecondsSince1970: .max)
            #expect(try transaction[Reading.perDay].count(in: all) == count)
        }
    }

    @Test("C-AD3: indexes and roll-ups that are declared later are built from the records at the next open")
    func additive() async throws {
        let opened = try await bareStore().reopened()
        try expectWhole(opened, count: 2500)
    }

    @Test("C-AD3: an index that an older version did not keep up is built again")
    func olderVersionWrites() async throws {
        var opened = try await bareStore(count: 10).reopened()
        try expectWhole(opened, count: 10)
        opened = try opened.reopened(schema: bare)
        try await opened.store.write { transaction in
            try transaction.put(Bare(77, at: TestStore.start))
            try transaction.delete(Bare.self, id: uuid(1))
        }
        opened = try opened.reopened()
        try expectWhole(opened, count: 10)
        #expect(try opened.store.read { try $0[Reading.byTime].range().last?.id } == uuid(77))
    }

    @Test("an index of a higher version is built anew")
    func versionBump() async throws {
        var opened = try await bareStore(count: 50).reopened()
        opened = try opened.reopened(schema: reversed)
        let ids = try opened.store.read { try $0[Reversed.byTime].range().map(\.id) }
        #expect(ids == (0..<50).reversed().map(uuid))
        #expect(try opened.store.verify().problems == [])
        opened = try opened.reopened()
        try expectWhole(opened, count: 50)
    }

    @Test("opening again builds nothing and writes nothing")
    func idempotent() async throws {
        let opened = try await bareStore(count: 50).reopened()
        opened.store.close()
        let before = opened.folder.contents
        let again = try opened.reopened()
        again.store.close()
        #expect(again.folder.contents == before)
    }

    @Test("D13: opened for reading only, a store without an index can be read but for that index, and stays as it was")
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
        try expectWhole(readOnly, count: 5)
    }

    @Test("opened for reading only, an index that an older version did not keep up is a typed error, never half a view")
    func readOnlyStale() async throws {
        var opened = try await bareStore(count: 5).reopened()
        opened = try opened.reopened(schema: bare)
        try await opened.store.write { try $0.delete(Bare.self, id: uuid(1)) }
        #expect(throws: RecordsError.engine(.tableMissing(name: "readings.byLevel"))) {
            _ = try opened.reopened(options: StoreOptions(isReadOnly: true))
        }
    }

    @Test("collections that a program does not know stay as they are")
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

    @Test("a declaration that contradicts itself is a typed error")
    func badDeclaration() {
        #expect(throws: RecordsError.self) { try TestStore(schema: Reading.schema.adding(Reading.collection)) }
        // Names of tables that are there for something else.
        #expect(throws: RecordsError.self) { try TestStore(schema: Schema().adding(Misnamed<NamedMeta>.collection)) }
        #expect(throws: RecordsError.self) {
            try TestStore(schema: Reading.schema.adding(Misnamed<NamedIndex>.collection))
        }
    }

    @Test("joined schemas keep the higher version")
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
