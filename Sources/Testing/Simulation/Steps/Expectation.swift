/// Something that has to be so at a moment of a story: a subject, and what is to be found there.
public struct Expectation: Sendable, Equatable {
    /// What is looked at: `today`, `statistics`, or a word of the program's own vocabulary.
    public var subject: String
    /// What has to be found.
    public var value: ScenarioValue
    /// The line it stands in.
    public var line: Int?

    /// An expectation of these parts.
    public init(_ subject: String, _ value: ScenarioValue, line: Int? = nil) {
        self.subject = subject
        self.value = value
        self.line = line
    }
}
