/// Two sides that do the same work in turn, until it is clear which is faster or there have been pairs enough.
///
/// The time of a machine is not to be trusted: it drifts, and one run in a hundred takes a hundred times as long. So only
/// samples that follow each other are ever compared, and only the median of their ratios counts. A pair is two samples
/// of each side: this, other, other, this. A side that is asked twice in turn finds its caches warm the second time, which
/// makes up to a fifth of a short sample; so each side is in every pair once the next after the other, and once after
/// itself.
public struct PairedTrial: Sendable {
    /// When it is clear, and when it is enough.
    public struct Plan: Sendable, Equatable {
        /// The ratio that is still allowed.
        public var limit = 1.05
        /// An interval that is wider says nothing yet. It keeps a few lucky or unlucky pairs from deciding.
        public var precision = 0.08
        /// Pairs that are taken of the same two sides, before they are started anew.
        public var pairsOfSides = 8
        /// Starts before the first look. Every further look comes after twice as many.
        public var fewestStarts = 6
        /// Pairs after which it ends in any case.
        public var mostPairs = 1024
        /// Nanoseconds of samples after which it ends in any case, at the next look.
        public var longestTime: Int64 = 20_000_000_000
        /// What a sample has to take at least, in nanoseconds: less than that is mostly the noise of the clock.
        public var sampleLength: Int64 = 200_000

        /// The plan that the gate uses. Decision 0019 says how it was chosen.
        public init() {}
    }

    /// Does the work so many times, and tells what that took in nanoseconds.
    public typealias Side = (_ runs: Int) async throws -> Int64

    /// Two sides that were started for a while: processes, mostly.
    public struct Sides {
        let this, other: Side
        /// Ends both.
        public let end: () -> Void

        /// Two sides, and what is to be done when they are not needed any more.
        public init(this: @escaping Side, other: @escaping Side, end: @escaping () -> Void = {}) {
            self.this = this
            self.other = other
            self.end = end
        }
    }

    private let plan: Plan

    /// A trial by a plan.
    public init(_ plan: Plan = Plan()) {
        self.plan = plan
    }

    /// Compares this side with the other: a ratio above 1 says that this one is slower.
    ///
    /// The sides are started anew again and again: where a process happens to lie in memory makes some percent, and more
    /// pairs of the same two processes would only make that surer. `start` gets the number of those before.
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

    /// How many runs make a sample that is long enough, on either side; as many as before where that is known. Nothing of
    /// it is measured: it warms both up.
    private func calibrated(_ sides: Sides, from known: Int?) async throws -> Int {
        var runs = known ?? 1
        while true {
            // The shortest of three, for a hiccup must not pass for long work.
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
