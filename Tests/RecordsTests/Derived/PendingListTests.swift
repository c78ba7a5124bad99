import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

/// A record whose tags are in two indexes: each at once, and through a pending list.
private struct Note: Record, Equatable {
    var id: UUID
    var tags: [String]

    static let plain = Index<Note, TextKey>(each: "plain") { $0.tags.map { TextKey($0) } }
    static let pending = Index<Note, TextKey>(each: "pending", hasPendingList: true, unless: { $0.tags == $1.tags }) {
        $0.tags.map { TextKey($0) }
    }
    /// As a program declares it that knows nothing of pending lists.
    static let former = Index<Note, TextKey>(each: "pending") { $0.tags.map { TextKey($0) } }

    static let collection = RecordCollection<Note>("notes") {
        Field(1, "tags", .text)
        plain
        pending
    }

    init(_ id: UInt64, _ tags: [String]) {
        self.id = uuid(id)
        self.tags = tags
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        tags = try fields.optionalString(1)?.split(separator: "\n").map(String.init) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, tags.isEmpty ? nil : tags.joined(separator: "\n"))
    }
}

@Suite struct PendingListTests {
    private static let schema = Schema().adding(Note.collection)
    /// The schema of a program that knows nothing of pending lists.
    private static let formerSchema = Schema().adding(
        RecordCollection<Note>("notes") {
            Field(1, "tags", .text)
            Note.plain
            Note.former
        })
    private static let rows = "notes.pending.gathered"

    private static func options(limit: Int) -> StoreOptions {
        var options = StoreOptions()
        options.pendingListLimit = limit
        return options
    }

    private static func store(limit: Int) throws -> TestStore {
        try TestStore(schema: schema, options: options(limit: limit))
    }

    private static func note(_ id: UInt64, _ dice: inout Dice) -> Note {
        Note(id, (0..<dice.below(5)).map { _ in "tag\(dice.below(12))" })
    }

    private func count(_ table: String, in store: RecordStore) throws -> Int { try store.rawEntries(table).count }

    // MARK: The same as without

