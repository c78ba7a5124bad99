import CivilTime
import Foundation
import TestSupport

@testable import Records

/// Every record of a store as bytes, taken out of the transaction.
struct TakenImage: Equatable {
    var storeID: UUID?
    var sequence: UInt64
    var collections: [CollectionImage]
    var records: [String: [[UInt8]: [UInt8]]]

    init(of store: RecordStore) throws {
        (storeID, sequence, collections, records) = try store.readImage { image in
            var records: [String: [[UInt8]: [UInt8]]] = [:]
            for collection in image.collections {
                try image.forEachRecord(in: collection.name) { key, value in
                    records[collection.name, default: [:]][key.copied] = value.copied
                    return true
                }
            }
            return (image.storeID, image.sequence, image.collections, records)
        }
    }

    /// A store with these records, in a new folder.
    func loaded(
        into folder: TemporaryFolder, schema: Schema, batchLimit: Int = 8 << 20, runLimit: Int = 24 << 20
    ) throws -> [CollectionImage] {
        let loader = try StoreLoader(
            at: folder.store, schema: schema, context: .test(clock: SettableClock(TestStore.start), seed: 99),
            sequence: sequence, batchLimit: batchLimit, runLimit: runLimit)
        for (name, records) in records.sorted(by: { $0.key < $1.key }) {
            for (key, value) in records.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                try loader.append(key: key.span.bytes, value: value.span.bytes, to: name)
            }
        }
        return try loader.finish()
    }
}

/// Two collections that feed one index and its roll-up, as tasks and tombstones do.
struct Visit: Record, Equatable {
    static let byTime = Index<Visit, Instant>(shared: "visits.byTime") { $0.at }
    static let counts = RollUp("visits.counts", over: byTime)
    static let collection = RecordCollection<Visit>("visits") {
        byTime
        counts
    }

    var id: UUID
    var at: Instant?

    init(_ number: UInt64, at: Instant?) {
        id = uuid(number)
        self.at = at
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        at = try fields.optionalInstant(1)
    }

    func encode(into fields: inout FieldEncoder) { fields.put(1, at) }

    var brokenInvariants: [String] { at == Instant(microsecondsSince1970: 13) ? ["an unlucky instant"] : [] }
}

/// What stays of a visit.
struct VisitTrace: Record, Equatable {
    static let byTime = Index<VisitTrace, Instant>(shared: "visits.byTime") { $0.at }
    static let counts = RollUp("visits.counts", over: byTime)
    static let collection = RecordCollection<VisitTrace>("visitTraces") {
        byTime
        counts
    }

    var id: UUID
    var at: Instant?

    init(_ number: UInt64, at: Instant?) {
        id = uuid(number)
        self.at = at
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        at = try fields.optionalInstant(1)
    }

    func encode(into fields: inout FieldEncoder) { fields.put(1, at) }
}

enum ImageSchema {
    /// Readings, visits and what stays of them.
    static let all = Reading.schema.adding(Visit.collection).adding(VisitTrace.collection)
}

extension TestStore {
    /// A random transaction over all three collections: puts, deletes, undo or redo.
    func change(_ dice: inout Dice) async throws {
        clock.advance(byMicroseconds: 1_000_000)
        switch dice.below(10) {
        case 0: _ = await recordsError { try await store.write { _ = try $0.undo() } }
        case 1: _ = await recordsError { try await store.write { _ = try $0.redo() } }
        default:
            var steps: [@Sendable (WriteTransaction) throws -> Void] = []
            for _ in 0..<1 + dice.below(4) {
                let number = UInt64(dice.below(30))
                let at = Instant.random(&dice)
                switch dice.below(6) {
                case 0: steps.append { try $0.delete(Reading.self, id: uuid(number)) }
                case 1, 2:
                    let reading = Reading.random(number, &dice)
                    steps.append { try $0.put(reading) }
                case 3: steps.append { try $0.put(Visit(number, at: at)) }
                case 4: steps.append { try $0.delete(VisitTrace.self, id: uuid(number)) }
                default:
                    // A visit becomes a trace, its entry of the shared index stays.
                    steps.append { transaction in
                        guard let visit = try transaction[Visit.self].get(uuid(number)) else { return }
                        try transaction.delete(Visit.self, id: visit.id)
                        try transaction.put(VisitTrace(number, at: visit.at))
                    }
                }
            }
            let all = steps
            try await store.write { for step in all { try step($0) } }
        }
    }
}
