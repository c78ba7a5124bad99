import CivilTime
import Foundation
import KeyValue
import Testing

@testable import Records

@Suite struct BulkLoadTests {
    private static let small = BulkLoadLimits(records: 1 << 10, derived: 1 << 11, transaction: 1 << 10)
    private static let schema = Garden.schema.adding(ImageSchema.all)

    /// Records of every kind, in random order. The same seed gives the same.
    private static func inserts(_ count: Int, _ dice: inout Dice) -> [@Sendable (any RecordTarget) throws -> Void] {
        var inserts: [@Sendable (any RecordTarget) throws -> Void] = []
        for number in 0..<UInt64(count) {
            let neighbor = dice.chance(30) ? UInt64(dice.below(count)) : nil
            let tags = (0..<dice.below(4)).map { _ in dice.pick(["wet", "dry", "long tag of many letters, and more"]) }
            let sensor = Sensor(number, "sensor \(number)", tags: tags, neighbor: neighbor)
            inserts.append { try $0.add(sensor) }
            let sample = Sample(
                number, of: UInt64(dice.below(count)), second: Int64(dice.below(50)), value: Int64(dice.below(9)) - 4)
            inserts.append { try $0.add(sample) }
            let draft = Draft(number, dice.pick(["a", "b", String(repeating: "long ", count: dice.below(300))]))
            inserts.append { try $0.add(draft) }
            let (visit, trace) = (Visit(number, at: .random(&dice)), VisitTrace(number, at: .random(&dice)))
            inserts.append { try $0.add(visit) }
            // The same entry of the shared index, from another collection.
            let twin = dice.chance(20) ? VisitTrace(number, at: visit.at) : trace
            inserts.append { try $0.add(twin) }
            let reading = Reading.random(number, &dice)
            inserts.append { try $0.add(reading) }
        }
        return inserts.shuffled(using: &dice)
    }

    /// Every entry of every table but the change log and `meta`, whose rows have their own moments.
    private static func entries(of store: RecordStore) throws -> [String: [[UInt8]: [UInt8]]] {
        let names = schema.tableNames.filter { $0 != ChangeLog.tableName && $0 != Meta.tableName }
        let tables = try store.environment.openPresentTables(names)
        return try store.environment.read { engine in
            var entries: [String: [[UInt8]: [UInt8]]] = [:]
            for table in tables {
                try engine.withCursor(over: table) { cursor in
                    var isOnEntry = try cursor.moveToFirst()
                    while isOnEntry {
                        try cursor.withEntry { entries[table.name, default: [:]][$0.copied] = $1.copied }
                        isOnEntry = try cursor.moveToNext()
                    }
                }
            }
            return entries
        }
    }

