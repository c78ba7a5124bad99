import Daybook

/// The operations of the greenhouse on its readings.
struct Readings {
    let store: DaybookStore

    /// Stores a measurement of this moment. If it is too hot, it also creates a task: both are stored, or neither.
    func measure(_ celsius: Double, by sensor: String) async throws {
        guard (-60...80).contains(celsius) else { throw ReadingError.implausible }
        try await store.write { transaction in
            let now = transaction.context.clock.wall
            try transaction.put(
                Reading(id: transaction.identifiers.next(), sensor: sensor, takenAt: now, celsius: celsius))
            if celsius > 35 { try transaction.tasks.create("Open the vents", on: transaction.context.today) }
        }
    }

    /// Returns the number of readings of a day, in the greenhouse's zone or another one. The cost is a few small reads.
    func count(on day: Day, in zone: Zone? = nil) throws -> Int {
        try store.read { try $0[Reading.perDay].count(on: day, in: zone ?? $0.context.zone) }
    }

    /// Returns the readings of a day, by time.
    func all(on day: Day) throws -> [Reading] {
        let zone = store.context.zone
        return try store.read { try $0[Reading.byTime].range(from: zone.start(of: day), to: zone.end(of: day)) }
    }

    /// Returns the mean of a day; nil without readings.
    func mean(on day: Day) throws -> Double? {
        let celsius = try all(on: day).map(\.celsius)
        return celsius.isEmpty ? nil : celsius.reduce(0, +) / Double(celsius.count)
    }
}

/// An error of the greenhouse.
enum ReadingError: String, Error {
    /// No greenhouse is that cold or that hot.
    case implausible

    /// The stable code of the error.
    var code: String { rawValue }
}
