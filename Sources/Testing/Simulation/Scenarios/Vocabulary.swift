import Daybook
import DomainPacks

@_exported import struct DomainPacks.DomainChange
@_exported import struct DomainPacks.DomainDraw
@_exported import struct DomainPacks.DomainOperation
@_exported import protocol DomainPacks.DomainPack

/// What an application adds to the vocabulary of scenarios: verbs that act on its own records, and subjects of
/// `expect`.
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
/// `daybook.context` provides the clock, the zone and the ids of the run. The words for tasks
/// and time take precedence over those added here; those for lists, plans, recurrence and dependencies yield to them. Tasks are compared with a model after every step until a verb changes tasks; after that only `expect`
/// checks them.
public struct Vocabulary: Sendable {
    /// Performs a verb with its value. A scenario can ask for a ``Refusal`` with `refused`; every other error fails the
    /// run, with the line of the step.
    public typealias Verb = @Sendable (ScenarioValue, DaybookStore) async throws -> Void
    /// Returns the value of a subject. ``ScenarioValue/accepts(_:)`` compares it with what the scenario expects, which
    /// is passed in.
    public typealias Subject = @Sendable (ScenarioValue, DaybookStore) async throws -> ScenarioValue

    /// The application's own collections, with which its store is opened.
    public let records: Schema
    /// The domain whose operations are verbs, and whose model is compared with the store.
    let pack: (any DomainPack.Type)?
    private(set) var verbs: [String: Verb] = [:]
    private(set) var subjects: [String: Subject] = [:]

    /// Creates an empty vocabulary.
    public init(records: Schema = Schema()) {
        self.records = records
        pack = nil
    }

    /// Creates the vocabulary of a domain: its collections, and its operations as verbs. The value of a verb is the number that
    /// determines what it does, as in `- plant: 17`; without one it takes the first choice. An operation that has nothing to do
    /// is left out.
    ///
    /// After every step the store is compared with the domain's model, and its invariants are checked: after crashes, undo,
    /// and whatever the clock does. ``Simulator/playRandom(seed:steps:)`` draws the operations, too. The comparison ends if an
    /// operation changes tasks and is undone.
    public init(of pack: any DomainPack.Type) {
        records = pack.records
        self.pack = pack
    }

    /// The names of all verbs.
    var verbNames: Set<String> { Set(verbs.keys).union(pack?.operationNames ?? []) }

    /// Adds a verb.
    public mutating func add(verb: String, _ perform: @escaping Verb) {
        verbs[verb] = perform
    }

    /// Adds a subject of `expect`.
    public mutating func add(subject: String, _ find: @escaping Subject) {
        subjects[subject] = find
    }
}

/// An error that a scenario can ask for by its code: `refused: no-such-task`.
///
/// Conform the errors of your own verbs if they have a code: `extension SensorError: Refusal {}`. Every other error
/// that a verb throws fails the run.
public protocol Refusal: Error {
    /// A short name that never changes.
    var code: String { get }
}

extension TaskError: Refusal {}
extension RecordsError: Refusal {}
