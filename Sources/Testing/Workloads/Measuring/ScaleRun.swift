import Daybook
import Glibc

/// Times queries in stores of several sizes.
public struct ScaleRun {
    /// The sizes of the specification.
    public static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// The factor by which a query with a constant number of rows may grow from the smallest store to the largest.
    static let limit = 2.0

    private var points: [String: [ScaleRow.Point]] = [:]
    private var growth: [String: PairedRatio] = [:]

    /// Creates a run without measurements.
    public init() {}

    /// Measures in a store whose history has the given number of tasks, interleaved with the smallest store if this is
    /// a larger one, so that disturbances of the machine do not look like growth. Call it for ascending sizes.
    public mutating func measure(
        _ operations: [Operation], in store: BenchStore, taskCount: Int, beside smallest: BenchStore? = nil,
        mostRounds: Int = .max
    ) async throws {
        for operation in operations where operation.isSteady {
            var times: [Int64] = []
            var leastTimes: [Int64] = []
            for round in -3..<min(operation.rounds / 2, mostRounds) {
                let time = try await operation.time(in: store, round: max(round, 0))
                var least: Int64?
                if let smallest { least = try await operation.time(in: smallest, round: max(round, 0)) }
                guard round >= 0 else { continue }
                times.append(time)
                if let least { leastTimes.append(least) }
            }
            points[operation.name, default: []].append(
                ScaleRow.Point(tasks: taskCount, median: Timings(times).median, rows: try operation.rows(in: store)))
            growth[operation.name] = leastTimes.isEmpty ? nil : PairedRatio(of: times, to: leastTimes)
        }
    }

    /// The results.
    public var rows: [ScaleRow] {
        Operation.all.compactMap { operation in
            points[operation.name].map {
                ScaleRow(
                    operation: operation.name, title: operation.title, points: $0, limit: Self.limit,
                    inTurn: growth[operation.name])
            }
        }
    }
}

/// How the time of one query grows with the store.
public struct ScaleRow: Sendable, Equatable, Codable {
    /// The measurement at one size.
    public struct Point: Sendable, Equatable, Codable {
        /// The number of tasks in the store.
        public let tasks: Int
        /// The median time, in nanoseconds.
        public let median: Int64
        /// The number of rows in the result.
        public let rows: Int

        /// Creates a measured point.
        public init(tasks: Int, median: Int64, rows: Int) {
            self.tasks = tasks
            self.median = median
            self.rows = rows
        }
    }

    /// The operation's name and title.
    public let operation, title: String
    /// The points by ascending size.
    public let points: [Point]
    /// The factor by which the time may grow from the smallest store to the largest; nil if the result grows as well.
    public let limit: Double?
    /// The ratio of the time in the largest store to that in the smallest, measured interleaved; nil if it was not.
    public let inTurn: PairedRatio?

    /// Creates the row of a query measured at several sizes.
    public init(operation: String, title: String, points: [Point], limit: Double?, inTurn: PairedRatio? = nil) {
        self.inTurn = inTurn
        self.operation = operation
        self.title = title
        self.points = points
        self.limit = limit
    }

    /// The ratio of the time in the largest store to that in the smallest.
    public var growth: Double {
        if let inTurn { return inTurn.median }
        guard let first = points.first, let last = points.last, first.median > 0 else { return 1 }
        return Double(last.median) / Double(first.median)
    }

    /// The exponent of growth: the slope of time over size on logarithmic scales, by least squares. 0 is constant, 1
    /// linear.
    public var exponent: Double {
        let pairs = points.map { (x: log(Double($0.tasks)), y: log(Double(max($0.median, 1)))) }
        let count = Double(pairs.count)
        guard count > 1 else { return 0 }
        let meanX = pairs.reduce(0) { $0 + $1.x } / count
        let meanY = pairs.reduce(0) { $0 + $1.y } / count
        let spread = pairs.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        guard spread > 0 else { return 0 }
        return pairs.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
    }

    /// Whether growth is allowed: only an interval entirely beyond the limit is not.
    public var holds: Bool { limit.map { (inTurn?.low ?? growth) <= $0 } ?? true }
}
