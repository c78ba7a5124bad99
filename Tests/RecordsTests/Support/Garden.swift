import CivilTime
import Foundation

@testable import Records

/// A record with a unique name, several tags, and a parent of its own kind.
struct Sensor: Record, Equatable {
    var id: UUID
    var name: String
    var tags: [String] = []
    /// Cleared when the sensor is deleted.
    var neighbor: UUID?

    static let byName = Index<Sensor, TextKey>("byName", isUnique: true) { TextKey($0.name) }
    static let byTag = Index<Sensor, TextKey>(each: "byTag") { $0.tags.map { TextKey($0) } }
    static let neighborOf = Reference<Sensor, Sensor>("neighborOf", whenDeleted: .nullify, \.neighbor)
    static let perTag = Tally<Sensor, UInt32>("perTagCount") { UInt32($0.tags.count) }

    static let collection = RecordCollection<Sensor>("sensors") {
        Field(1, "name", .text)
        Field(2, "tags", .text)
        Field(3, "neighbor", .uuid)
        byName
        byTag
        neighborOf
        perTag
    }

    init(_ number: UInt64, _ name: String, tags: [String] = [], neighbor: UInt64? = nil) {
        id = uuid(number)
        self.name = name
        self.tags = tags
        self.neighbor = neighbor.map(uuid)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        name = try fields.string(1)
        tags = try fields.optionalString(2)?.split(separator: "\n").map(String.init) ?? []
        neighbor = try fields.optionalUUID(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, name)
        fields.put(2, tags.isEmpty ? nil : tags.joined(separator: "\n"))
        fields.put(3, neighbor)
    }
}

/// A record that is deleted with its sensor, and that keeps an alarm from being deleted.
struct Sample: Record, Equatable {
    var id: UUID
    var sensor: UUID
    var alarm: UUID?
    var takenAt: Instant
    var value: Int64

    static let ofSensor = Reference<Sample, Sensor>("ofSensor", whenDeleted: .cascade, \.sensor)
    static let ofAlarm = Reference<Sample, Alarm>("ofAlarm", whenDeleted: .restrict, \.alarm)
    static let newest = Index<Sample, Descending<Instant>>("newest") { Descending($0.takenAt) }
    static let perSensor = Tally<Sample, UUID>("perSensor", summing: \.value) { $0.sensor }

    static let collection = RecordCollection<Sample>("samples") {
        Field(1, "sensor", .uuid)
        Field(2, "alarm", .uuid)
        Field(3, "takenAt", .instant)
        Field(4, "value", .integer)
        ofSensor
        ofAlarm
        newest
        perSensor
    }

    init(_ number: UInt64, of sensor: UInt64, alarm: UInt64? = nil, second: Int64 = 0, value: Int64 = 1) {
        id = uuid(1_000_000 + number)
        self.sensor = uuid(sensor)
        self.alarm = alarm.map(uuid)
        takenAt = Instant(secondsSince1970: second)
        self.value = value
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        guard let sensor = try fields.optionalUUID(1) else { throw .unreadableField(number: 1) }
        self.sensor = sensor
        alarm = try fields.optionalUUID(2)
        takenAt = try fields.instant(3)
        value = try fields.int64(4)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, alarm)
        fields.put(3, takenAt)
        fields.put(4, value)
    }
}

/// A record that others may name.
struct Alarm: Record, Equatable {
    var id: UUID

    static let collection = RecordCollection<Alarm>("alarms") {}

    init(_ number: UInt64) { id = uuid(number) }
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
    func encode(into fields: inout FieldEncoder) {}
}

/// A record of which no change is in the change log.
struct Draft: Record, Equatable {
    var id: UUID
    var text: String

    static let byText = Index<Draft, TextKey>("byText") { TextKey($0.text) }

    static let collection = RecordCollection<Draft>("drafts", isTracked: false) {
        Field(1, "text", .text)
        byText
    }

    init(_ number: UInt64, _ text: String) {
        id = uuid(number)
        self.text = text
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
    }
}

enum Garden {
    static let schema = Schema().adding(Sensor.collection).adding(Sample.collection).adding(Alarm.collection)
        .adding(Draft.collection)
}
