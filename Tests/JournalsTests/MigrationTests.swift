import CivilTime
import Foundation
import Records
import Testing

@testable import Journals

/// Versions of journals before this one, as they declared their records. Nothing of today's declarations has a part in them.
private protocol FormerVersion: SendableMetatype {
    /// 0 for 1.0, and so on.
    static var number: Int { get }
}

private enum Version10: FormerVersion { static let number = 0 }
private enum Version11: FormerVersion { static let number = 1 }
private enum Version12: FormerVersion { static let number = 2 }
private enum Version13: FormerVersion { static let number = 3 }

private struct FormerThread<Version: FormerVersion>: Record {
    static var collection: RecordCollection<Self> { RecordCollection("threads") }
    let id: UUID
    var title: String
    var createdAt: Instant
    var deletedAt: Instant?

    init(_ number: Int, deletedAt: Instant? = nil) {
        id = uuid(number)
        title = "thread \(number)"
        createdAt = Instant(secondsSince1970: Int64(number))
        self.deletedAt = deletedAt
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        title = try fields.string(1)
        createdAt = try fields.instant(2)
        if Version.number >= 2 { deletedAt = try fields.optionalInstant(4) }
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, title)
        fields.put(2, createdAt)
        fields.put(3, createdAt)
        if Version.number >= 2 { fields.put(4, deletedAt) }
    }
}

private struct FormerEntry<Version: FormerVersion>: Record {
    static var collection: RecordCollection<Self> { RecordCollection("entries") }
    let id: UUID
    var thread: UUID
    var content: String
    var timestamp: Instant
    var lastEditedAt: Instant?
    var deletedAt: Instant?

    init(_ number: Int, in thread: Int) {
        id = uuid(number)
        self.thread = uuid(thread)
        content = "entry \(number)"
        timestamp = Instant(secondsSince1970: Int64(number))
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        thread = try fields.uuid(1)
        content = try fields.string(2)
        timestamp = try fields.instant(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, thread)
        fields.put(2, content)
        fields.put(3, timestamp)
        guard Version.number >= 1 else { return }
        fields.put(4, lastEditedAt)
        fields.put(5, deletedAt)
    }
}

private struct FormerField: Record {
    static let collection = RecordCollection<FormerField>("customFields")
    let id: UUID
    var thread: UUID

    init(_ number: Int, in thread: Int) {
        id = uuid(number)
        self.thread = uuid(thread)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        thread = try fields.uuid(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, thread)
        fields.put(2, "field")
        fields.put(3, 0 as Int64)
    }
}

private struct FormerValue: Record {
    static let collection = RecordCollection<FormerValue>("fieldValues")
    let id: EntryFieldID

    init(id: EntryFieldID) { self.id = id }
    init(id: EntryFieldID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
    func encode(into fields: inout FieldEncoder) { fields.put(1, "value") }
}

@Suite struct MigrationTests {
    /// A store as a version wrote it, opened by this one.
    private func migrated<Version: FormerVersion>(
        from version: Version.Type, entries count: Int = 20
    ) async throws -> TestJournal {
        let folder = TemporaryFolder()
        let context = Context(
            clock: SettableClock(Instant(secondsSince1970: 1000)), random: SeededRandomSource(seed: 1),
            zones: SettableZone(.utc), weekStart: .monday)
        var schema = Schema(domain: "journals").adding(FormerThread<Version>.collection)
            .adding(FormerEntry<Version>.collection)
        if Version.number >= 3 { schema = schema.adding(FormerField.collection).adding(FormerValue.collection) }
        let store = try RecordStore(at: folder.path + "/store", schema: schema, context: context)
        try await store.write { transaction in
            let deletedAt = Version.number >= 2 ? Instant(secondsSince1970: 900) : nil
            for number in 1...3 {
                try transaction.put(FormerThread<Version>(number, deletedAt: number == 3 ? deletedAt : nil))
            }
            for number in 10..<(10 + count) {
                var entry = FormerEntry<Version>(number, in: 1 + number % 3)
                if Version.number >= 1, number % 5 == 0 { entry.deletedAt = Instant(secondsSince1970: 800) }
                if Version.number >= 1, number % 4 == 0 { entry.lastEditedAt = Instant(secondsSince1970: 700) }
                try transaction.put(entry)
            }
            guard Version.number >= 3 else { return }
            try transaction.put(FormerField(5, in: 1))
            try transaction.put(FormerValue(id: EntryFieldID(entry: uuid(12), field: uuid(5))))
        }
        store.close()
        return try TestJournal(folder: folder)
    }

