import LabSupport

/// The median of paired ratios with its 95 % confidence interval, by bootstrap.
///
/// The two sides of a pair are measured interleaved, so that disturbances of the machine affect both.
public struct PairedRatio: Sendable, Equatable, Codable {
    /// The median ratio.
    public let median: Double
    /// The bounds of the interval. For fewer than six pairs it covers all ratios.
    public let low, high: Double
    /// The number of pairs.
    public let pairs: Int

    /// Computes the median and its interval. Independent of the order of ratios. Cost: some milliseconds for a
    /// thousand.
    public init(_ ratios: [Double], seed: UInt64 = 1) {
        let sorted = ratios.sorted()
        pairs = sorted.count
        guard let first = sorted.first, let last = sorted.last else {
            // Unknown, but finite, since JSON has no infinity.
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
        // One in forty beyond either bound.
        low = medians[Self.resamples / 40]
        high = medians[Self.resamples - 1 - Self.resamples / 40]
    }

    /// Computes the ratio of times that were measured in pairs.
    public init(of ours: [Int64], to theirs: [Int64]) {
        self.init(zip(ours, theirs).map { Double($0) / Double(max($1, 1)) })
    }

    private init(median: Double, low: Double, high: Double, pairs: Int) {
        self.median = median
        self.low = low
        self.high = high
        self.pairs = pairs
    }

    /// The ratio of the other side to this one.
    public var inverse: PairedRatio {
        PairedRatio(median: 1 / median, low: 1 / high, high: 1 / low, pairs: pairs)
    }

    /// With fewer pairs, even the full range misses the true median in more than one case in twenty.
    static let fewest = 6
    private static let resamples = 800
}

/// Medians of bootstrap samples: drawn with replacement, of the size of the original sample.
struct MedianBootstrap {
    private let sorted: [Double]
    private var counts: [UInt32]
    private var generator: SeededGenerator

    /// Creates a bootstrap of a sorted sample that is not empty.
    init(of sorted: [Double], seed: UInt64) {
        self.sorted = sorted
        counts = Array(repeating: 0, count: sorted.count)
        generator = SeededGenerator(seed: seed)
    }

    /// Returns the median of the next bootstrap sample. Counting how often each index is drawn sorts it at once.
    mutating func nextMedian() -> Double {
        let count = sorted.count
        let bound = UInt64(count)
        for index in 0..<count { counts[index] = 0 }
        var left = count
        while left > 0 {
            // Two indexes from one draw; a sample has far fewer than 2^32 elements.
            let bits = generator.next()
            counts[Int(((bits >> 32) &* bound) >> 32)] &+= 1
            if left > 1 { counts[Int(((bits & 0xFFFF_FFFF) &* bound) >> 32)] &+= 1 }
            left -= 2
        }
        return (element((count - 1) / 2) + element(count / 2)) / 2
    }

    /// Returns the element at a position of the sorted bootstrap sample.
    private func element(_ place: Int) -> Double {
        var before = 0
        for (index, count) in counts.enumerated() {
            before += Int(count)
            if before > place { return sorted[index] }
        }
        return sorted[sorted.count - 1]
    }
}
