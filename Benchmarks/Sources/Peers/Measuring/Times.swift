import Measuring
import Workloads

/// The times of one contestant, in nanoseconds, by round.
struct Times {
    let name: String
    var nanoseconds: [Int: Double]
    /// What ran before, by round.
    var predecessors: [Int: String] = [:]

    var median: Double { Array(nanoseconds.values).median }

    /// The runs with what ran before each.
    var samples: [PredecessorEffects.Sample] {
        nanoseconds.compactMap { round, time in
            predecessors[round].map { PredecessorEffects.Sample(name, after: $0, time: time) }
        }
    }

    /// Returns the ratio to another's times: the median over the rounds in which both took part.
    func ratio(to other: Times) -> PairedRatio {
        PairedRatio(
            nanoseconds.keys.sorted().compactMap { round in
                guard let own = nanoseconds[round], let others = other.nanoseconds[round] else { return nil }
                return own / others
            })
    }
}
