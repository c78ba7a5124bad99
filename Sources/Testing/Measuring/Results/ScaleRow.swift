import Glibc

/// How the time of one query grows with the store.
public struct ScaleRow: Sendable, Equatable, Codable {
    /// The measurement at one size.
    public struct Point: Sendable, Equatable, Codable {
        /// The size of the store, in the unit of the report.
        public let size: Int
        /// The median time, in nanoseconds.
        public let median: Int64
        /// The number of rows in the result.
        public let rows: Int

        /// Creates a measured point.
        public init(size: Int, median: Int64, rows: Int) {
            self.size = size
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
        let pairs = points.map { (x: log(Double($0.size)), y: log(Double(max($0.median, 1)))) }
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

/// Collects how the times of operations grow, store by store in ascending order of their sizes.
package struct GrowthMeasurement {
    private var points: [String: [ScaleRow.Point]] = [:]
    private var growth: [String: PairedRatio] = [:]

    /// Creates a measurement without points.
    package init() {}

    /// Times an operation in a store, each run beside one in the smallest store if this is a larger one, so that disturbances of
    /// the machine do not look like growth.
    ///
    /// - Parameters:
    ///   - time: runs the operation in the store and returns the nanoseconds; the first three runs are not measured.
    ///   - least: the same in the smallest store; nil for the smallest.
    package mutating func measure(
        _ operation: String, size: Int, rows: Int = 0, rounds: Int, time: (_ round: Int) async throws -> Int64,
        least: ((_ round: Int) async throws -> Int64)?
    ) async throws {
        var (times, leastTimes): ([Int64], [Int64]) = ([], [])
        for round in 0..<Self.warmUp + rounds {
            let elapsed = try await time(round)
            let other = try await least?(round)
            guard round >= Self.warmUp else { continue }
            times.append(elapsed)
            if let other { leastTimes.append(other) }
        }
        points[operation, default: []].append(
            ScaleRow.Point(size: size, median: Timings(times).median, rows: rows))
        growth[operation] = leastTimes.isEmpty ? nil : PairedRatio(of: times, to: leastTimes)
    }

    /// Returns the row of an operation; nil if it was not measured.
    package func row(_ operation: String, title: String, limit: Double?) -> ScaleRow? {
        points[operation].map {
            ScaleRow(operation: operation, title: title, points: $0, limit: limit, inTurn: growth[operation])
        }
    }

    private static let warmUp = 3
}
