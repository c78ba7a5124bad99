/// A promise that was found broken, and what replays it.
public struct CrashViolation: Sendable, Equatable {
    /// What `daybook crashtest --replay` takes.
    public let recipe: String
    /// What is wrong, without any content of a record that is not the lab's own.
    public let problem: String
    /// The log around the crash, and what of it the disk kept.
    public var details: [String] = []
}
