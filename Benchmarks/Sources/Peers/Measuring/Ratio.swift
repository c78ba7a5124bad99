/// A median of paired ratios with a bootstrap interval of 95 %.
struct Ratio: Sendable {
    let median: Double
    let low: Double
    let high: Double

    init(_ ratios: [Double]) {
        median = ratios.median
        // Medians of as many ratios, drawn with repetition; the seed is fixed, so that the same ratios give the same.
        var generator = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        let medians = (0..<1000).map { _ in
            ratios.indices.map { _ in ratios[Int(generator.next() % UInt64(ratios.count))] }.median
        }.sorted()
        low = medians.isEmpty ? .nan : medians[25]
        high = medians.isEmpty ? .nan : medians[974]
    }

    /// The other way around.
    private init(median: Double, low: Double, high: Double) {
        self.median = median
        self.low = low
        self.high = high
    }

    var inverse: Ratio { Ratio(median: 1 / median, low: 1 / high, high: 1 / low) }

    var text: String { "\(median.short)x (\(low.short) to \(high.short))" }
}

/// A small generator for resampling.
private struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle.
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
