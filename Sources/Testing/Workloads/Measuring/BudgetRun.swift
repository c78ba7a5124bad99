import Daybook

/// Times operations against their budgets, interleaved with their floors.
public struct BudgetRun {
    private let store: BenchStore
    private let taskCount: Int
    private let mostRounds: Int
    private let delay: Int64
    private let disk: DiskProbe
    private let raw: RawStore

    /// Measures in a store whose history has the given number of tasks. A delay of so many nanoseconds in each run is a
    /// planted slowdown, which the gate must detect.
    public init(in store: BenchStore, taskCount: Int, mostRounds: Int = .max, delay: Int64 = 0) throws {
        self.store = store
        self.taskCount = taskCount
        self.mostRounds = mostRounds
        self.delay = delay
        disk = try DiskProbe(besides: store.path)
        raw = try RawStore(at: store.path)
    }

    /// Runs an operation as often as it asks for. If a run exceeds the budget, measures again up to two times, so that
    /// a busy moment of the machine does not count.
    public func measure(_ operation: Operation) async throws -> BudgetRow {
        var row = try await measureOnce(operation)
        for _ in 0..<Self.furtherChances where !row.holds { row = try await measureOnce(operation) }
        return row
    }

    /// Runs a few unmeasured rounds first.
    private func measureOnce(_ operation: Operation) async throws -> BudgetRow {
        var times: [Int64] = []
        var floors: [Int64] = []
        for round in -Self.warmUp..<min(operation.rounds, mostRounds) {
            var time = try await operation.time(in: store, round: round + Self.warmUp)
            if delay > 0 { time += Stopwatch.spin(for: delay) }
            let floor = try timeFloor(operation.floor)
            guard round >= 0 else { continue }
            times.append(time)
            if let floor { floors.append(floor) }
        }
        return BudgetRow(
            operation: operation.name, title: operation.title, budget: operation.budget(forTasks: taskCount),
            requirements: operation.requirements, timings: Timings(times),
            floor: measurement(of: operation.floor, times, floors))
    }

    private func timeFloor(_ floor: Operation.Floor) throws -> Int64? {
        let clock = ContinuousClock()
        switch floor {
        case .flush: return try disk.timeFlush()
        case .scan(let scan): return try clock.measure { _ = try raw.read(scan) }.nanoseconds
        case .none: return nil
        }
    }

    private func measurement(
        of floor: Operation.Floor, _ times: [Int64], _ floors: [Int64]
    ) -> BudgetRow.FloorMeasurement? {
        let title: String
        switch floor {
        case .flush: title = "4 KiB write and flush"
        case .scan(let scan): title = scan.limit == 1 ? "one look-up in C" : "same bytes in C"
        case .none: return nil
        }
        let timings = Timings(floors)
        return BudgetRow.FloorMeasurement(
            title: title, median: timings.median, ratio: PairedRatio(of: times, to: floors), longest: timings.longest)
    }

    private static let warmUp = 3
    private static let furtherChances = 2
}

/// A row of `daybook bench`: an operation with its budget, its times, and its floor.
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

/// The times of one operation's runs in nanoseconds.
public struct Timings: Sendable, Equatable, Codable {
    private var sorted: [Int64]

    /// Creates timings of runs.
    public init(_ nanoseconds: [Int64]) {
        sorted = nanoseconds.sorted()
    }

    /// Times a closure so many times, at least once.
    package init(rounds: Int, _ body: () throws -> Void) rethrows {
        self.init(try (0..<max(rounds, 1)).map { _ in try Stopwatch.nanoseconds(body) })
    }

    /// The number of runs.
    public var runs: Int { sorted.count }

    /// The 50th percentile.
    public var median: Int64 { quantile(500) }

    /// The 99th percentile.
    public var percentile99: Int64 { quantile(990) }

    /// The percentile 99.9.
    public var percentile999: Int64 { quantile(999) }

    /// The mean.
    public var mean: Int64 { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count) }

    /// The longest run.
    public var longest: Int64 { sorted.last ?? 0 }

    /// Returns the ratio of a time, by default the 99th percentile, to the same of other timings.
    func ratio(to other: Timings, of time: (Timings) -> Int64 = \.percentile99) -> Double {
        Double(time(self)) / Double(max(time(other), 1))
    }

    private func quantile(_ thousandths: Int) -> Int64 {
        sorted.isEmpty ? 0 : sorted[min(sorted.count * thousandths / 1000, sorted.count - 1)]
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Int64 {
    static func milliseconds(_ number: Int64) -> Int64 { number * 1_000_000 }
}
