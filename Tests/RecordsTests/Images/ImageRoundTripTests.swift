import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

@Suite struct ImageRoundTripTests {
    private static let tables = [
        "readings", "readings.byTime", "readings.byLevel", "readings.perDay", "visits", "visitTraces",
        "visits.byTime", "visits.counts",
    ]

    @Test(
        "Loading an image gives the same records, indexes and roll-ups, and verify is clean",
        arguments: 1...4 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) async throws {
        let opened = try TestStore(schema: ImageSchema.all)
        var dice = Dice(seed)
        for _ in 0..<15 {
            for _ in 0..<1 + dice.below(5) { try await opened.change(&dice) }
            let image = try TakenImage(of: opened.store)
            let folder = TemporaryFolder(on: .memory)
            // Small limits, so that runs go between what is there already.
            let result = try image.loaded(
                into: folder, schema: ImageSchema.all, batchLimit: 1 << dice.below(12), runLimit: 1 << dice.below(14))
            #expect(result == image.collections)
            let loaded = try TestStore(schema: ImageSchema.all, folder: folder)
            try #require(try loaded.store.verify().problems == [])
            for table in Self.tables {
                #expect(try loaded.store.rawEntries(table) == opened.store.rawEntries(table), "\(table)")
            }
            let again = try TakenImage(of: loaded.store)
            #expect(again.collections == image.collections)
            #expect(again.records == image.records)
            #expect(again.sequence == image.sequence + 1)
            #expect(again.storeID != image.storeID)
        }
    }

    @Test("Many records in several batches and runs are loaded unchanged")
    func many() async throws {
        let opened = try TestStore(schema: ImageSchema.all)
        try await opened.store.write { transaction in
            var dice = Dice(5)
            for number in 0..<20_000 as Range<UInt64> {
                try transaction.put(Reading.random(number, &dice))
                try transaction.put(Visit(number, at: .random(&dice)))
            }
        }
        let image = try TakenImage(of: opened.store)
        let folder = TemporaryFolder(on: .memory)
        _ = try image.loaded(into: folder, schema: ImageSchema.all, batchLimit: 1 << 16, runLimit: 1 << 18)
        let loaded = try TestStore(schema: ImageSchema.all, folder: folder)
        #expect(try loaded.store.verify().problems == [])
        for table in Self.tables {
            #expect(try loaded.store.rawEntries(table) == opened.store.rawEntries(table), "\(table)")
        }
    }

    @Test("A loaded store opens without a write, continues the sequence numbers, and has nothing to undo")
    func shouldContinue() async throws {
        let opened = try TestStore()
        for number in 0..<5 as Range<UInt64> { try await opened.put(Reading(number, at: TestStore.start)) }
        let image = try TakenImage(of: opened.store)
        #expect(image.sequence == 5)
        let folder = TemporaryFolder(on: .memory)
        _ = try image.loaded(into: folder, schema: Reading.schema)
        let before = folder.contents
        var loaded = try TestStore(folder: folder)
        loaded.store.close()
        #expect(folder.contents == before)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.store)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        loaded = try TestStore(folder: folder)
        #expect(try loaded.store.read { try $0.lastSequence() } == 6)
        await #expect(throws: RecordsError.nothingToUndo) { try await loaded.store.write { try $0.undo() } }
        try await loaded.put(Reading(9))
        #expect(try loaded.store.read { try $0.lastSequence() } == 7)
        try await loaded.store.write { try $0.undo() }
        await #expect(throws: RecordsError.nothingToUndo) { try await loaded.store.write { try $0.undo() } }
        #expect(try loaded.readings() == opened.readings())
        #expect(try loaded.store.verify().problems == [])
    }

