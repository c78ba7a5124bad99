/// Compares two sides by interleaved measurements, until it is clear which one is faster or there are enough pairs.
///
/// Machine times drift, and one run in a hundred takes a hundred times as long. So only consecutive samples are
/// compared, and only the median of their ratios counts. A pair consists of two samples of each side: this, other,
/// other, this. A side that runs twice in a row finds warm caches, which makes up to a fifth of a short sample; in this
/// order each side runs once after the other and once after itself.
public struct PairedTrial: Sendable {
    /// When to stop.
    public struct Plan: Sendable, Equatable {
        /// The ratio that is still allowed.
        public var limit = 1.05
        /// The maximum width of an interval that decides, so that a few lucky or unlucky pairs do not.
        public var precision = 0.08
        /// The number of pairs before both sides are restarted.
        public var pairsOfSides = 8
        /// The number of starts before the first evaluation; each further one comes after twice as many.
        public var fewestStarts = 6
        /// The maximum number of pairs.
        public var mostPairs = 1024
        /// The maximum total time of samples in nanoseconds, checked at each evaluation.
        public var longestTime: Int64 = 20_000_000_000
        /// The minimum duration of a sample in nanoseconds; shorter ones are mostly clock noise.
        public var sampleLength: Int64 = 200_000

        /// Creates the gate's plan, which decision 0019 explains.
        public init() {}
    }

    /// Does the work the given number of times and returns how long that took in nanoseconds.
    public typealias Side = (_ runs: Int) async throws -> Int64

    /// Two started sides, usually processes.
    public struct Sides {
        let this, other: Side
        /// Stops both sides.
        public let end: () -> Void

        /// Creates two sides with a closure that stops them.
        public init(this: @escaping Side, other: @escaping Side, end: @escaping () -> Void = {}) {
            self.this = this
            self.other = other
            self.end = end
        }
    }

    private let plan: Plan

    /// Creates a trial.
    public init(_ plan: Plan = Plan()) {
        self.plan = plan
    }

    /// Compares this side with the other: a ratio above 1 means that this one is slower.
    ///
    /// Both sides are restarted repeatedly, because a process's memory layout changes its speed by some percent, and
    /// more pairs of the same two processes would only measure that more precisely. `start` receives the number of
    /// previous starts.
    public func compare(
        _ operation: String, startingWith start: (_ number: Int) async throws -> Sides
    ) async throws -> Comparison {
        var runs: Int?
        var ratios: [Double] = []
        var time: Int64 = 0
        var starts = 0
        var nextLook = plan.fewestStarts
        while true {
            while starts < nextLook, ratios.count < plan.mostPairs, time < plan.longestTime {
                let sides = try await start(starts)
                defer { sides.end() }
                let runsOfSample = try await calibrated(sides, from: runs)
                runs = runsOfSample
                for _ in 0..<min(plan.pairsOfSides, plan.mostPairs - ratios.count) {
                    let pair = try await pair(isTurned: starts % 2 == 1, runsOfSample, sides)
                    ratios.append(Double(max(pair.this, 1)) / Double(max(pair.other, 1)))
                    time += pair.this + pair.other
                }
                starts += 1
            }
            nextLook *= 2
            let ratio = PairedRatio(ratios)
            let isLast = ratios.count >= plan.mostPairs || time >= plan.longestTime
            if let outcome = outcome(of: ratio, isLast: isLast) {
                return Comparison(operation: operation, ratio: ratio, limit: plan.limit, outcome: outcome)
            }
        }
    }

    private func pair(
        isTurned: Bool, _ runs: Int, _ sides: Sides
    ) async throws -> (this: Int64, other: Int64) {
        let (outer, inner) = isTurned ? (sides.other, sides.this) : (sides.this, sides.other)
        var outerTime = try await outer(runs)
        let innerTime = try await inner(runs) + inner(runs)
        outerTime += try await outer(runs)
        return isTurned ? (innerTime, outerTime) : (outerTime, innerTime)
    }

    /// Returns the number of runs that make a sample long enough on either side, or the known number, and warms up both
    /// sides.
    private func calibrated(_ sides: Sides, from known: Int?) async throws -> Int {
        var runs = known ?? 1
        while true {
            // The shortest of three, so that a disturbance does not pass for long work.
            var shortest = Int64.max
            for _ in 0..<3 {
                shortest = min(shortest, try await sides.this(runs), try await sides.other(runs))
            }
            if known != nil || shortest >= plan.sampleLength || runs >= Self.mostRuns { return runs }
            let needed = Int64(runs) * plan.sampleLength / max(shortest, 1) + 1
            runs = Int(min(max(needed, Int64(runs) + 1), Int64(runs) * 16, Int64(Self.mostRuns)))
        }
    }

    private func outcome(of ratio: PairedRatio, isLast: Bool) -> Comparison.Outcome? {
        if isLast || ratio.high - ratio.low <= plan.precision {
            if ratio.high <= plan.limit { return .holds }
            if ratio.low > plan.limit { return .worse }
        }
        return isLast ? .inconclusive : nil
    }

    private static let mostRuns = 1 << 16
}

/// The result of comparing one operation with the same operation of another program.
public struct Comparison: Sendable, Equatable, Codable {
    /// The operation's name.
    public let operation: String
    /// The ratio of this program's time to the other's: above 1 is slower.
    public let ratio: PairedRatio
    /// The allowed ratio.
    public let limit: Double
    /// The conclusion.
    public let outcome: Outcome

    /// The conclusion from a comparison.
    public enum Outcome: String, Sendable, Codable {
        /// The entire interval is within the limit.
        case holds
        /// The entire interval is beyond the limit.
        case worse
        /// The interval contains the limit, even after the maximum number of pairs.
        case inconclusive
    }

    /// Creates a comparison.
    public init(operation: String, ratio: PairedRatio, limit: Double, outcome: Outcome) {
        self.operation = operation
        self.ratio = ratio
        self.limit = limit
        self.outcome = outcome
    }
}
