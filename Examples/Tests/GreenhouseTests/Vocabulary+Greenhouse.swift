import Daybook
import Simulation

@testable import Greenhouse

extension Vocabulary {
    /// The words of the greenhouse's scenarios. Clock and zone are those of the story: `daybook.context`.
    static let greenhouse: Vocabulary = {
        var words = Vocabulary(records: Schema().adding(Reading.collection))

        // - measure: { sensor: north, celsius: 21.5 }
        words.add(verb: "measure") { value, daybook in
            try await Readings(daybook: daybook).measure(value.number("celsius"), by: value.text("sensor"))
        }
        // readings today: 2
        words.add(subject: "readings today") { _, daybook in
            .number(try Readings(daybook: daybook).count(on: daybook.context.today))
        }
        // readings on: { 2026-03-29: { Europe/Berlin: 2, UTC: 1 } }
        words.add(subject: "readings on") { expected, daybook in
            .map(
                try expected.entries.map { day in
                    let counts = try day.value.entries.map { zone in
                        ScenarioValue.Entry(
                            zone.key,
                            .number(try Readings(daybook: daybook).count(on: Day(day.key), in: Zone(zone.key))))
                    }
                    return .init(day.key, .map(counts))
                })
        }
        // mean of yesterday: 20.5
        words.add(subject: "mean of yesterday") { _, daybook in
            let yesterday = daybook.context.today.advanced(by: -1)
            return try Readings(daybook: daybook).mean(on: yesterday).map { .number($0) } ?? .none
        }
        // in order of time: [north, south]
        words.add(subject: "in order of time") { _, daybook in
            .texts(try daybook.read { try $0[Reading.byTime].range() }.map(\.sensor))
        }
        return words
    }()
}

/// Scenarios ask for them by their codes: `refused: implausible`.
extension ReadingError: Refusal {}
