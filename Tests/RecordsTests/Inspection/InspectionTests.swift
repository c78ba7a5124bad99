import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Records

struct InspectionTests {
    private static let schema = Schema().adding(Sensor.collection).adding(Sample.collection).adding(Alarm.collection)

    @Test("The layout of a collection is stored and read back")
    func layout() throws {
        for layout in [Reading.collection.layout, Sensor.collection.layout, Sample.collection.layout] {
            #expect(CollectionLayout(decoding: layout.encoded) == layout)
            for count in 0..<layout.encoded.count {
                #expect(CollectionLayout(decoding: Array(layout.encoded.prefix(count))) == nil)
            }
        }
        #expect(Sample.collection.layout.indexes.map(\.key) == [UUID.parts, UUID.parts, [Instant.parts[0].reversed]])
    }

    @Test("A store notes the fields of an application's collections once, and none of a domain's")
    func notes() async throws {
        let store = try TestStore(schema: Self.schema)
        let before = try store.store.read { try $0.lastSequence() }
        let reopened = try store.reopened(schema: Self.schema)
        #expect(try reopened.store.read { try $0.lastSequence() } == before)
        let stranger = try reopened.reopened(schema: Schema(domain: "tests").adding(Reading.collection))
        #expect(stranger.store.schema.storedLayouts.isEmpty)
        #expect(try stranger.store.verify().isClean)
    }

    @Test("Pages of any size in the order of an index are the entries of the index, forward and backward")
    func pages() async throws {
        var dice = Dice(11)
        let store = try TestStore()
        let readings = (0..<120).map { Reading.random(UInt64($0), &dice) }
        try await store.store.write { transaction in for reading in readings { try transaction.put(reading) } }
        let model = readings.filter { $0.takenAt != nil }
            .sorted { ($0.takenAt!, $0.id.uuidString) < ($1.takenAt!, $1.id.uuidString) }
        for (schema, limit) in [(Reading.schema, 7), (Schema(), 100), (Schema(), 1)] {
            let store = try store.reopened(schema: schema)
            for backwards in [false, true] {
                let found = try store.store.inspect { inspection in
                    let collection = try #require(try inspection.collection("readings"))
                    #expect(collection.fields == Reading.collection.fields)
                    #expect(collection.count == 120)
                    var (rows, next): ([StoreInspection.Row], [UInt8]?) = ([], nil)
                    repeat {
                        let page = try inspection.page(
                            of: collection, by: "readings.byTime", backwards: backwards, after: next, limit: limit)
                        rows += page.rows
                        next = page.next
                    } while next != nil
                    return rows
                }
                let expected = backwards ? model.reversed() : model
                #expect(found.map(\.key) == expected.map { $0.id.keyArray })
                #expect(found.map(\.place) == expected.map { [.instant($0.takenAt!)] })
                #expect(found.allSatisfy { $0.record?.fields.first?.value == .text("roof") })
            }
        }
    }

    @Test("What inspection says of undo is what undo does")
    func undoOutcomes() async throws {
        var dice = Dice(5)
        let store = try TestStore()
        for _ in 0..<60 {
            let reading = Reading.random(UInt64(dice.below(25)), &dice)
            let deletes = dice.chance(25)
            try await store.store.write { transaction in
                if deletes {
                    try transaction.delete(Reading.self, id: reading.id)
                } else {
                    try transaction.put(reading)
                }
            }
        }
        var counts: [Bool: Int] = [:]
        let last = try store.store.read { try $0.lastSequence() }
        for sequence in 1...last {
            let outcome = try store.store.inspect { try $0.undoOutcome(of: sequence) }
            let isUndone = try Self.canUndo(sequence, in: store.store)
            #expect(isUndone == [.next, .possible].contains(outcome), "\(sequence): \(outcome)")
            if case .changedSince(let later) = outcome { #expect(later.allSatisfy { $0 > sequence }) }
            counts[isUndone, default: 0] += 1
        }
        #expect(counts.count == 2)
        #expect(try store.store.inspect { try $0.undoOutcome(of: last) } == .next)
        #expect(try store.store.inspect { try $0.undoOutcome(of: last + 1) } == .notThere)
    }

    /// Whether undo takes a change back, tried in a transaction that changes nothing.
    private static func canUndo(_ sequence: UInt64, in store: RecordStore) throws -> Bool {
        struct Rollback: Error {}
        do {
            try store.write { (transaction: WriteTransaction) -> Void in
                try transaction.undo(sequence)
                throw Rollback()
            }
        } catch is Rollback {
            return true
        } catch RecordsError.changedSince {
            return false
        }
        return false
    }

    @Test("Typed keys give the interval that the index has between them")
    func intervals() throws {
        let utc = Zone.utc
        func interval(_ from: String?, _ to: String?, _ parts: [KeyPart]) throws -> [[UInt8]?] {
            let interval = try KeyInterval(from: from, to: to, of: parts, in: utc)
            return [interval.lower?.array, interval.upper?.array]
        }
        #expect(try interval("3", "5", UInt8.parts) == [[3], [6]])
        #expect(try interval("5", "3", UInt8.parts) == [[3], [6]])
        #expect(try interval("3", nil, UInt8.parts) == [[3], nil])
        #expect(try interval(nil, " ", UInt8.parts) == [nil, nil])
        #expect(try interval("3", nil, Descending<UInt8>.parts) == [nil, [0xFD]])
        #expect(try interval("3, 7", "3, 9", Compound<UInt8, UInt16>.parts) == [[3, 0, 7], [3, 0, 10]])
        #expect(try interval("ab", "ab", TextKey.parts) == [Array("ab".utf8), Array("ac".utf8)])
        #expect(try interval("ff", nil, [KeyPart(.bytes, width: 0)]) == [[255], nil])
        for (text, parts) in [("x", UInt8.parts), ("300", UInt8.parts), ("2026-02-30", Day.parts), ("zz", UUID.parts)] {
            #expect(throws: RecordsError.self) { try interval(text, nil, parts) }
        }
    }

    @Test("An index that is not declared is shown by its bytes, and a damaged record as damaged")
    func undeclared() async throws {
        let store = try TestStore(schema: Self.schema)
        try await store.store.write { transaction in
            try transaction.put(Sensor(1, "roof", tags: ["warm", "high"]))
            try transaction.put(Sensor(2, "cellar"))
        }
        try Self.removeLayout(of: "sensors", in: store.store)
        let stranger = try store.reopened(schema: Schema())
        try stranger.store.inspect { inspection in
            let sensors = try #require(try inspection.collection("sensors"))
            #expect(sensors.declaration == .missing)
            #expect(sensors.indexes.map(\.name) == ["sensors.byName", "sensors.byTag"])
            let page = try inspection.page(of: sensors, by: "sensors.byTag")
            #expect(page.rows.count == 2)
            #expect(page.rows[0].record?.fields.map(\.value) == [.text("roof"), .text("warm\nhigh")])
            let entries = try inspection.entries(of: try #require(page.rows[0].record), in: sensors)
            #expect(entries.entries.count == 3 && entries.isComplete)
        }
    }

    private static func removeLayout(of collection: String, in store: RecordStore) throws {
        let key = Meta.declaredKey(Checksum.collectionNumber(of: collection))
        try store.environment.write { engine in
            _ = try engine.delete(key.bytes, in: store.schema.meta.table)
        }
    }
}
