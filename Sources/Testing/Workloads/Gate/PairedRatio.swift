/// The median of paired ratios with the interval that holds it in 95 of 100 repetitions, by bootstrap.
///
/// Pairs are taken in turn, so that whatever else the machine does meets both sides of a pair.
public struct PairedRatio: Sendable, Equatable, Codable {
    /// The median ratio.
    public let median: Double
    /// The ends of its interval. Of fewer than six pairs all ratios lie within it.
    public let low, high: Double
    /// How many pairs there were.
    public let pairs: Int

    /// The median and interval of ratios: the same for the same ratios in any order and the same seed. Cost: some
    /// milliseconds for a thousand.
    public init(_ ratios: [Double], seed: UInt64 = 1) {
        let sorted = ratios.sorted()
        pairs = sorted.count
        guard let first = sorted.first, let last = sorted.last else {
            // Nothing is known. Not infinite, which JSON cannot say.
            (median, low, high) = (1, 0, .greatestFiniteMagnitude)
            return
        }
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        guard sorted.count >= Self.fewest else {
            (low, high) = (first, last)
            return
        }
        var bootstrap = MedianBootstrap(of: sorted, seed: seed)
        let medians = (0..<Self.resamples).map { _ in bootstrap.nextMedian() }.sorted()
        // As many beyond either end: one in forty.
        low = medians[Self.resamples / 40]
        high = medians[Self.resamples - 1 - Self.resamples / 40]
    }

    private init(median: Double, low: Double, high: Double, pairs: Int) {
        self.median = median
        self.low = low
        self.high = high
        self.pairs = pairs
    }

    /// The same the other way around.
    public var inverse: PairedRatio {
        PairedRatio(median: 1 / median, low: 1 / high, high: 1 / low, pairs: pairs)
    }

    /// With fewer, even the whole range misses the true median more than once in twenty times.
    static let fewest = 6
    private static let resamples = 800
}
