/// Medians of samples that are drawn from a sample, each with repetitions and as long as the sample itself.
struct MedianBootstrap {
    private let sorted: [Double]
    private var counts: [UInt32]
    private var state: UInt64

    /// Draws from a sample that is sorted and not empty.
    init(of sorted: [Double], seed: UInt64) {
        self.sorted = sorted
        counts = Array(repeating: 0, count: sorted.count)
        state = seed
    }

    /// The median of one more sample. Counting how often each place is drawn sorts it at once.
    mutating func nextMedian() -> Double {
        let count = sorted.count
        let bound = UInt64(count)
        for index in 0..<count { counts[index] = 0 }
        var left = count
        while left > 0 {
            // Two indexes from one draw; a sample has far fewer than 2^32 elements.
            let bits = draw()
            counts[Int(((bits >> 32) &* bound) >> 32)] &+= 1
            if left > 1 { counts[Int(((bits & 0xFFFF_FFFF) &* bound) >> 32)] &+= 1 }
            left -= 2
        }
        return (element((count - 1) / 2) + element(count / 2)) / 2
    }

    /// The element at a place of the drawn sample, were it sorted.
    private func element(_ place: Int) -> Double {
        var before = 0
        for (index, count) in counts.enumerated() {
            before += Int(count)
            if before > place { return sorted[index] }
        }
        return sorted[sorted.count - 1]
    }

    /// SplitMix64, as the library's seeded source, without the lock that a shared one needs: there are a million draws.
    private mutating func draw() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