    @Test(
        "A bulk load leaves the same records, indexes, roll-ups and tallies as a transaction, with a clean verification",
        arguments: 1...12 as ClosedRange<UInt64>)
    func equalsTransaction(seed: UInt64) async throws {
        var dice = Dice(seed)
        let inserts = Self.inserts(1 + dice.below(seed < 4 ? 500 : 60), &dice)
        let (loaded, written) = (try TestStore(schema: Self.schema), try TestStore(schema: Self.schema, seed: 2))
        let limits = dice.chance(70) ? Self.small : BulkLoadLimits()
        let last = try loaded.store.bulkLoad(ChangeLabel(operation: "load"), limits: limits) { loader in
            for insert in inserts { try insert(loader) }
        }
        try await written.store.write { transaction in for insert in inserts { try insert(transaction) } }
        #expect(try Self.entries(of: loaded.store) == Self.entries(of: written.store))
        #expect(try loaded.store.verify().problems == [])
        #expect(try loaded.store.environment.pageProblems().all == [])
        let image = try TakenImage(of: loaded.store)
        #expect(try image.collections == TakenImage(of: written.store).collections)
        #expect(image.sequence == last)
        // It goes on as every other store does, also after it was opened again.
        try await loaded.store.write { try $0.put(Alarm(1)) }
        let opened = try loaded.reopened(schema: Self.schema)
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.store.information().lastSequence == last + 1)
    }

    @Test("Undo takes a bulk load back as one operation, and redo restores it")
    func undo() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { try $0.put(Alarm(9)) }
        _ = try await store.write { try $0.delete(Alarm.self, id: uuid(9)) }
        let label = ChangeLabel(operation: "garden.load", origin: .importing)
        _ = try store.bulkLoad(label, limits: Self.small) { loader in
            for number in 0..<3500 as Range<UInt64> { try loader.insert(Sensor(number, "\(number)")) }
        }
        let loaded = try TakenImage(of: store).collections
        #expect(try await store.write { try $0.undo() } == label)
        #expect(try store.read { try $0[Sensor.self].count() } == 0)
        #expect(try store.verify().problems == [])
        _ = try await store.write { try $0.redo() }
        #expect(try TakenImage(of: store).collections == loaded)
        _ = try await store.write { try $0.undo() }
        // What was there before the load is the next to be undone.
        _ = try await store.write { try $0.undo() }
        #expect(try store.read { try $0[Alarm.self].get(uuid(9)) } != nil)
    }

    @Test("A consumer of changes and a feed receive every record of a bulk load once")
    func changes() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let feed = store.changes(after: 0).makeAsyncIterator()
        try store.bulkLoad { loader in
            for number in (0..<2500 as Range<UInt64>).reversed() { try loader.insert(Sensor(number, "\(number)")) }
        }
        var ids: [UUID] = []
        while ids.count < 2500, let change = try await feed.next() {
            ids += try change.entries.map { try $0.id() }
        }
        #expect(ids.count == 2500 && Set(ids).count == 2500)
    }

    @Test("An observer of commits in this process sees a bulk load")
    func observers() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let counts = store.observe { try $0[Sensor.self].count() }
        let last = Task { try await counts.first { $0.value == 50 } }
        for try await count in counts where count.value == 0 { break }
        try store.bulkLoad { loader in
            for number in 0..<50 as Range<UInt64> { try loader.insert(Sensor(number, "\(number)")) }
        }
        #expect(try await last.value?.value == 50)
    }

    /// The error of a bulk load, after which the store must be as before and take part in everything else.
    private func error(
        in opened: TestStore, checking check: (ReadTransaction) throws -> Void = { _ in },
        _ body: (BulkLoader) throws -> Void
    ) throws -> RecordsError? {
        let store = opened.store
        let before = try TakenImage(of: store)
        var found: RecordsError?
        do {
            _ = try store.bulkLoad(limits: Self.small, checking: check, body)
        } catch {
            found = error as? RecordsError
            #expect(try TakenImage(of: store).collections == before.collections)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).contains("loading") == false)
        #expect(try store.verify().problems == [])
        return found
    }

    @Test(
        "After an insert that failed, everything fails with its error, and nothing is loaded, though the caller goes on"
    )
    func failedInsert() throws {
        let empty = try TestStore(schema: Garden.schema)
        let (folder, hidden) = ("\(empty.store.path)/loading", "\(empty.store.path)/hidden")
        var failures = 0
        let found = try error(in: empty) { loader in
            // No file can be created for what does not fit into memory.
            try FileManager.default.moveItem(atPath: folder, toPath: hidden)
            for number in 0..<2000 as Range<UInt64> {
                do { try loader.insert(Sensor(number, "\(number)")) } catch { failures += 1 }
                guard failures == 1 else { continue }
                if FileManager.default.fileExists(atPath: hidden) {
                    try FileManager.default.moveItem(atPath: hidden, toPath: folder)
                }
            }
        }
        #expect(1..<2000 ~= failures)
        #expect(found != nil)
        #expect(try empty.store.read { try $0[Sensor.self].count() } == 0)
    }

    @Test("Records that contradict each other are refused, and nothing is loaded")
    func contradictions() throws {
        let empty = try TestStore(schema: Garden.schema)
        #expect(
            try error(in: empty) { loader in
                for number in [1, 2, 1] as [UInt64] { try loader.insert(Alarm(number)) }
            } == .duplicate(collection: "alarms", key: uuid(1).keyBytes.hexadecimal))
        #expect(
            try error(in: empty) { loader in
                try loader.insert(Sensor(1, "roof"))
                for number in 2..<200 as Range<UInt64> { try loader.insert(Sensor(number, "\(number)")) }
                try loader.insert(Sensor(200, "Roof"))
            } == .duplicateKey(index: "sensors.byName"))
        #expect(
            try error(in: empty) { loader in
                try loader.insert(Sensor(1, "roof"))
                try loader.insert(Sample(1, of: 2))
            } == .missingTarget(reference: "samples.ofSensor"))
        #expect(try error(in: empty) { try $0.insert(Visit(1, at: nil)) } == .unknownCollection(name: "visits"))
        struct Stop: Error {}
        #expect(throws: Stop.self) { try empty.store.bulkLoad { _ in throw Stop() } }
        #expect(throws: Stop.self) {
            try empty.store.bulkLoad(checking: { transaction in
                #expect(try transaction[Alarm.self].count() == 1)
                throw Stop()
            }) { try $0.insert(Alarm(1)) }
        }
        #expect(try empty.store.information().lastSequence == 0)
        // After all of this it takes a load.
        #expect(try error(in: empty) { try $0.insert(Alarm(1)) } == nil)
        #expect(try empty.store.read { try $0[Alarm.self].count() } == 1)
    }

    @Test("A store with records, and one that is written to meanwhile, are left alone")
    func otherWriters() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        // Written after the last look of the loader, which its end notices.
        #expect(throws: RecordsError.notEmpty) {
            try store.bulkLoad { loader in
                try loader.insert(Alarm(1))
                try store.write { try $0.put(Draft(1, "x")) }
            }
        }
        #expect(try store.read { try ($0[Alarm.self].count(), $0[Draft.self].count()) } == (0, 1))
        var inserted = 0
        #expect(
            try error(in: opened) { loader in
                inserted += 1
                try loader.insert(Alarm(1))
            } == .notEmpty)
        #expect(inserted == 0)
        _ = try await store.write { try $0.delete(Draft.self, id: uuid(1)) }
        // A write in the middle ends the load long before its end.
        #expect(
            try error(in: opened) { loader in
                try store.write { try $0.put(Draft(2, "x")) }
                _ = try store.write { try $0.delete(Draft.self, id: uuid(2)) }
                for number in 0..<1_000_000 as Range<UInt64> {
                    inserted += 1
                    try loader.insert(Alarm(number))
                }
            } == .notEmpty)
        #expect(inserted < 10_000)
        // Two loads at once: the second is refused, the first goes on.
        #expect(
            try error(in: opened) { loader in
                try loader.insert(Alarm(1))
                #expect(throws: RecordsError.notEmpty) { try store.bulkLoad { try $0.insert(Alarm(2)) } }
            } == nil)
        #expect(try store.read { try $0[Alarm.self].count() } == 1)
    }

    @Test("A read transaction that is open during a bulk load keeps its moment, and the next one sees everything")
    func openReader() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let file = "\(store.path)/data.mdb"
        let number = { try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int }
        let before = try number()
        let begun = DispatchSemaphore(value: 0)
        let counts = Task {
            try await onDedicatedThread {
                try store.read { transaction in
                    begun.signal()
                    while try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == before {
                        usleep(1000)
                    }
                    return try transaction[Alarm.self].count()
                }
            }
        }
        try await onDedicatedThread {
            begun.wait()
            try store.bulkLoad { try $0.insert(Alarm(1)) }
        }
        #expect(try await counts.value == 0)
        #expect(try store.read { try $0[Alarm.self].count() } == 1)
    }

    @Test("A loader cannot be used after its closure, and a bulk load not inside a transaction")
    func misuse() throws {
        let opened = try TestStore(schema: Garden.schema)
        var kept: BulkLoader?
        try opened.store.bulkLoad { kept = $0 }
        #expect(throws: RecordsError.transactionEnded) { try kept?.insert(Alarm(1)) }
        kept = nil
        #expect(throws: RecordsError.engine(.nestedWrite)) {
            try opened.store.read { _ in try opened.store.bulkLoad { try $0.insert(Alarm(1)) } }
        }
        let reader = try RecordStore(
            at: opened.folder.store, schema: Garden.schema, options: StoreOptions(isReadOnly: true))
        #expect(throws: RecordsError.engine(.readOnly)) { try reader.bulkLoad { try $0.insert(Alarm(1)) } }
    }

    @Test("The change log of a bulk load keeps no more than the retention says")
    func retention() throws {
        let opened = try TestStore(
            schema: Garden.schema, options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 1 << 20)))
        try opened.store.bulkLoad { loader in
            for number in 0..<300_000 as Range<UInt64> { try loader.insert(Alarm(number)) }
        }
        let changes = try #require(try opened.store.environment.openPresentTables(["changes"]).first)
        let rows = try opened.store.environment.read { try $0.entryCount(of: changes) }
        #expect((64..<300).contains(rows))
        #expect(try opened.store.information().lastSequence == 300)
        #expect(try opened.store.verify().problems == [])
    }
}

/// What takes new records: a transaction or a bulk load.
protocol RecordTarget {
    func add<R: Record>(_ record: R) throws
}

extension WriteTransaction: RecordTarget {
    func add<R: Record>(_ record: R) throws { try insert(record) }
}

extension BulkLoader: RecordTarget {
    func add<R: Record>(_ record: R) throws { try insert(record) }
}
