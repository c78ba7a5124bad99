import Daybook

/// The operations of the greenhouse on its sensors and their readings.
struct Readings {
    let store: DaybookStore

    /// What the greenhouse keeps beside tasks.
    static let schema = Schema().adding(Sensor.collection).adding(Reading.collection)

    /// Stores a measurement of this moment, of a sensor that is added if there is none of that name. If it is too hot, it
    /// also creates a task: all is stored, or nothing.
    func measure(_ celsius: Double, by name: String) async throws {
        guard (-60...80).contains(celsius) else { throw ReadingError.implausible }
        try await store.write { transaction in
            let (now, ids) = (transaction.context.clock.wall, transaction.identifiers)
            let known = try transaction[Sensor.byName].first(TextKey(name))
            let sensor = known ?? Sensor(id: ids.next(), name: name)
            if known == nil { try transaction.put(sensor) }
            try transaction.put(Reading(id: ids.next(), sensor: sensor.id, takenAt: now, celsius: celsius))
            if celsius > 35 { try transaction.tasks.create("Open the vents", on: transaction.context.today) }
        }
    }

    /// Gives a sensor another name. Throws `RecordsError.duplicateKey` if another one has it.
    func rename(_ name: String, to newName: String) async throws {
        try await store.write { transaction in
            guard var sensor = try transaction[Sensor.byName].first(TextKey(name)) else { return }
            sensor.name = newName
            try transaction.put(sensor)
        }
    }

    /// Deletes a sensor with its readings. An undo brings back all of them.
    func retire(_ name: String) async throws {
        try await store.write { transaction in
            guard let sensor = try transaction[Sensor.byName].first(TextKey(name)) else { return }
            try transaction.delete(Sensor.self, id: sensor.id)
        }
    }

    /// Returns the number of readings of a day, in the greenhouse's zone or another one. The cost is a few small reads.
    func count(on day: Day, in zone: Zone? = nil) throws -> Int {
        try store.read { try $0[Reading.perDay].count(on: day, in: zone ?? $0.context.zone) }
    }

    /// Returns the number of readings of each sensor, by name. The cost does not depend on how many there are.
    func countsBySensor() throws -> [(name: String, count: Int)] {
        try store.read { transaction in
            try transaction[Sensor.byName].range().map { sensor in
                (sensor.name, try transaction[Reading.perSensor].count(of: sensor.id))
            }
        }
    }

    /// Returns the sensors whose names begin with a text, by name.
    func sensors(beginning text: String) throws -> [String] {
        try store.read { try $0[Sensor.byName].prefix(TextPrefix(text)).map(\.name) }
    }

    /// Returns the readings of a day, by time.
    func all(on day: Day) throws -> [Reading] { try store.read { try Self.all(on: day, in: $0) } }

    /// Follows the highest temperature of today, as any process measures it.
    func maximumOfToday() -> LiveQuery<Double?> {
        store.observe { try Self.all(on: $0.context.today, in: $0).map(\.celsius).max() }
    }

    /// Returns the mean of a day; nil without readings.
    func mean(on day: Day) throws -> Double? {
        let celsius = try all(on: day).map(\.celsius)
        return celsius.isEmpty ? nil : celsius.reduce(0, +) / Double(celsius.count)
    }

    private static func all(on day: Day, in transaction: ReadTransaction) throws -> [Reading] {
        let zone = transaction.context.zone
        return try transaction[Reading.byTime].range(from: zone.start(of: day), to: zone.end(of: day))
    }
}

/// An error of the greenhouse.
enum ReadingError: String, Error {
    /// No greenhouse is that cold or that hot.
    case implausible

    /// The stable code of the error.
    var code: String { rawValue }
}
