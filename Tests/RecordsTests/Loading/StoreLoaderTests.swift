import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

@Suite struct StoreLoaderTests {
    private let context = Context.test(clock: SettableClock(TestStore.start), seed: 7)

    private func loader(_ folder: TemporaryFolder, schema: Schema = ImageSchema.all) throws -> StoreLoader {
        try StoreLoader(at: folder.store, schema: schema, context: context, sequence: 3)
    }

    private func names(in folder: TemporaryFolder) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? ["?"]
    }

    /// The error of the loader for some records, added in order and finished.
    private func error(
        of records: [(name: String, key: [UInt8], value: [UInt8])],
        in folder: TemporaryFolder = TemporaryFolder(on: .memory)
    ) throws -> RecordsError? {
        let loader = try loader(folder)
        do {
            for record in records {
                try loader.append(key: record.key.span.bytes, value: record.value.span.bytes, to: record.name)
            }
            _ = try loader.finish()
            return nil
        } catch {
            // The loader stays unusable: what was loaded so far must not pass for everything.
            #expect(throws: error) { try loader.finish() }
            return error
        }
    }

    private static let good = Reading(1, at: TestStore.start, note: "good").fieldBytes

    @Test("A loader that is abandoned or released leaves nothing")
    func leavesNothing() throws {
        let folder = TemporaryFolder(on: .memory)
        var loader: StoreLoader? = try loader(folder)
        try loader?.append(key: uuid(1).keyBytes.bytes, value: Self.good.span.bytes, to: "readings")
        #expect(names(in: folder) == ["store"])
        loader?.abandon()
        #expect(names(in: folder) == [])
        loader?.abandon()
        loader = try self.loader(folder)
        loader = nil
        #expect(names(in: folder) == [])
        loader = try self.loader(folder)
        _ = try loader?.finish()
        loader?.abandon()
        loader = nil
        #expect(names(in: folder) == ["store"])
        let opened = try TestStore(folder: folder)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A loader refuses an existing folder and leaves it unchanged")
    func existingFolder() throws {
        let opened = try TestStore()
        let before = opened.folder.contents
        #expect(throws: RecordsError.engine(.notAStore(path: opened.folder.store))) { try loader(opened.folder) }
        #expect(opened.folder.contents == before)
        let folder = TemporaryFolder(on: .memory)
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: false)
        #expect(throws: RecordsError.engine(.notAStore(path: folder.store))) { try loader(folder) }
        #expect(throws: RecordsError.self) {
            try StoreLoader(at: "\(folder.path)/other", schema: Reading.schema, context: context, sequence: .max)
        }
        #expect(names(in: folder) == ["store"])
    }

    @Test("Records of a newer schema are refused before the folder is created")
    func newerSchema() throws {
        let folder = TemporaryFolder(on: .memory)
        let version = ImageSchema.all.version
        #expect(
            throws: RecordsError.newerFormat(path: folder.store, found: Int(version) + 1, known: Int(version))
        ) {
            try StoreLoader(
                at: folder.store, schema: ImageSchema.all, context: context, sequence: 3, schemaVersion: version + 1)
        }
        #expect(names(in: folder) == [])
    }

    @Test("Keys that are invalid, out of order, empty or too long are refused by name")
    func keys() throws {
        let one = uuid(1).keyBytes.array
        for key in [
            [], [1], one + [0], one.dropLast(), Array(repeating: 1, count: 65), Array(repeating: 1, count: 600),
        ] as [[UInt8]] {
            for name in ["readings", "nobodys"] where name == "readings" || !(1...64 ~= key.count) {
                #expect(
                    try error(of: [(name, key, Self.good)])
                        == .refusedRecord(collection: name, key: KeyBytes(key).hexadecimal))
            }
        }
        let two = uuid(2).keyBytes.array
        for name in ["readings", "nobodys"] {
            #expect(try error(of: [(name, one, Self.good), (name, two, Self.good)]) == nil)
            for keys in [[one, one], [two, one]] {
                #expect(
                    try error(of: keys.map { (name, $0, Self.good) })
                        == .refusedRecord(collection: name, key: KeyBytes(keys[1]).hexadecimal))
            }
        }
    }

    @Test("A value that is not a record of its collection is refused by name, and no value ends the process")
    func values() throws {
        let key = uuid(1).keyBytes
        let refused = RecordsError.refusedRecord(collection: "readings", key: key.hexadecimal)
        for value in [[], [1], [2] + Self.good.dropFirst(), Self.good.dropLast(), Self.good + [0]] as [[UInt8]] {
            #expect(try error(of: [("readings", key.array, value)]) == refused)
            #expect(try error(of: [("nobodys", key.array, value)]) == nil)
        }
        // A violated invariant would be a problem for `verify`.
        let unlucky = Visit(1, at: Instant(microsecondsSince1970: 13)).fieldBytes
        #expect(
            try error(of: [("visits", key.array, unlucky)])
                == .refusedRecord(collection: "visits", key: key.hexadecimal))
    }

    @Test("Random bytes are refused, or make a store that verifies")
    func anyBytes() throws {
        var dice = Dice(11)
        var (taken, refused) = (0, 0)
        for round in 0..<200 {
            let folder = TemporaryFolder(on: .memory)
            var value = Reading.random(1, &dice).fieldBytes
            for _ in 0..<1 + dice.below(2) {
                switch dice.below(4) {
                case 0: value.insert(UInt8(dice.below(256)), at: dice.below(value.count + 1))
                case 1: value.remove(at: dice.below(value.count))
                default: value[dice.below(value.count)] ^= 1 << UInt8(dice.below(8))
                }
            }
            if try error(of: [("readings", uuid(1).keyBytes.array, value)], in: folder) != nil {
                refused += 1
                continue
            }
            taken += 1
            let opened = try TestStore(schema: ImageSchema.all, folder: folder)
            #expect(try opened.store.verify().problems == [], "\(round)")
        }
        #expect(taken > 0 && refused > 0)
    }

    @Test("Invalid names of collections are refused")
    func badNames() throws {
        let record = { (name: String) in (name: name, key: uuid(1).keyBytes.array, value: Self.good) }
        for name in [
            "", "meta", "changes", "lost", "readings.byTime", "visits.counts", "a\0b",
            String(repeating: "n", count: 512),
        ] {
            guard case .badDeclaration = try error(of: [record(name)]) else {
                Issue.record("\(name) was taken")
                continue
            }
        }
        guard case .badDeclaration = try error(of: [record("readings"), record("nobodys"), record("readings")]) else {
            Issue.record("two pieces were taken")
            return
        }
        // More tables than a store can have is an error as well.
        #expect(try error(of: (0..<200).map { record("name\($0)") }) != nil)
    }

    @Test("A store whose file is overwritten during loading is not handed over", arguments: [0, 1, 2, 3])
    func checkFindsDamage(kind: Int) throws {
        let folder = TemporaryFolder(on: .memory)
        let draft = try DraftEnvironment(at: folder.store, files: [:])
        let table = ChecksummedTable(try draft.openTables(["readings"])[0])
        try draft.write { transaction in
            for number in 0..<500 as Range<UInt64> { try table.put(uuid(number).keyBytes, Self.good, in: transaction) }
        }
        let intact = try draft.read { try table.checkedCount(in: $0) { _, _ in } }
        #expect(intact?.count == 500)
        try draft.write { transaction in
            let key = uuid(250).keyBytes
            switch kind {
            case 0: try transaction.delete(key.bytes, in: table.table)
            case 1: try table.put(key, Self.good + [0], in: transaction)
            case 2: try transaction.put(key.bytes, Self.good.span.bytes, in: table.table)
            default: try table.put(KeyBytes(key.array + [0]), Self.good, in: transaction)
            }
        }
        #expect(try draft.read { try table.checkedCount(in: $0) { _, _ in } } != intact)
    }

    @Test("An open store cannot be claimed through any path")
    func isOpen() throws {
        let opened = try TestStore()
        #expect(try RecordStore.claim(at: opened.folder.store) == nil)
        #expect(try RecordStore.claim(at: opened.folder.path + "/./store/") == nil)
        #expect(try RecordStore.claim(at: opened.folder.path) != nil)
        opened.store.close()
        #expect(try RecordStore.claim(at: opened.folder.store) != nil)
        #expect(throws: RecordsError.engine(.storeNotFound(path: opened.folder.path + "/none"))) {
            try RecordStore.claim(at: opened.folder.path + "/none")
        }
    }
}