    @Test("Two collections may have the same entry in an index that they share")
    func sharedEntry() async throws {
        let opened = try TestStore(schema: ImageSchema.all)
        try await opened.store.write { transaction in
            for number in 0..<50 as Range<UInt64> {
                try transaction.put(Visit(number, at: TestStore.start))
                try transaction.put(VisitTrace(number, at: TestStore.start))
            }
        }
        let image = try TakenImage(of: opened.store)
        for runLimit in [1, 1 << 20] {
            let folder = TemporaryFolder(on: .memory)
            _ = try image.loaded(into: folder, schema: ImageSchema.all, runLimit: runLimit)
            let loaded = try TestStore(schema: ImageSchema.all, folder: folder)
            #expect(try loaded.store.verify().problems == [])
            #expect(try loaded.store.rawEntries("visits.byTime").count == 50)
        }
    }

    @Test("An empty store has an image, and loads")
    func empty() throws {
        let opened = try TestStore()
        let image = try TakenImage(of: opened.store)
        #expect(image.collections == [])
        #expect(image.sequence == 0)
        let folder = TemporaryFolder(on: .memory)
        #expect(try image.loaded(into: folder, schema: Reading.schema) == [])
        let loaded = try TestStore(folder: folder)
        #expect(try loaded.store.verify().problems == [])
        #expect(try loaded.readings().isEmpty)
    }

