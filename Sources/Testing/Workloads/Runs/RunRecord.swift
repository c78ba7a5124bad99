/// What is kept of one run of `daybook bench`: a line of a history.
public struct RunRecord: Sendable, Equatable, Codable {
    /// What is kept of one operation's times, in nanoseconds.
    public struct Times: Sendable, Equatable, Codable {
        /// The operation's name.
        public let operation: String
        /// Half of the runs took no longer; 99 of 100; none took longer.
        public let median, percentile99, longest: Int64
    }

    /// The form of the line. A reader refuses newer ones.
    public let version: Int
    /// When the run ended, ISO 8601 in UTC; and the version or commit of the program.
    public let date, program: String
    /// What it ran on, whole and as its short name.
    public let machine: Machine
    /// The machine's short name.
    public let fingerprint: String
    /// How many tasks the history of the measured store has.
    public let taskCount: Int
    /// The times of each operation.
    public let operations: [Times]
    /// What was counted.
    public let counts: [ExactCounts]

    /// The version that this program writes.
    static let currentVersion = 1

    /// What is kept of a report.
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

    /// The times of an operation; nil where it was not measured.
    public func times(of operation: String) -> Times? { operations.first { $0.operation == operation } }

    /// Whether times of both may be compared: the same machine, a store of the same size.
    public func isSameSeries(as other: RunRecord) -> Bool {
        fingerprint == other.fingerprint && taskCount == other.taskCount
    }
}
