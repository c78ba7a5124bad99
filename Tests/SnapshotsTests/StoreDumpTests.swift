import CivilTime
import FoundationEssentials
import Records
import TestSupport
import Testing

@testable import ByteStreams
@testable import Snapshots

/// A record type of an application, with a field of every kind.
private struct Sample: Record {
    enum State: UInt8, CaseIterable {
        case open = 1
        case closed = 2
    }

    var id: UUID
    var text = ""
    var state = State.open
    var at: Instant?
    var day: Day?
    var value = 0.0
    var count: Int64?
    var small: Int32?
    var unsigned: UInt32?
    var byte: UInt8?
    var isDone = false
    var isHidden = false
    var other: UUID?
    var data: [UInt8]?

    static let collection = RecordCollection<Sample>("samples") {
        Field(1, "text", .text)
        Field(2, "state", .cases(of: State.self))
        Field(3, "at", .instant)
        Field(4, "day", .day)
        Field(5, "value", .double)
        Field(6, "count", .integer)
        Field(7, "small", .integer32)
        Field(8, "unsigned", .unsigned32)
        Field(9, "byte", .unsigned8)
        Field(10, "isDone", .boolean)
        Field(11, "isShown", .booleanDefaultingToTrue)
        Field(12, "other", .uuid)
        Field(13, "data", .bytes)
        Index<Sample, Instant>("byTime") { $0.at }
    }

    init(id: UUID) {
        self.id = id
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
        state = State(rawValue: try fields.optionalByte(2) ?? 1) ?? .open
        at = try fields.optionalInstant(3)
        day = try fields.optionalDay(4)
        value = try fields.double(5)
        count = try fields.optionalInt64(6)
        small = try fields.optionalInt32(7)
        unsigned = try fields.optionalUInt32(8)
        byte = try fields.optionalByte(9)
        isDone = try fields.bool(10)
        isHidden = try fields.bool(11)
        other = try fields.optionalUUID(12)
        data = try fields.optionalBytes(13)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, state.rawValue)
        fields.put(3, at)
        fields.put(4, day)
        fields.put(5, value)
        fields.put(6, count)
        fields.put(7, small)
        fields.put(8, unsigned)
        fields.put(9, byte)
        fields.put(10, isDone)
        fields.put(11, isHidden)
        fields.put(12, other)
        fields.put(13, data)
    }
}

