/// Something that was not as it has to be.
public struct StoryFailure: Error, Equatable {
    /// What it was about: `today`, `statistics in UTC`, `verify`.
    public var subject: String
    /// What was expected.
    public var expected: String
    /// What was found.
    public var found: String
    /// The line of the scenario.
    public var line: Int?

    /// A failure of these parts.
    public init(_ subject: String, expected: String, found: String, line: Int? = nil) {
        self.subject = subject
        self.expected = expected
        self.found = found
        self.line = line
    }

    /// What was thrown, as it is when it is a failure.
    init(_ error: any Error, of subject: String, line: Int? = nil) {
        self = error as? StoryFailure ?? StoryFailure(subject, expected: "no error", found: "\(error)")
        self.line = self.line ?? line
    }
}
