import Workloads

/// The times of one contestant, in nanoseconds, by round.
struct Times {
    let name: String
    var nanoseconds: [Int: Double]

    var median: Double { Array(nanoseconds.values).median }

    /// Returns the ratio to another's times: the median over the rounds in which both took part.
    func ratio(to other: Times) -> PairedRatio {
        PairedRatio(
            nanoseconds.keys.sorted().compactMap { round in
                guard let own = nanoseconds[round], let others = other.nanoseconds[round] else { return nil }
                return own / others
            })
    }
}
