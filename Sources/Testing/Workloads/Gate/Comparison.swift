/// One operation of this program against the same of another, run in turn.
public struct Comparison: Sendable, Equatable, Codable {
    /// The operation's name.
    public let operation: String
    /// This program's time by the other's: above 1 is slower.
    public let ratio: PairedRatio
    /// The ratio that is still allowed.
    public let limit: Double
    /// What follows from it.
    public let outcome: Outcome

    /// What a comparison says.
    public enum Outcome: String, Sendable, Codable {
        /// The whole interval is within the limit.
        case holds
        /// The whole interval is beyond it.
        case worse
        /// The limit lies within the interval, also after as many pairs as are allowed.
        case inconclusive
    }

    /// A comparison as it was measured or read.
    public init(operation: String, ratio: PairedRatio, limit: Double, outcome: Outcome) {
        self.operation = operation
        self.ratio = ratio
        self.limit = limit
        self.outcome = outcome
    }
}
