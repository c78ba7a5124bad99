import Daybook

/// What a sensor in the greenhouse measured: a record type of one's own, declared in one place.
struct Reading: Record {
    let id: UUID
    var sensor: String
    var takenAt: Instant
    var celsius: Double

    /// The table, and what is kept beside it in the same transaction.
    static let collection = RecordCollection<Reading>("readings") {
        byTime
        perDay
    }

    /// Readings in the order of time.
    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }

    /// How many readings there are, by quarters of an hour and days.
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
