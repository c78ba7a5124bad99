import Daybook

/// A measurement of a sensor in the greenhouse: a record type of the application, declared in one place.
struct Reading: Record {
    let id: UUID
    var sensor: String
    var takenAt: Instant
    var celsius: Double

    /// The table, its fields, and what is kept beside it in the same transaction.
    static let collection = RecordCollection<Reading>("readings") {
        Field(1, "sensor", .text)
        Field(2, "takenAt", .instant)
        Field(3, "celsius", .double)
        byTime
        perDay
    }

    /// Readings by time.
    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }

    /// The number of readings, by quarter hour and day.
    static let perDay = RollUp("perDay", over: byTime)

    init(id: UUID, sensor: String, takenAt: Instant, celsius: Double) {
        self.id = id
        self.sensor = sensor
        self.takenAt = takenAt
        self.celsius = celsius
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sensor = try fields.string(1)
        takenAt = try fields.instant(2)
        celsius = try fields.double(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(3, celsius)
    }
}