    @Test(
        "An index with a pending list gives what one without gives, also in a session",
        arguments: TestBudget.range(16, quick: 4))
    func property(seed: UInt64) async throws {
        var dice = Dice(seed)
        let limit = 1 + dice.below(12)
        var opened = try Self.store(limit: limit)
        for round in 0..<25 {
            var changes: [(id: UInt64, note: Note?)] = []
            for _ in 0..<(1 + dice.below(6)) {
                let id = UInt64(dice.below(40))
                changes.append((id, dice.chance(25) ? nil : Self.note(id, &dice)))
            }
            let made = changes
            let from = dice.below(12)
            let isUndone = dice.chance(15)
            _ = try await opened.store.write { transaction in
                for (id, note) in made {
                    if let note { try transaction.put(note) } else { try transaction.delete(Note.self, id: uuid(id)) }
                }
                try Self.compare(transaction, from: from)
            }
            // The first change may have changed nothing.
            if isUndone, round > 0 { _ = try await opened.store.write { try $0.undo() } }
            try opened.store.read { try Self.compare($0, from: from) }
            if limit > 1 { #expect(try count(Self.rows, in: opened.store) < limit) }
            #expect(try opened.store.verify().problems == [])
            if round % 9 == 8 {
                if dice.chance(50) { try await opened.store.rebuild() }
                opened = try opened.reopened(schema: Self.schema, options: Self.options(limit: limit))
            }
        }
        var overlay = RecordOverlay()
        for id in 0..<15 as Range<UInt64> {
            let note = Self.note(id * 3, &dice)
            var encoder = FieldEncoder()
            note.encode(into: &encoder)
            encoder.finish()
            let edit = RecordOverlay.Edit(bytes: dice.chance(30) ? nil : encoder.bytes, hash: id)
            overlay.set(edit, for: note.id.keyBytes, in: Checksum.collectionNumber(of: "notes"))
        }
        for from in 0..<12 {
            try opened.store.read { transaction in
                transaction.overlay = overlay
                try Self.compare(transaction, from: from)
            }
        }
    }

    private static func compare(_ transaction: ReadTransaction, from number: Int) throws {
        let (plain, pending) = (transaction[Note.plain], transaction[Note.pending])
        let (lower, upper) = (TextKey("tag\(number)"), TextKey("tag\(number)9"))
        let ranges: [IndexRange<Note, TextKey>] = [
            .all, .keys(from: lower), .keys(to: upper), .keys(from: lower, to: upper), .prefix(lower),
        ]
        for range in ranges {
            for backwards in [false, true] {
                for limit in [1, 3, Int.max] {
                    #expect(
                        try plain.records(in: range, backwards: backwards, limit: limit)
                            == pending.records(in: range, backwards: backwards, limit: limit))
                }
                #expect(
                    try keys(plain, backwards: backwards, from: lower)
                        == keys(pending, backwards: backwards, from: lower))
                #expect(
                    try pages(plain, in: range, backwards: backwards)
                        == pages(pending, in: range, backwards: backwards))
            }
        }
        #expect(try plain.count(from: lower) == pending.count(from: lower))
        #expect(try plain.first(lower) == pending.first(lower))
        for last in [false, true] {
            #expect(try plain.edge(of: lower, last: last) == pending.edge(of: lower, last: last))
        }
    }

    private static func keys(
        _ reader: IndexReader<Note, TextKey>, backwards: Bool, from lower: TextKey
    ) throws -> [String] {
        var found: [String] = []
        try reader.forEachKey(from: lower, backwards: backwards) { key, id in
            found.append("\(hexadecimal(key.keyBytes.array)) \(id)")
            return found.count < 20
        }
        return found
    }

    private static func pages(
        _ reader: IndexReader<Note, TextKey>, in range: IndexRange<Note, TextKey>, backwards: Bool
    ) throws -> [[Note]] {
        var pages: [[Note]] = []
        var token: PageToken?
        repeat {
            let page = try reader.page(in: range, after: token, backwards: backwards, limit: 4)
            pages.append(page.records)
            token = page.next
        } while token != nil
        return pages
    }

    // MARK: Where keys are

    @Test("New records write one row each until the limit, then all their keys go to their places, and none waits")
    func limit() async throws {
        let opened = try Self.store(limit: 4)
        for id in 1...3 as ClosedRange<UInt64> {
            try await opened.store.write { try $0.put(Note(id, ["a", "b\(id)"])) }
            #expect(try count(Self.rows, in: opened.store) == Int(id))
            #expect(try count("notes.pending", in: opened.store) == 0)
        }
        try await opened.store.write { try $0.put(Note(4, ["a", "c"])) }
        #expect(try count(Self.rows, in: opened.store) == 0)
        #expect(try count("notes.pending", in: opened.store) == 8)
        #expect(
            try opened.store.rawEntries("notes.plain").map(\.key)
                == opened.store.rawEntries("notes.pending").map(\.key))
    }

    @Test("A record that waits is changed and deleted in its row; one that does not, at the places of its keys")
    func places() async throws {
        let opened = try Self.store(limit: 3)
        try await opened.store.write { for id in 1...3 as ClosedRange<UInt64> { try $0.put(Note(id, ["x"])) } }
        try await opened.store.write { try $0.put(Note(4, ["y"])) }
        try await opened.store.write { transaction in
            try transaction.put(Note(1, ["z"]))
            try transaction.put(Note(4, ["y", "w"]))
        }
        #expect(try count(Self.rows, in: opened.store) == 1)
        #expect(try count("notes.pending", in: opened.store) == 3)
        try await opened.store.write { try $0.put(Note(4, [])) }
        #expect(try count(Self.rows, in: opened.store) == 0)
        // Its keys were never at their places, and it is no new record.
        try await opened.store.write { try $0.put(Note(4, ["v"])) }
        #expect(try count(Self.rows, in: opened.store) == 0)
        #expect(try count("notes.pending", in: opened.store) == 4)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A load and a rebuild leave no keys that wait")
    func loads() async throws {
        let opened = try Self.store(limit: 8)
        try opened.store.bulkLoad { loader in
            for id in 1...5 as ClosedRange<UInt64> { try loader.insert(Note(id, ["a"])) }
        }
        #expect(try count(Self.rows, in: opened.store) == 0)
        try await opened.store.write { try $0.put(Note(6, ["b"])) }
        #expect(try count(Self.rows, in: opened.store) == 1)
        try await opened.store.rebuild()
        #expect(try count(Self.rows, in: opened.store) == 0)
        #expect(try count("notes.pending", in: opened.store) == 6)
    }

    // MARK: Damage

    @Test(
        "verify and scrub find a row that is damaged, missing, of other keys, of no record, or beside its keys; rebuild repairs"
    )
    func damage() async throws {
        let damages: [(RecordStore) async throws -> Void] = [
            { try await $0.flip(Self.rows) },
            { store in try await store.rawDelete(Self.rows, store.rawEntries(Self.rows)[0].key) },
            { store in
                try await store.checksummedPut(Self.rows, store.rawEntries(Self.rows)[0].key, [1, 0x61, 1, 0x62])
            },
            { store in try await store.checksummedPut(Self.rows, store.rawEntries(Self.rows)[0].key, [9, 0x61]) },
            { try await $0.checksummedPut(Self.rows, uuid(9).keyBytes.array, [1, 0x61]) },
            { store in
                let entry = try store.rawEntries("notes.plain")[0].key
                try await store.checksummedPut("notes.pending", entry, [])
            },
        ]
        for (number, damage) in damages.enumerated() {
            let opened = try Self.store(limit: 8)
            try await opened.store.write {
                for id in 1...3 as ClosedRange<UInt64> { try $0.put(Note(id, ["a", "b"])) }
            }
            try await damage(opened.store)
            #expect(try !opened.store.verify().problems.isEmpty, "damage \(number)")
            // What only a count shows is left to verify.
            if number < 5 { #expect(try !opened.store.scrub(bytes: 1 << 20).problems.isEmpty, "damage \(number)") }
            try await opened.store.rebuild()
            #expect(try opened.store.verify().problems == [])
            try opened.store.read { try Self.compare($0, from: 1) }
        }
    }

    @Test("A read that meets a damaged row says so instead of leaving its record out, without the keys in it")
    func damagedRow() async throws {
        let opened = try Self.store(limit: 8)
        try await opened.store.write { try $0.put(Note(1, ["secret"])) }
        try await opened.store.flip(Self.rows, byte: 3)
        let error = await recordsError { try opened.store.read { _ = try $0[Note.pending].records(in: .all) } }
        #expect(error?.description.contains(Self.rows) == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("A store that has lost the table of the keys that wait builds the index again, and is not read without it")
    func lostTable() async throws {
        var opened = try Self.store(limit: 8)
        try await opened.store.write { try $0.put(Note(1, ["a"])) }
        let meta = opened.store.schema.meta
        try await opened.store.environment.write { engine in
            _ = try engine.delete(Meta.builtKey(Self.rows).bytes, in: meta.table)
        }
        opened.store.close()
        var reading = StoreOptions()
        reading.isReadOnly = true
        let error = await recordsError { _ = try opened.reopened(schema: Self.schema, options: reading) }
        #expect(error != nil)
        opened = try opened.reopened(schema: Self.schema)
        #expect(try count(Self.rows, in: opened.store) == 0)
        #expect(try count("notes.pending", in: opened.store) == 1)
        #expect(try opened.store.verify().problems == [])
    }

    // MARK: Versions

    @Test(
        "A program without pending lists builds the index again, and this one continues with its result"
    )
    func formerProgram() async throws {
        var opened = try Self.store(limit: 8)
        try await opened.store.write { try $0.put(Note(1, ["a"])) }
        opened = try opened.reopened(schema: Self.formerSchema)
        #expect(try count("notes.pending", in: opened.store) == 1)
        // Now the row is out of date.
        try await opened.store.write { try $0.put(Note(1, ["b"])) }
        try await opened.store.write { try $0.put(Note(2, ["c"])) }
        #expect(try opened.store.verify().problems == [])

        var reading = StoreOptions()
        reading.isReadOnly = true
        opened.store.close()
        let error = await recordsError { _ = try opened.reopened(schema: Self.schema, options: reading) }
        #expect(error != nil)
        opened = try opened.reopened(schema: Self.schema)
        #expect(try count(Self.rows, in: opened.store) == 0)
        try opened.store.read { try Self.compare($0, from: 1) }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A store of a program that knows nothing of pending lists is read as it is, and its index is not built again")
    func formerStore() async throws {
        var opened = try TestStore(schema: Self.formerSchema)
        try await opened.store.write { try $0.put(Note(1, ["a"])) }
        var reading = StoreOptions()
        reading.isReadOnly = true
        opened = try opened.reopened(schema: Self.schema, options: reading)
        #expect(try opened.store.read { try $0[Note.pending].records(in: .all) } == [Note(1, ["a"])])
        #expect(try opened.store.verify().problems == [])
        // If it were built again, this entry would go.
        opened = try opened.reopened(schema: Self.formerSchema)
        try await opened.store.checksummedPut("notes.pending", Array("left".utf8) + uuid(1).keyBytes.array, [])
        opened = try opened.reopened(schema: Self.schema)
        #expect(try count("notes.pending", in: opened.store) == 2)
        try await opened.store.write { try $0.put(Note(2, ["b"])) }
        #expect(try count(Self.rows, in: opened.store) == 1)
    }

    @Test(
        "A reader that opened such a store before another process made a pending list is told so, instead of missing records"
    )
    func formerReader() async throws {
        let writer = try TestStore(schema: Self.formerSchema)
        try await writer.store.write { try $0.put(Note(1, ["a"])) }
        var reading = StoreOptions()
        reading.isReadOnly = true
        let reader = try TestStore(schema: Self.schema, folder: writer.folder, options: reading)
        #expect(try reader.store.read { try $0[Note.pending].first(TextKey("a")) } == Note(1, ["a"]))
        // What the other process notes when it opens the store.
        let part = try reader.store.schema.collection(of: Note.self).bound(Note.pending)
        let meta = writer.store.schema.meta
        try await writer.store.environment.write { engine in
            let note = Meta.encode(part.version | PendingListRow.versionFlag)
            _ = try meta.put(Meta.builtKey(part.table.name), note, in: engine)
        }
        #expect(throws: RecordsError.engine(.tableMissing(name: Self.rows))) {
            try reader.store.read { _ = try $0[Note.pending].first(TextKey("a")) }
        }
    }

    @Test("Keys cannot be unique and have a pending list")
    func unique() {
        let schema = Schema().adding(
            RecordCollection<Note>("notes") {
                Field(1, "tags", .text)
                Index<Note, TextKey>(each: "byTag", isUnique: true, hasPendingList: true) {
                    $0.tags.map { TextKey($0) }
                }
            })
        #expect(throws: RecordsError.self) { try TestStore(schema: schema) }
    }
}
