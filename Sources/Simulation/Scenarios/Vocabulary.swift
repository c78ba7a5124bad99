import Daybook

/// What a program adds to the words of scenarios: verbs that do something to its own records, and subjects of `expect`.
///
/// A built-in word goes before one of the same name here.
public struct Vocabulary: Sendable {
    /// What a verb does with its value.
    public typealias Verb = @Sendable (ScenarioValue, Daybook) async throws -> Void
    /// What is found of a subject, for what the scenario expects there.
    public typealias Subject = @Sendable (ScenarioValue, Daybook) async throws -> ScenarioValue

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
