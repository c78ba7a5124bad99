import Daybook

/// What the greenhouse does with its readings.
struct Readings {
    let daybook: DaybookStore

    /// Keeps what a sensor measures now. On a day that gets too hot there is a task, too: both are there, or neither.
    func measure(_ celsius: Double, by sensor: String) async throws {
        guard (-60...80).contains(celsius) else { throw ReadingError.implausible }
        try await daybook.write { transaction in
            let now = transaction.context.clock.wall
            try transaction.put(
                Reading(id: transaction.identifiers.next(), sensor: sensor, takenAt: now, celsius: celsius))
            if celsius > 35 { try transaction.tasks.create("Open the vents", on: transaction.context.today) }
        }
    }

    /// How many there are of a day, as the greenhouse's own zone has it or another one. A few small reads.
    func count(on day: Day, in zone: Zone? = nil) throws -> Int {
        try daybook.read { try $0[Reading.perDay].count(on: day, in: zone ?? $0.context.zone) }
    }

    /// Those of a day, in the order of time.
    func all(on day: Day) throws -> [Reading] {
        let zone = daybook.context.zone
        return try daybook.read { try $0[Reading.byTime].range(from: zone.start(of: day), to: zone.end(of: day)) }
    }

    /// The mean of a day; nil when nothing was measured.
    func mean(on day: Day) throws -> Double? {
        let celsius = try all(on: day).map(\.celsius)
        return celsius.isEmpty ? nil : celsius.reduce(0, +) / Double(celsius.count)
    }
}

/// What the greenhouse refuses.
enum ReadingError: String, Error {
    /// No greenhouse is so cold or so hot.
    case implausible

    /// What it is called wherever it is shown.
    var code: String { rawValue }
}
