/// One reason why the gate does not say that everything holds.
public struct GateFinding: Sendable, Equatable, Codable {
    /// How bad it is.
    public enum Verdict: String, Sendable, Codable {
        /// Something is worse than it may be: exit code 1.
        case worse
        /// It could not be measured well enough to tell: exit code 3.
        case inconclusive
    }

    /// Which rule says so.
    public enum Rule: String, Sendable, Codable {
        /// A count differs from the baseline.
        case count
        /// A budget of time is broken.
        case budget
        /// A budget of size is broken.
        case size
        /// A question grows with the store more than it may.
        case growth
        /// This program is slower than the one that it was compared with.
        case ratio
    }

    /// The operation's name, or the size's.
    public let subject: String
    /// The rule and its verdict.
    public let rule: Rule
    /// Whether it is worse, or could not be measured.
    public let verdict: Verdict
    /// One line for people: what was measured, what was allowed, what to do.
    public let message: String

    /// A finding.
    public init(subject: String, rule: Rule, verdict: Verdict, message: String) {
        self.subject = subject
        self.rule = rule
        self.verdict = verdict
        self.message = message
    }
}