    private func expectComplete<Version: FormerVersion>(_ opened: TestJournal, from version: Version.Type) throws {
        try opened.expectSound()
        let threads = try opened.journal.threads(includingDeleted: true)
        #expect(Set(threads.map(\.thread.title)) == ["thread 1", "thread 2", "thread 3"])
        #expect(threads.filter(\.thread.isDeleted).map(\.thread.id) == (Version.number >= 2 ? [uuid(3)] : []))
        for thread in 1...3 {
            let numbers = (10..<30).filter { 1 + $0 % 3 == thread }
            let entries = try opened.journal.entries(of: uuid(thread), includingDeleted: true)
            #expect(entries.map(\.content) == numbers.map { "entry \($0)" })
            #expect(entries.map(\.isDeleted) == numbers.map { Version.number >= 1 && $0 % 5 == 0 })
            #expect(entries.map(\.isEdited) == numbers.map { Version.number >= 1 && $0 % 4 == 0 })
            #expect(entries.allSatisfy { $0.place == nil && $0.placedAt == nil && $0.number == 0 })
            let live = entries.filter { !$0.isDeleted }
            #expect(threads.first { $0.thread.id == uuid(thread) }?.entries == live.count)
        }
        let found = try opened.journal.search("entry", limit: 100).records
        #expect(
            found.count == (10..<30).count { Version.number < 1 || $0 % 5 != 0 && (Version.number < 2 || $0 % 3 != 2) })
        let entry = try #require(try opened.journal.entry(uuid(12)))
        let values = try opened.journal.filled([entry])[0].values
        #expect(values.map(\.value) == (Version.number >= 3 ? ["value"] : []))
    }

    @Test(
        "A store of version 1.0 opens with everything, and has what came later as nothing [J-MG1, J-MG2, J-MG3, J-MG4]")
    func from10() async throws { try expectComplete(try await migrated(from: Version10.self), from: Version10.self) }

    @Test("A store of version 1.1 opens with everything [J-MG2, J-MG3, J-MG4]")
    func from11() async throws { try expectComplete(try await migrated(from: Version11.self), from: Version11.self) }

    @Test("A store of version 1.2 opens with everything [J-MG3, J-MG4]")
    func from12() async throws { try expectComplete(try await migrated(from: Version12.self), from: Version12.self) }

    @Test("A store of version 1.3 opens with everything, and can be changed and undone [J-MG4]")
    func from13() async throws {
        let opened = try await migrated(from: Version13.self)
        try expectComplete(opened, from: Version13.self)
        try await opened.journal.addEntry(
            NewEntry("new", values: [uuid(5): "more"], place: EntryPlace("A, B")), to: uuid(1))
        try await opened.journal.deleteThread(uuid(1))
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        try expectComplete(opened.reopened(), from: Version13.self)
    }

    @Test("A store of a newer version is refused, and left as it is [J-MG5]")
    func newer() async throws {
        let opened = try TestJournal()
        try await opened.journal.createThread("t")
        opened.store.close()
        let path = opened.folder.path + "/store"
        let newer = try RecordStore(
            at: path, schema: Journal.schema.adding(Schema(domain: "journals", version: 2)), context: opened.context)
        newer.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
        #expect(throws: RecordsError.newerFormat(path: path, found: 2, known: 1)) {
            try RecordStore(at: path, schema: Journal.schema, context: opened.context)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) == before)
    }
}
