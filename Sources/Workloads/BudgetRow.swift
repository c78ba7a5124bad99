import Daybook

/// One line of what `daybook bench` prints: an operation, what it may take, what it took, what it cannot take less than.
public struct BudgetRow: Sendable, Equatable {
    /// What nothing on this machine can beat, measured in the same run.
    public enum Limit: String, Sendable {
        /// One 4 KiB write and a flush of it, on the same disk.
        case flush
        /// One look-up of a record by its id.
        case lookUp
        /// Nothing that was measured here.
        case none
    }

    /// The operation.
    public let name: String
    /// What it may take at most, in nanoseconds.
    public let budget: Int64
    /// What it took.
    public let timings: Timings
    /// What stands beside it.
    public let limit: Limit
    /// What one run put, deleted, looked up and stepped over; the median run where they differ.
    public let counters: OperationCounters

    /// Whether no run broke the budget.
    public var holds: Bool { timings.longest <= budget }

    /// How many times the slowest of a hundred runs would fit into the budget.
    public var timesUnder: Double { Double(budget) / Double(max(timings.percentile99, 1)) }
}

/// Everything that `daybook bench` measures.
public struct BudgetReport: Sendable {
    /// The operations.
    public internal(set) var rows: [BudgetRow] = []
    /// How many tasks the store held at first.
    public internal(set) var taskCount = 0
    /// One 4 KiB write and flush.
    public internal(set) var flush = Timings([])
    /// One look-up of a record.
    public internal(set) var lookUp = Timings([])
    /// What the store takes on the disk.
    public internal(set) var allocatedBytes = 0

    /// What the store may take on the disk for every thousand tasks.
    public static let allocatedBudgetPerThousand = 10_000_000

    /// Whether the disk budget holds.
    public var diskHolds: Bool { allocatedBytes <= Self.allocatedBudgetPerThousand * max(taskCount / 1000, 1) }

    /// Whether every budget holds.
    public var holds: Bool { diskHolds && rows.allSatisfy(\.holds) }

    /// The median of a limit, nil when there is none.
    public func median(of limit: BudgetRow.Limit) -> Int64? {
        switch limit {
        case .flush: flush.median
        case .lookUp: lookUp.median
        case .none: nil
        }
    }
}
