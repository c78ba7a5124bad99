/// The results of one run of a gate.
public struct BenchReport: Sendable, Equatable, Codable {
    /// What was run: `daybook bench`, or the name of a gate.
    public var name = "daybook bench"
    /// What the sizes of stores count, in the singular.
    public var unit = "task"
    /// The machine.
    public let machine: Machine
    /// The start of the run, ISO 8601 in UTC; and the version or commit of the program.
    public let date, program: String
    /// The size of the measured store, such as the number of tasks in its history; 0 without a store.
    public let size: Int
    /// Operations and their budgets.
    public var budgets: [BudgetRow] = []
    /// Sizes and their budgets.
    public var sizes: [MeasuredRow] = []
    /// How the time of queries grows with the store.
    public var scale: [ScaleRow] = []
    /// Exact counts.
    public var counts: [ExactCounts] = []
    /// Comparisons with another program.
    public var comparisons: [Comparison] = []
    /// The gate's findings; empty until it has run.
    public var findings: [GateFinding] = []

    /// Creates a report without results.
    public init(machine: Machine, date: String, program: String, size: Int) {
        self.machine = machine
        self.date = date
        self.program = program
        self.size = size
    }
}

/// A reason for the gate to object.
public struct GateFinding: Sendable, Equatable, Codable {
    /// The severity.
    public enum Verdict: String, Sendable, Codable {
        /// Something is worse than allowed: exit code 1.
        case worse
        /// The measurement was not good enough to decide: exit code 6.
        case inconclusive
    }

    /// The rule that was applied.
    public enum Rule: String, Sendable, Codable {
        /// A count differs from the baseline.
        case count
        /// A time exceeds its budget.
        case budget
        /// A size exceeds its budget.
        case size
        /// The time of a query grows faster than allowed.
        case growth
        /// This program is slower than the one it was compared with.
        case ratio
    }

    /// The name of the operation or the size.
    public let subject: String
    /// The rule.
    public let rule: Rule
    /// The severity.
    public let verdict: Verdict
    /// What was measured, what is allowed, and what to do, in one line.
    public let message: String

    /// Creates a finding.
    public init(subject: String, rule: Rule, verdict: Verdict, message: String) {
        self.subject = subject
        self.rule = rule
        self.verdict = verdict
        self.message = message
    }
}

/// Exact counts of an operation, summed over a fixed number of runs in a fresh store.
public struct ExactCounts: Sendable, Equatable, Codable {
    /// What is counted.
    public enum Kind: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
        /// `fsync`, `fdatasync`, and writes that return when they are durable.
        case flushes
        /// Calls that write to a file.
        case writeCalls
        /// Bytes written by those calls.
        case bytesWritten
        /// Distinct pages of the store's file written in each commit.
        case pagesWritten
        /// Distinct pages of the store's map that were touched.
        case pagesRead
        /// Entries written to LMDB.
        case puts
        /// Entries removed.
        case deletes
        /// Point look-ups.
        case gets
        /// Entries visited by cursors.
        case cursorSteps
        /// Allocations; they depend on the compiler.
        case allocations
        /// Instructions according to valgrind's cachegrind; they depend on the compiler and the processor.
        case instructions

        /// Whether the count is the same on every machine with the same version of LMDB and the same page size.
        public var isUniversal: Bool { self != .allocations && self != .instructions }
    }

    /// The operation's name.
    public let operation: String
    /// The number of counted runs.
    public let runs: Int
    /// The sums over those runs; kinds that could not be counted are missing.
    public var values: [Kind: Int]

    /// Creates counts of an operation.
    public init(operation: String, runs: Int, values: [Kind: Int]) {
        self.operation = operation
        self.runs = runs
        self.values = values
    }
}
