/// An operation of a run beside the last runs on the same machine. It is told, never judged: they ran at other times.
public struct RunComparison: Sendable, Equatable {
    /// The operation's name.
    public let operation: String
    /// The median of this run, and the lowest and highest of the others, in nanoseconds.
    public let median, low, high: Int64
    /// How many others there are.
    public let runs: Int

    /// Whether it lies outside of what the others took, by more than a tenth.
    public var isUnusual: Bool {
        Double(median) > Double(high) * 1.1 || Double(median) < Double(low) / 1.1
    }
}
