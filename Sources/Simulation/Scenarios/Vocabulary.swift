/// The words of a program's own: verbs for steps, and subjects for `expect`.
///
/// The words of Daybook's own scenarios (verbs, what stands beside them, subjects) keep their meaning: a verb or subject
/// added under such a name is never asked.
public struct Vocabulary: Sendable {
    /// Does what a verb says, with its value.
    typealias Performing = @Sendable (ScenarioValue, SimulatedWorld) async throws -> Void
    /// Finds what a subject names. What is expected is given, since it may say what to look for.
    typealias Finding = @Sendable (ScenarioValue, SimulatedWorld) async throws -> ScenarioValue

    /// By verb.
    private(set) var verbs: [String: Performing] = [:]
    /// By subject.
    private(set) var subjects: [String: Finding] = [:]

    /// No words.
    public init() {}

    /// Adds a verb, which stands alone or has one value: what it does.
    public mutating func add(
        verb: String, _ perform: @escaping @Sendable (ScenarioValue, SimulatedWorld) async throws -> Void
    ) {
        verbs[verb] = perform
    }

    /// Adds a subject of `expect`: what is found, given what is expected.
    public mutating func add(
        subject: String, _ find: @escaping @Sendable (ScenarioValue, SimulatedWorld) async throws -> ScenarioValue
    ) {
        subjects[subject] = find
    }
}
