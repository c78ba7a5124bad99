import Daybook

/// A sensor in the greenhouse, with a name that no other has, in whatever letters it is written.
struct Sensor: Record {
    let id: UUID
    var name: String

    static let byName = Index<Sensor, TextKey>("byName", isUnique: true) { TextKey($0.name) }
    static let collection = RecordCollection<Sensor>("sensors") {
        Field(1, "name", .text)
        byName
    }
}

/// A measurement of a sensor. It is deleted with the sensor.
struct Reading: Record {
    let id: UUID
    var sensor: UUID
    var takenAt: Instant
    var celsius: Double

    static let ofSensor = Reference<Reading, Sensor>("ofSensor", whenDeleted: .cascade, \.sensor)
    static let perSensor = Tally<Reading, UUID>("perSensor") { $0.sensor }
    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
    static let perDay = RollUp("perDay", over: byTime)
    static let collection = RecordCollection<Reading>("readings") {
        Field(1, "sensor", .uuid)
        Field(2, "takenAt", .instant)
        Field(3, "celsius", .double)
        ofSensor
        perSensor
        byTime
        perDay
    }
}

extension Sensor {
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.init(id: id, name: try fields.string(1))
    }

    func encode(into fields: inout FieldEncoder) { fields.put(1, name) }
}

extension Reading {
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.init(
            id: id, sensor: try fields.uuid(1), takenAt: try fields.instant(2), celsius: try fields.double(3))
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(3, celsius)
    }
}
