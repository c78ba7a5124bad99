import CivilTime
import Foundation
import Testing

@testable import Records

/// A declaration that leaves out one field, adds another and gets a kind wrong.
private struct Misdeclared: Record {
    static let collection = RecordCollection<Misdeclared>("misdeclared") {
        Field(1, "first", .integer)
        Field(3, "third", .text)
    }

    var id: UUID

    init(_ number: UInt64) { id = uuid(number) }
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, "text")
        fields.put(2, true)
    }
}

@Suite struct FieldDeclarationTests {
    @Test("The encoder of each test record agrees with the declared fields")
    func encodersAgree() {
        let reading = Reading(1, at: TestStore.start, level: 5, day: .last, note: "note")
        #expect(Reading.collection.mismatches(of: reading) == [])
        #expect(EveryForm.collection.mismatches(of: .full) == [])
    }

    @Test("A declaration that disagrees with the encoder is reported field by field")
    func disagreementIsFound() {
        #expect(
            Misdeclared.collection.mismatches(of: Misdeclared(1)) == [
                "field 2 is encoded and not declared", "field 3 is declared and not encoded",
                "field 1, first, has the form shortBytes",
            ])
    }

    @Test("Two fields of one number or one name are refused before the store is created")
    func contradictionsAreRefused() {
        for fields in [
            [Field(1, "a", .text), Field(1, "b", .text)], [Field(1, "a", .text), Field(2, "a", .text)],
            [Field(0, "a", .text)], [Field(64, "a", .text)], [Field(1, "", .text)],
        ] {
            #expect(throws: RecordsError.self) {
                try CollectionDeclaration(name: "c", fields: fields, derivedTables: []).check()
            }
        }
    }

    @Test("A schema lists its collections with fields and derived tables")
    func schemaIsDescribed() throws {
        let declaration = try #require(Reading.schema.declarations.first)
        #expect(declaration.name == "readings")
        #expect(declaration.fields.map(\.name) == ["sensor", "takenAt", "level", "day", "note"])
        #expect(declaration.field(3)?.kind == .integer32)
        #expect(declaration.field(6) == nil)
        #expect(declaration.derivedTables == ["readings.byTime", "readings.byLevel", "readings.perDay"])
    }

    @Test("The stored fields of random records encode to the same bytes again", arguments: 1...4 as ClosedRange<UInt64>)
    func fieldsRoundTrip(seed: UInt64) throws {
        var dice = Dice(seed)
        for _ in 0..<200 {
            let bytes = EveryForm.random(&dice).encoded
            let fields = try #require(StoredFields(bytes))
            #expect(fields.value == bytes)
        }
    }

    @Test("Bytes that are not a list of fields have no stored fields, and impossible fields no bytes")
    func invalidFields() {
        for bytes: [UInt8] in [[], [2], [1, 1], [1, 1, 9, 0], [1, 2, 1, 0, 1, 1, 0], [1, 1, 5, 4, 65]] {
            #expect(StoredFields(bytes) == nil)
        }
        typealias Stored = StoredFields.Field
        for fields in [
            [Stored(number: 0, form: .oneByte, content: [1])], [Stored(number: 1, form: .oneByte, content: [])],
            [Stored(number: 256, form: .oneByte, content: [1])],
            [Stored(number: 2, form: .oneByte, content: [1]), Stored(number: 1, form: .oneByte, content: [1])],
            [Stored(number: 1, form: .shortBytes, content: Array(repeating: 0, count: 256))],
        ] {
            #expect(StoredFields(fields).value == nil)
        }
        let long = StoredFields([Stored(number: 1, form: .longBytes, content: [7])])
        #expect(long.value == [1, 1, 6, 1, 0, 0, 0, 7])
    }

    @Test("Records put back from their stored bytes have their index entries, counts and unknown fields [D16]")
    func storedBytesAreLoaded() async throws {
        let source = try TestStore()
        try await source.put(Reading(1, at: TestStore.start, level: 2), Reading(2, at: TestStore.start, note: "n"))
        var stored: [(key: [UInt8], value: [UInt8])] = []
        try source.store.readImage { image in
            try image.forEachRecord(in: "readings") { key, value in
                stored.append((key.copied, value.copied))
                return true
            }
        }
        var fields = try #require(StoredFields(stored[1].value))
        fields.fields.append(StoredFields.Field(number: 50, form: .oneByte, content: [9]))
        stored[1].value = try #require(fields.value)

        let target = try TestStore()
        let records = stored
        try await target.store.write { transaction in
            for (key, value) in records { try transaction.putStored(key: key, value: value, in: "readings") }
        }
        #expect(try target.readings() == source.readings())
        #expect(try target.store.verify().problems == [])
        #expect(try target.store.rawEntries("readings")[1].value.dropLast(4).elementsEqual(stored[1].value))
        let error = await recordsError { [store = target.store] in
            try await store.write { try $0.putStored(key: records[0].key, value: [1, 1], in: "readings") }
        }
        #expect(error == .refusedRecord(collection: "readings", key: hexadecimal(records[0].key)))
        let unknown = await recordsError { [store = target.store] in
            try await store.write { try $0.putStored(key: records[0].key, value: records[0].value, in: "none") }
        }
        #expect(unknown == .unknownCollection(name: "none"))
    }
}
