import Daybook

/// One line of what `daybook bench` prints: an operation, what it may take, what it took, what it cannot take less than.
public struct BudgetRow: Sendable, Equatable, Codable {
    /// The operation's name and title.
    public let operation, title: String
    /// What it may take at most, in nanoseconds.
    public let budget: Int64
    /// What it took.
    public let timings: Timings
    /// What stands beside it; nil where nothing could.
    public let floor: FloorMeasurement?

    /// An operation that was measured.
    public init(
        operation: String, title: String, budget: Int64, timings: Timings, floor: FloorMeasurement? = nil
    ) {
        self.operation = operation
        self.title = title
        self.budget = budget
        self.timings = timings
        self.floor = floor
    }

    /// What nothing on this machine can beat, run in turn with the operation.
    public struct FloorMeasurement: Sendable, Equatable, Codable {
        /// What it is, for people: "4 KiB write and flush", "plain LMDB".
        public let title: String
        /// The median, in nanoseconds.
        public let median: Int64
        /// The median of the operation's time by the floor's, with its interval.
        public let ratio: PairedRatio
        /// The longest of its runs, in nanoseconds.
        public var longest: Int64 = 0
    }

    /// Whether no run broke the budget.
    public var holds: Bool { timings.longest <= budget }

    /// How many times the slowest of a hundred runs would fit into the budget.
    public var timesUnder: Double { Double(budget) / Double(max(timings.percentile99, 1)) }
}
