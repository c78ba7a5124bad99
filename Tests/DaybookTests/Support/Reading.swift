import Daybook

/// A record type of an application.
struct Reading: Record, Equatable {
    var id: UUID
    var sensor: String
    var takenAt: Instant
    var celsius: Double

    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
    static let perDay = RollUp("perDay", over: byTime)
    static let collection = RecordCollection<Reading>("readings") {
        byTime
        perDay
    }

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
