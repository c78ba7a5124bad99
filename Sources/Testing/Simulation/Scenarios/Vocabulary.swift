import Daybook

/// What a program adds to the words of scenarios: verbs that do something to its own records, and subjects of `expect`.
///
///     var words = Vocabulary(records: Schema().adding(Reading.collection))
///     words.add(verb: "measure") { value, daybook in                      // - measure: { sensor: north, celsius: 21.5 }
///         try await daybook.measure(value.number("celsius"), by: value.text("sensor"))
///     }
///     words.add(subject: "readings today") { _, daybook in                // readings today: 2
///         .number(try daybook.readingsToday())
///     }
///     let scenarios = try ScenarioReader(vocabulary: words).read(folder: "Scenarios")
///     let simulator = Simulator(vocabulary: words)
///
/// The clock, the zone and the ids of the story are in `daybook.context`. A built-in word goes before one of the same name
/// here. Tasks are compared with a model after every step, until a verb changes tasks: from then on only `expect` says
/// what they have to be.
public struct Vocabulary: Sendable {
    /// What a verb does with its value. An error that is a ``Refusal`` can be asked for by `refused`; every other one is a
    /// failure of the story, with the line of the step.
    public typealias Verb = @Sendable (ScenarioValue, DaybookStore) async throws -> Void
    /// What is found of a subject, for what the scenario expects there: ``ScenarioValue/accepts(_:)`` compares the two.
    public typealias Subject = @Sendable (ScenarioValue, DaybookStore) async throws -> ScenarioValue

    /// The collections of the program's own, with which its store is opened.
    public let records: Schema
    private(set) var verbs: [String: Verb] = [:]
    private(set) var subjects: [String: Subject] = [:]

    /// No words yet.
    public init(records: Schema = Schema()) {
        self.records = records
    }

    /// Adds a verb.
    public mutating func add(verb: String, _ perform: @escaping Verb) {
        verbs[verb] = perform
    }

    /// Adds a subject of `expect`.
    public mutating func add(subject: String, _ find: @escaping Subject) {
        subjects[subject] = find
    }
}
