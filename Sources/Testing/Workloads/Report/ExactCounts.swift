/// What an operation did, counted exactly: the sum over a fixed number of runs in a fresh store.
public struct ExactCounts: Sendable, Equatable, Codable {
    /// What is counted.
    public enum Kind: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
        /// fsync, fdatasync, and writes that return when they are durable.
        case flushes
        /// Calls that write to a file.
        case writeCalls
        /// What those calls wrote.
        case bytesWritten
        /// Different pages of the store's file that were written, in each commit.
        case pagesWritten
        /// Different pages of the store's map that were touched.
        case pagesRead
        /// Entries written to LMDB.
        case puts
        /// Entries removed.
        case deletes
        /// Point look-ups.
        case gets
        /// Entries that a cursor stood on.
        case cursorSteps
        /// Blocks of memory asked for. It depends on the compiler.
        case allocations
        /// Instructions run, by valgrind's cachegrind. It depends on the compiler and the processor.
        case instructions

        /// Whether it is the same on every machine with the same LMDB and the same page size.
        public var isUniversal: Bool { self != .allocations && self != .instructions }
    }

    /// The operation's name.
    public let operation: String
    /// How many runs were counted.
    public let runs: Int
    /// The sums over those runs; a kind that could not be counted here is missing.
    public var values: [Kind: Int]

    /// Counts of an operation.
    public init(operation: String, runs: Int, values: [Kind: Int]) {
        self.operation = operation
        self.runs = runs
        self.values = values
    }
}
