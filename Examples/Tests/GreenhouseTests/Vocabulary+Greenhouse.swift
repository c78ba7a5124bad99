import Daybook
import Simulation

@testable import Greenhouse

extension Vocabulary {
    /// The vocabulary of the greenhouse's scenarios. Clock and zone are those of the scenario: `store.context`.
    static let greenhouse: Vocabulary = {
        var words = Vocabulary(records: Readings.schema)

        // - measure: { sensor: north, celsius: 21.5 }
        words.add(verb: "measure") { value, store in
            try await Readings(store: store).measure(value.number("celsius"), by: value.text("sensor"))
        }
        // readings today: 2
        words.add(subject: "readings today") { _, store in
            .number(try Readings(store: store).count(on: store.context.today))
        }
        // readings on: { 2026-03-29: { Europe/Berlin: 2, UTC: 1 } }
        words.add(subject: "readings on") { expected, store in
            .map(
                try expected.entries.map { day in
                    let counts = try day.value.entries.map { zone in
                        ScenarioValue.Entry(
                            zone.key,
                            .number(try Readings(store: store).count(on: Day(day.key), in: Zone(zone.key))))
                    }
                    return .init(day.key, .map(counts))
                })
        }
        // mean of yesterday: 20.5
        words.add(subject: "mean of yesterday") { _, store in
            let yesterday = store.context.today.advanced(by: -1)
            return try Readings(store: store).mean(on: yesterday).map { .number($0) } ?? .none
        }
        // in order of time: [north, south]
        words.add(subject: "in order of time") { _, store in
            .texts(
                try store.read { transaction in
                    try transaction[Reading.byTime].range().map { reading in
                        try transaction[Sensor.self].get(reading.sensor)?.name ?? "none"
                    }
                })
        }
        // - retire: { sensor: north }
        words.add(verb: "retire") { value, store in
            try await Readings(store: store).retire(value.text("sensor"))
        }
        // readings by sensor: { north: 2 }
        words.add(subject: "readings by sensor") { _, store in
            .map(try Readings(store: store).countsBySensor().map { .init($0.name, .number($0.count)) })
        }
        return words
    }()
}

/// Scenarios name these errors by code: `refused: implausible`.
extension ReadingError: Refusal {}
