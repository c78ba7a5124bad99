import CivilTime
import Foundation
import Injection
import Testing

@testable import Records

@Suite struct DeletionRuleTests {
    @Test("Whatever is written after a deletion in its transaction, nothing names the deleted record at the end")
    func writtenAfterDeletion() async throws {
        for seed: UInt64 in 1...40 {
            let random = SeededRandomSource(seed: seed)
            @Sendable func below(_ limit: UInt64) -> UInt64 { random.next() % limit }
            let opened = try TestStore(schema: Garden.schema)
            try await opened.store.write { transaction in
                for number: UInt64 in 0..<4 {
                    try transaction.put(Sensor(number, "s\(number)", neighbor: (number + 1) % 4))
                    try transaction.put(Sample(number, of: number))
                }
            }
            try await opened.store.write { transaction in
                for _ in 0..<12 {
                    let number = below(4)
                    switch below(4) {
                    case 0: try transaction.put(Sensor(number, "s\(number)", neighbor: below(4)))
                    case 1: try transaction.put(Sample(below(6), of: number))
                    default: try transaction.delete(Sensor.self, id: uuid(number))
                    }
                }
            }
            let (sensors, samples) = try opened.store.read {
                (try $0[Sensor.self].page(limit: .max), try $0[Sample.self].page(limit: .max))
            }
            let ids = Set(sensors.map(\.id))
            #expect(samples.allSatisfy { ids.contains($0.sensor) }, "seed \(seed)")
            #expect(sensors.compactMap(\.neighbor).allSatisfy { ids.contains($0) }, "seed \(seed)")
            #expect(try opened.store.verify().problems == [], "seed \(seed)")
        }
    }

    @Test("A closure that catches the error of a rule cannot commit what the rule forbids")
    func caughtError() async throws {
        let opened = try TestStore(schema: Garden.schema.adding(Stubborn.collection))
        let store = opened.store
        try await store.write { transaction in
            for number: UInt64 in 1...2 { try transaction.put(Sensor(number, "s\(number)")) }
            try transaction.put(Stubborn(id: uuid(7), sensor: uuid(1)))
        }
        let error = await recordsError {
            try await store.write { transaction in
                try? transaction.delete(Sensor.self, id: uuid(1))
                try transaction.put(Sensor(3, "s3"))
            }
        }
        #expect(error == .notEmpty)
        #expect(try store.read { try $0[Sensor.self].count() } == 2)
        #expect(try store.verify().problems == [])
    }

    /// A record that cannot be deleted with the one that it names.
    private struct Stubborn: Record {
        var id: UUID
        var sensor: UUID

        static let ofSensor = Reference<Stubborn, Sensor>("ofSensor", whenDeleted: .cascade, \.sensor)
        static let collection = RecordCollection<Stubborn>("stubborn") {
            Field(1, "sensor", .uuid)
            ofSensor
        }

        func deleteByReference(in transaction: WriteTransaction) throws { throw RecordsError.notEmpty }

        init(id: UUID, sensor: UUID) {
            self.id = id
            self.sensor = sensor
        }

        init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
            self.id = id
            sensor = try fields.uuid(1)
        }

        func encode(into fields: inout FieldEncoder) { fields.put(1, sensor) }
    }
}
