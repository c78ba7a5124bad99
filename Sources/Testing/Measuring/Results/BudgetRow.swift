/// An operation with its budget, its times, and its floor.
public struct BudgetRow: Sendable, Equatable, Codable {
    /// The operation's name and title.
    public let operation, title: String
    /// The budget in nanoseconds.
    public let budget: Int64
    /// The ids of the requirements that set the budget.
    public let requirements: [String]
    /// The measured times.
    public let timings: Timings
    /// The floor; nil if none could be measured.
    public let floor: FloorMeasurement?

    /// Creates the row of a measured operation.
    public init(
        operation: String, title: String, budget: Int64, requirements: [String] = [], timings: Timings,
        floor: FloorMeasurement? = nil
    ) {
        self.operation = operation
        self.title = title
        self.budget = budget
        self.requirements = requirements
        self.timings = timings
        self.floor = floor
    }

    /// A lower bound of the operation's time on this machine, measured interleaved with it.
    public struct FloorMeasurement: Sendable, Equatable, Codable {
        /// A title for people: "4 KiB write and flush", "plain LMDB".
        public let title: String
        /// The median, in nanoseconds.
        public let median: Int64
        /// The median ratio of the operation's time to the floor's, with its interval.
        public let ratio: PairedRatio
        /// The longest run in nanoseconds.
        public var longest: Int64 = 0
    }

    /// Whether every run was within the budget.
    public var holds: Bool { timings.longest <= budget }

    /// The ratio of the budget to the 99th percentile.
    public var timesUnder: Double { Double(budget) / Double(max(timings.percentile99, 1)) }
}

extension BudgetRow {
    /// A lower bound of an operation's time, and how one run of it is timed, in nanoseconds.
    package typealias Floor = (title: String, time: () throws -> Int64)

    /// Runs an operation so many times, each run beside one of its floor. If a run exceeds the budget, measures again up to two
    /// times, so that a busy moment of the machine does not count.
    ///
    /// - Parameters:
    ///   - delay: by how many nanoseconds each run is delayed: a planted slowdown, which the gate must detect.
    ///   - time: runs the operation and returns the nanoseconds; the first three runs are not measured.
    package static func measured(
        _ operation: String, title: String, budget: Int64, requirements: [String], rounds: Int, floor: Floor?,
        delay: Int64 = 0, time: (_ round: Int) async throws -> Int64
    ) async throws -> BudgetRow {
        func once() async throws -> BudgetRow {
            var (times, floors): ([Int64], [Int64]) = ([], [])
            for round in 0..<warmUp + rounds {
                var elapsed = try await time(round)
                if delay > 0 { elapsed += Stopwatch.spin(for: delay) }
                let least = try floor?.time()
                guard round >= warmUp else { continue }
                times.append(elapsed)
                if let least { floors.append(least) }
            }
            let timings = Timings(floors)
            return BudgetRow(
                operation: operation, title: title, budget: budget, requirements: requirements, timings: Timings(times),
                floor: floor.map {
                    FloorMeasurement(
                        title: $0.title, median: timings.median, ratio: PairedRatio(of: times, to: floors),
                        longest: timings.longest)
                })
        }
        var row = try await once()
        for _ in 0..<furtherChances where !row.holds { row = try await once() }
        return row
    }

    private static let warmUp = 3
    private static let furtherChances = 2
}