    @Test("A record that is larger than a batch survives")
    func largeRecord() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1), Reading(2, note: String(repeating: "n", count: 20 << 20)), Reading(3))
        let image = try TakenImage(of: opened.store)
        let folder = TemporaryFolder(on: .memory)
        #expect(try image.loaded(into: folder, schema: Reading.schema) == image.collections)
        #expect(try TestStore(folder: folder).readings() == opened.readings())
    }

    @Test(
        "Collections that the program does not know are taken and loaded, and the next program that does builds on them"
    )
    func unknownCollections() async throws {
        var opened = try TestStore(schema: ImageSchema.all)
        var dice = Dice(3)
        for _ in 0..<80 { try await opened.change(&dice) }
        let whole = try TakenImage(of: opened.store)
        let tables = try Self.tables.map { try opened.store.rawEntries($0) }
        // Readings alone are known to the program that takes the snapshot and to the one that restores it.
        opened = try opened.reopened(schema: Reading.schema)
        let image = try TakenImage(of: opened.store)
        #expect(image == whole)
        let folder = TemporaryFolder(on: .memory)
        #expect(try image.loaded(into: folder, schema: Reading.schema) == whole.collections)
        var loaded = try TestStore(folder: folder)
        #expect(try loaded.store.verify().problems == [])
        #expect(try TakenImage(of: loaded.store).records == whole.records)
        loaded = try loaded.reopened(schema: ImageSchema.all)
        #expect(try loaded.store.verify().problems == [])
        for (table, entries) in zip(Self.tables, tables) {
            #expect(try loaded.store.rawEntries(table) == entries, "\(table)")
        }
        let all = Instant(microsecondsSince1970: .min)..<Instant(microsecondsSince1970: .max)
        let counted = try loaded.store.read { try $0[Visit.counts].count(in: all) }
        #expect(counted == whole.collections.filter { $0.name.hasPrefix("visit") }.map(\.count).reduce(0, +))
        #expect(counted > 0)
    }

    @Test("The digest of records outside a store equals the stored digest")
    func digest() async throws {
        let opened = try TestStore(schema: ImageSchema.all)
        var dice = Dice(8)
        for _ in 0..<50 { try await opened.change(&dice) }
        let image = try TakenImage(of: opened.store)
        for collection in image.collections {
            var digest = CollectionDigest(collection: collection.name)
            for (key, value) in image.records[collection.name] ?? [:] {
                digest.add(key: key.span.bytes, value: value.span.bytes)
            }
            #expect(CollectionImage(name: collection.name, count: digest.count, digest: digest.digest) == collection)
        }
    }

    @Test("Reading an image can stop early, reads single records, and rethrows errors of the closure")
    func reading() async throws {
        struct Stop: Error {}
        let opened = try TestStore()
        try await opened.put(Reading(1), Reading(2), Reading(3))
        let image = try TakenImage(of: opened.store)
        try opened.store.readImage { (lent) throws in
            var seen = 0
            try lent.forEachRecord(in: "readings") { _, _ in
                seen += 1
                return seen < 2
            }
            #expect(seen == 2)
            try lent.forEachRecord(in: "nowhere") { _, _ in false }
            #expect(
                try lent.record(uuid(2).keyBytes.array, in: "readings")
                    == image.records["readings"]?[uuid(2).keyBytes.array])
            #expect(try lent.record(uuid(4).keyBytes.array, in: "readings") == nil)
            #expect(try lent.record([], in: "readings") == nil)
            #expect(throws: Stop.self) { try lent.forEachRecord(in: "readings") { _, _ in throw Stop() } }
        }
        #expect(throws: Stop.self) { try opened.store.readImage { _ in throw Stop() } }
    }

    @Test("An image shows one moment during concurrent writes")
    func oneMoment() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1), Reading(2))
        let before = try TakenImage(of: opened.store)
        let store = opened.store
        try opened.store.readImage { (image) throws in
            // On another thread: this one is inside a transaction.
            let thread = Thread { try? store.write { try $0.put(Reading(3)) } }
            let last = store
            thread.start()
            while try last.read({ try $0.lastSequence() }) == 1 { sched_yield() }
            #expect(image.collections == before.collections)
            var seen = 0
            try image.forEachRecord(in: "readings") { _, _ in
                seen += 1
                return true
            }
            #expect(seen == 2)
        }
        #expect(try TakenImage(of: opened.store).collections.map(\.count) == [3])
    }

    // MARK: Damage

    @Test("A damaged record is named, and none of its bytes is passed on")
    func damagedRecord() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1), Reading(2), Reading(3))
        try await opened.store.flip("readings", entry: 1, byte: 4)
        let key = uuid(2).keyBytes
        let expected = RecordsError.damagedRecord(collection: "readings", key: key.hexadecimal)
        try opened.store.readImage { (image) throws in
            var seen = 0
            #expect(throws: expected) {
                try image.forEachRecord(in: "readings") { _, _ in
                    seen += 1
                    return true
                }
            }
            #expect(seen == 1)
            #expect(throws: expected) { try image.record(key.array, in: "readings") }
        }
    }

    @Test("Missing or uncounted records are damage, not a smaller snapshot")
    func miscounted() async throws {
        for isKnown in [true, false] {
            for change in 0..<4 {
                let opened = try TestStore(schema: ImageSchema.all)
                try await opened.put(Reading(1), Reading(2))
                let key = uuid(1).keyBytes.array
                switch change {
                case 0: try await opened.store.rawDelete("readings", key)
                case 1:
                    let value = try opened.store.rawEntries("readings")[0].value
                    try await opened.store.checksummedPut("readings", key, value.dropLast(4) + [40, 1, 0])
                case 2:
                    try await opened.store.rawDelete(
                        "meta", Meta.countKey(Checksum.collectionNumber(of: "readings")).array)
                default:
                    let rows = try opened.store.rawEntries("meta")
                    let count = try #require(rows.firstIndex { $0.key.starts(with: Meta.countPrefix.array) })
                    try await opened.store.flip("meta", entry: count)
                }
                // The former count of an undeclared collection cannot be known.
                if change == 2, !isKnown { continue }
                let reader = try opened.reopened(
                    schema: isKnown ? ImageSchema.all : Schema().adding(EveryForm.collection))
                let error = await recordsError { _ = try TakenImage(of: reader.store) }
                #expect(error?.isDamage == true, "\(change) \(isKnown)")
            }
        }
    }

    @Test("A count without a table is damage")
    func countWithoutTable() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        var count = Meta.countPrefix
        count.append(bigEndian: 77 as UInt32)
        try await opened.store.checksummedPut("meta", count.array, RecordCount(count: 1, digest: 5).encoded)
        let error = await recordsError { _ = try TakenImage(of: opened.store) }
        #expect(error?.isDamage == true)
    }
}
