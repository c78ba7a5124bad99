/// A recorded run of `daybook bench`: a line of a history.
public struct RunRecord: Sendable, Equatable, Codable {
    /// The times of one operation in nanoseconds.
    public struct Times: Sendable, Equatable, Codable {
        /// The operation's name.
        public let operation: String
        /// The 50th and the 99th percentile, and the maximum.
        public let median, percentile99, longest: Int64
    }

    /// The version of the line's format. Readers reject newer ones.
    public let version: Int
    /// The end of the run, ISO 8601 in UTC; and the version or commit of the program.
    public let date, program: String
    /// The machine.
    public let machine: Machine
    /// The machine's identifier.
    public let fingerprint: String
    /// The number of tasks in the measured store's history.
    public let taskCount: Int
    /// The times of each operation.
    public let operations: [Times]
    /// The counts.
    public let counts: [ExactCounts]

    /// The version that this program writes.
    static let currentVersion = 1

    /// Extracts the record of a report.
    public init(_ report: BenchReport) {
        version = Self.currentVersion
        date = report.date
        program = report.program
        machine = report.machine
        fingerprint = report.machine.fingerprint
        taskCount = report.taskCount
        operations = report.budgets.map { row in
            Times(
                operation: row.operation, median: row.timings.median, percentile99: row.timings.percentile99,
                longest: row.timings.longest)
        }
        counts = report.counts
    }

    /// Returns the times of an operation; nil if it was not measured.
    public func times(of operation: String) -> Times? { operations.first { $0.operation == operation } }

    /// Returns whether times are comparable: the same machine, a store of the same size.
    public func isSameSeries(as other: RunRecord) -> Bool {
        fingerprint == other.fingerprint && taskCount == other.taskCount
    }
}

/// An operation of a run beside earlier runs on the same machine. For information only, since they ran at other times.
public struct RunComparison: Sendable, Equatable {
    /// The operation's name.
    public let operation: String
    /// The median of this run, and the lowest and highest median of the others, in nanoseconds.
    public let median, low, high: Int64
    /// The number of other runs.
    public let runs: Int

    /// Whether the median is outside the range of the others by more than a tenth.
    public var isUnusual: Bool {
        Double(median) > Double(high) * 1.1 || Double(median) < Double(low) / 1.1
    }
}
