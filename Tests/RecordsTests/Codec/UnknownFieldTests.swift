import CivilTime
import Foundation
import Testing

@testable import Records

/// A reading as a newer version of the program has it: fields before, between and after those of `Reading`.
private struct NewerReading: Record {
    static let collection = RecordCollection<NewerReading>("readings") {}

    var id: UUID
    var sensor: String
    var takenAt: Instant?
    var battery: Double?
    var owner: UUID?
    var comment: String?

    init(_ number: UInt64, sensor: String) {
        id = uuid(number)
        self.sensor = sensor
        battery = 0.75
        owner = uuid(99)
        comment = String(repeating: "c", count: 700)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sensor = try fields.string(1)
        takenAt = try fields.optionalInstant(2)
        battery = try fields.optionalInt64(6).map { Double(bitPattern: UInt64(bitPattern: $0)) }
        owner = try fields.optionalUUID(7)
        comment = try fields.optionalString(40)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(6, battery)
        fields.put(7, owner)
        fields.put(40, comment)
    }
}

@Suite struct UnknownFieldTests {
    private let newer = Schema().adding(NewerReading.collection)

    @Test("Fields that a version does not know survive its changes, and undo and redo of them [S-10]")
    func unknownFieldsSurvive() async throws {
        var opened = try TestStore(schema: newer)
        try await opened.store.write { try $0.put(NewerReading(1, sensor: "roof")) }
        try await opened.store.write { try $0.put(NewerReading(2, sensor: "cellar")) }

        opened = try opened.reopened()
        try await opened.store.write { transaction in
            var reading = try #require(try transaction[Reading.self].get(uuid(1)))
            reading.sensor = "garden"
            reading.level = 7
            reading.note = "moved"
            try transaction.put(reading)
        }
        try await opened.store.write { try $0.delete(Reading.self, id: uuid(2)) }
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.redo() }
        #expect(try opened.store.verify().problems == [])

        opened = try opened.reopened(schema: newer)
        let first = try opened.store.read { try $0[NewerReading.self].get(uuid(1)) }
        #expect(first?.sensor == "garden")
        #expect(first?.battery == 0.75)
        #expect(first?.owner == uuid(99))
        #expect(first?.comment?.count == 700)
        let second = try opened.store.read { try $0[NewerReading.self].get(uuid(2)) }
        #expect(second?.battery == 0.75)
        #expect(second?.comment?.count == 700)
    }

    @Test("Fields of an older version survive a rewrite by a newer one, in ascending order [S-10]")
    func bothWays() async throws {
        var opened = try TestStore()
        try await opened.put(Reading(1, at: TestStore.start, level: 5, day: .last, note: "kept"))
        opened = try opened.reopened(schema: newer)
        try await opened.store.write { transaction in
            var reading = NewerReading(1, sensor: "attic")
            reading.takenAt = TestStore.start
            try transaction.put(reading)
        }
        let stored = try opened.store.rawEntries("readings")[0].value
        let numbers = FieldLayout(of: stored.dropLast(4)).fields.map(\.number)
        #expect(numbers == [1, 2, 3, 4, 5, 6, 7, 40])
        opened = try opened.reopened()
        let reading = try opened.store.read { try $0[Reading.self].get(uuid(1)) }
        #expect(reading?.sensor == "attic")
        #expect(reading?.level == 5)
        #expect(reading?.day == .last)
        #expect(reading?.note == "kept")
    }

    @Test("A field that is set to nil is removed from the stored record")
    func knownFieldsGo() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1, at: TestStore.start, day: .first, note: "gone"))
        try await opened.put(Reading(1))
        #expect(try opened.readings() == [uuid(1): Reading(1)])
    }
}