@Suite struct StoreDumpTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    // MARK: Stores

    private func store(_ name: String, _ schema: Schema = Schema()) throws -> RecordStore {
        try RecordStore(at: "\(folder.path)/\(name)", schema: schema)
    }

    /// Creates a store whose records are these bytes.
    private func create(_ name: String, _ collections: RandomRecords.Collections) throws {
        let loader = try StoreLoader(
            at: "\(folder.path)/\(name)", schema: Schema(), context: .system, sequence: 41)
        for (collection, records) in collections.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            for (key, value) in records.sorted(by: { $0.key.precedes($1.key) }) {
                try loader.append(key: key.span.bytes, value: value.span.bytes, to: collection)
            }
        }
        _ = try loader.finish()
    }

    private func dump(_ store: RecordStore, _ declarations: [CollectionDeclaration]? = nil) throws -> [UInt8] {
        let output = Output()
        try store.readImage { image in
            try StoreDump.write(
                image, declarations: declarations ?? store.declarations,
                to: { (bytes) throws(FileError) in output.chunks.append(bytes) })
        }
        return Array(output.chunks.joined())
    }

    private func load(_ dump: [UInt8], _ name: String, _ schema: Schema = Schema()) throws {
        _ = try StoreDump.load(
            byteSource(of: dump, partSize: 1000), into: "\(folder.path)/\(name)", schema: schema, context: .system)
    }

    private func sample(_ number: UInt64) -> Sample {
        var sample = Sample(id: UUID(bigEndian: UInt128(number)))
        sample.text = "Ölwechsel \"\(number)\"\n\u{0}"
        sample.state = .closed
        sample.at = Instant(microsecondsSince1970: 1_770_714_900_250_000)
        sample.day = Day(clampingDaysSince1970: 20_000)
        sample.value = -0.1
        sample.count = Int64.min
        sample.small = -7
        sample.unsigned = UInt32.max
        sample.byte = 255
        sample.isDone = true
        sample.isHidden = true
        sample.other = UUID(bigEndian: 9)
        sample.data = [0, 255]
        return sample
    }

    // MARK: Tests

    @Test(
        "Loading a dump of any records gives the same bytes and the same dump, whatever is declared", arguments: 0..<16)
    func roundTrip(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let collections = random.collections(atMost: 300)
        try create("store", collections)
        let store = try store("store")
        // Declared for one of them, rightly for most of its records.
        let declaration = RecordCollection<Sample>("tasks") {
            Field(1, "text", .text)
            Field(2, "state", .enumeration([0: "open", 1: "closed"]))
            Field(3, "createdAt", .instant)
            Field(4, "updatedAt", .instant)
            Field(5, "completedAt", .instant)
            Field(8, "day", .day)
            Field(9, "value", .double)
            Field(10, "note", .text)
            Field(16, "list", .uuid)
            Field(20, "number", .integer)
            Field(21, "flag", .boolean)
            Field(63, "data", .bytes)
        }.declaration
        let dump = try dump(store, [declaration])
        try load(dump, "copy")
        let copy = try self.store("copy")
        #expect(try RandomRecords.all(in: copy) == collections)
        try load(self.dump(copy, [declaration]), "second")
        // The first line differs: the number of the last change is one higher after each load.
        func lines(_ bytes: [UInt8]) -> [[UInt8].SubSequence] {
            Array(bytes.split(separator: UInt8(ascii: "\n")).dropFirst())
        }
        #expect(try lines(self.dump(copy, [declaration])) == lines(dump))
        #expect(try RandomRecords.all(in: self.store("second")) == collections)
    }

    @Test("Every kind of field is written by its name and in its JSON form")
    func kinds() throws {
        let store = try store("store", Schema().adding(Sample.collection))
        try store.write { try $0.put(sample(7)) }
        let lines = text(try dump(store)).split(separator: "\n")
        let expected = #"""
            {"format":"daybook-dump","version":1,"schema":1,"sequence":1}
            {"declare":"samples","fields":[{"number":1,"name":"text","kind":"text"},{"number":2,"name":"state",\#
            "kind":"enumeration","cases":{"1":"open","2":"closed"}},{"number":3,"name":"at","kind":"instant"},\#
            {"number":4,"name":"day","kind":"day"},{"number":5,"name":"value","kind":"double"},{"number":6,\#
            "name":"count","kind":"integer"},{"number":7,"name":"small","kind":"integer32"},{"number":8,\#
            "name":"unsigned","kind":"unsigned32"},{"number":9,"name":"byte","kind":"unsigned8"},{"number":10,\#
            "name":"isDone","kind":"boolean"},{"number":11,"name":"isShown","kind":"booleanDefaultingToTrue"},\#
            {"number":12,"name":"other","kind":"uuid"},{"number":13,"name":"data","kind":"bytes"}]}
            {"collection":"samples","key":"00000000-0000-0000-0000-000000000007",\#
            "fields":{"text":"Ölwechsel \"7\"\n\u0000","state":"closed","at":"2026-02-10T09:15:00.25Z",\#
            "day":"2024-10-04","value":-0.1,"count":-9223372036854775808,"small":-7,"unsigned":4294967295,\#
            "byte":255,"isDone":true,"isShown":false,"other":"00000000-0000-0000-0000-000000000009",\#
            "data":"00ff"}}
            {"end":true,"records":1}
            """#
        #expect(lines == expected.split(separator: "\n"))
    }

    @Test("A dump is loaded with and without the record types, and indexes are built for those that are there")
    func recordTypes() throws {
        let schema = Schema().adding(Sample.collection)
        let store = try store("store", schema)
        try store.write { for number in 1..<40 { try $0.put(sample(UInt64(number))) } }
        let dump = try dump(store)
        try load(dump, "known", schema)
        try load(dump, "unknown")
        let known = try self.store("known", schema)
        #expect(try known.verify().isClean)
        #expect(try RandomRecords.all(in: known) == RandomRecords.all(in: store))
        #expect(try RandomRecords.all(in: self.store("unknown")) == RandomRecords.all(in: store))
    }

    @Test("A damaged line is refused with its number, and nothing is left behind")
    func damage() throws {
        let schema = Schema().adding(Sample.collection)
        let store = try store("store", schema)
        try store.write { for number in 1..<5 { try $0.put(sample(UInt64(number))) } }
        let lines = text(try dump(store)).split(separator: "\n").map(String.init)
        store.close()
        func expectRefusal(_ changed: [String], line: Int) throws {
            do {
                try load(bytes(changed.joined(separator: "\n")), "copy", schema)
                Issue.record("line \(line) was accepted")
            } catch FileError.invalidDump(let found, _) {
                #expect(found == line)
            }
            #expect(folder.names == ["store"])
        }
        for index in lines.indices {
            for damaged in ["x", "{}", "[]", "7", #"{"collection":"samples"}"#] {
                var changed = lines
                changed[index] = damaged
                try expectRefusal(changed, line: index + 1)
            }
        }
        let record = lines[3]
        let changes = [
            record.replacing("\"closed\"", with: "\"gone\""), record.replacing("2024-10-04", with: "2024-02-30"),
            record.replacing("-0.1", with: "\"x\""), record.replacing("\"small\"", with: "\"smal\""),
            record.replacing("\"small\":-7", with: "\"small\":2147483648"),
            record.replacing("\"byte\":255", with: "\"byte\":{\"short\":\"00\"},\"9\":{\"byte\":\"00\"}"),
            record.replacing("-000000000002", with: "-000000000001"),
            record.replacing("\"key\":\"00000000-0000-0000-0000-000000000002\"", with: "\"key\":\"\""),
        ]
        for changed in changes {
            try #require(changed != record)
            var all = lines
            all[3] = changed
            try expectRefusal(all, line: 4)
        }
        try expectRefusal(Array(lines.dropLast()), line: lines.count - 1)
        try expectRefusal(Array(lines.dropLast(2)) + [lines[lines.count - 1]], line: lines.count - 1)
        try expectRefusal(lines + ["{}"], line: lines.count + 1)
        #expect(throws: FileError.newerVersion(found: 2, supported: 1)) {
            try load(bytes(lines[0].replacing("\"version\":1", with: "\"version\":2")), "copy")
        }
    }

    @Test("A dump is loaded into a store that has no records, and into no other")
    func places() throws {
        let schema = Schema().adding(Sample.collection)
        let store = try store("store", schema)
        try store.write { try $0.put(sample(1)) }
        let dump = try dump(store)
        try self.store("unused", schema).close()
        try load(dump, "unused", schema)
        #expect(try RandomRecords.all(in: self.store("unused", schema)) == RandomRecords.all(in: store))
        let used = try self.store("used", schema)
        try used.write { try $0.put(sample(2)) }
        try used.write { _ = try $0.delete(Sample.self, id: UUID(bigEndian: 2)) }
        used.close()
        for name in ["store", "used"] {
            #expect(throws: FileError.storeNotEmpty(path: "\(folder.path)/\(name)")) { try load(dump, name, schema) }
        }
        #expect(Set(folder.names) == ["store", "unused", "used"])
    }

    @Test("An error of the progress or of the source leaves nothing behind")
    func stopped() throws {
        try create("store", ["tasks": [[1]: [1, 2]]])
        let dump = try dump(store("store"))
        #expect(throws: CancellationError.self) {
            try StoreDump.load(
                byteSource(of: dump), into: "\(folder.path)/copy", schema: Schema(), context: .system
            ) { _ in throw CancellationError() }
        }
        #expect(folder.names == ["store"])
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
