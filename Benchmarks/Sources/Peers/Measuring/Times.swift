import Workloads

/// The times of one contestant, in nanoseconds, by round.
struct Times {
    let name: String
    var nanoseconds: [Int: Double]

    var median: Double { Array(nanoseconds.values).median }

    /// How many times longer it took than another: the median of the ratios of the rounds in which both took part.
    func ratio(to other: Times) -> PairedRatio {
        PairedRatio(
            nanoseconds.keys.sorted().compactMap { round in
                guard let own = nanoseconds[round], let others = other.nanoseconds[round] else { return nil }
                return own / others
            })
    }
}
