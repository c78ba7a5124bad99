#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How the time of one question grows with the store.
public struct ScaleRow: Sendable, Equatable, Codable {
    /// What was measured at one size.
    public struct Point: Sendable, Equatable, Codable {
        /// Tasks in the store.
        public let tasks: Int
        /// The median time, in nanoseconds.
        public let median: Int64
        /// The rows of the answer.
        public let rows: Int

        /// A measured point.
        public init(tasks: Int, median: Int64, rows: Int) {
            self.tasks = tasks
            self.median = median
            self.rows = rows
        }
    }

    /// The operation's name and title.
    public let operation, title: String
    /// From the smallest store to the largest.
    public let points: [Point]
    /// By what factor it may grow from the smallest store to the largest; nil where the answer itself grows.
    public let limit: Double?
    /// The time in the largest store by that in the smallest, asked in turn; nil where they were not.
    public let inTurn: PairedRatio?

    /// A question measured at several sizes.
    public init(operation: String, title: String, points: [Point], limit: Double?, inTurn: PairedRatio? = nil) {
        self.inTurn = inTurn
        self.operation = operation
        self.title = title
        self.points = points
        self.limit = limit
    }

    /// The time in the largest store by that in the smallest.
    public var growth: Double {
        if let inTurn { return inTurn.median }
        guard let first = points.first, let last = points.last, first.median > 0 else { return 1 }
        return Double(last.median) / Double(first.median)
    }

    /// The slope of time over size, both on logarithmic scales, by least squares: 0 does not grow, 1 grows as the store does.
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

    /// Whether it grows no more than it may: only a whole interval beyond the limit says that it does.
    public var holds: Bool { limit.map { (inTurn?.low ?? growth) <= $0 } ?? true }
}
