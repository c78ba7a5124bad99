/// How the contestants of an interleaved measurement depend on what ran just before them.
///
/// Each time is divided by the median of its contestant, so that the ratios after one predecessor can be compared with
/// those after another, whoever follows them.
public struct PredecessorEffects: Sendable, Equatable {
    /// One measured run.
    public struct Sample: Sendable, Equatable {
        /// What ran, and what ran before it.
        public let contestant, predecessor: String
        /// The time, in any unit.
        public let time: Double

        /// Creates a measured run.
        public init(_ contestant: String, after predecessor: String, time: Double) {
            self.contestant = contestant
            self.predecessor = predecessor
            self.time = time
        }
    }

    /// The median ratio of the times after a predecessor, with its interval.
    public struct Effect: Sendable, Equatable {
        /// The predecessor.
        public let predecessor: String
        /// The ratio to the contestants' own medians: above 1 is slower.
        public let ratio: PairedRatio
    }

    /// The conclusion.
    public enum Verdict: Sendable, Equatable {
        /// No predecessor has an effect beyond the limit: every interval is within it.
        case none
        /// These have: their whole intervals are beyond it.
        case biased([String])
        /// The intervals of these are too wide for a verdict.
        case unclear([String])
        /// A contestant had one predecessor in most of its runs, so that its effect cannot be separated from the
        /// contestant's own time.
        case unknown
    }

    /// The effects, in the order of the predecessors' names.
    public let effects: [Effect]
    /// The conclusion.
    public let verdict: Verdict

    /// A smaller effect is no bias: contestants differ by more.
    public static let limit = 1.05
    /// Contestants with fewer runs are left out, and so are predecessors of fewer.
    private static let fewestRuns = 20

    /// Computes the effects of a measurement's runs. Cost: some milliseconds for each predecessor.
    public init(_ samples: [Sample]) {
        let runs = Dictionary(grouping: samples, by: \.contestant).filter { $0.value.count >= Self.fewestRuns }
        let medians = runs.mapValues { PairedRatio($0.map(\.time)).median }
        let groups = Dictionary(grouping: runs.values.joined(), by: \.predecessor)
            .filter { $0.value.count >= Self.fewestRuns }
        effects = groups.keys.sorted().map { name in
            Effect(
                predecessor: name,
                ratio: PairedRatio(
                    (groups[name] ?? []).map { $0.time / max(medians[$0.contestant] ?? 1, .leastNormalMagnitude) }))
        }
        let isVaried = runs.values.allSatisfy { runs in
            Dictionary(grouping: runs, by: \.predecessor).values.allSatisfy { $0.count * 2 <= runs.count }
        }
        let biased = effects.filter { $0.ratio.low > Self.limit || $0.ratio.high < 1 / Self.limit }
        let unclear = effects.filter { $0.ratio.high > Self.limit || $0.ratio.low < 1 / Self.limit }
        if runs.isEmpty || !isVaried {
            verdict = .unknown
        } else if !biased.isEmpty {
            verdict = .biased(biased.map(\.predecessor))
        } else {
            verdict = unclear.isEmpty ? .none : .unclear(unclear.map(\.predecessor))
        }
    }
}
