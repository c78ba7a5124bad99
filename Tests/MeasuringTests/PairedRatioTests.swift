import Daybook
import FoundationEssentials
import Measuring
import TestSupport
import Testing

@Suite struct PairedRatioTests {
    @Test("The ratio is the median of the pairs' ratios")
    func isTheMiddleOfItsRatios() {
        #expect(PairedRatio([3, 1, 2]).median == 2)
        #expect(PairedRatio([4, 1, 2, 3]).median == 2.5)
    }

    @Test("Equal ratios have an interval without width")
    func equalRatios() {
        for count in [1, 5, 6, 100] {
            let ratio = PairedRatio(Array(repeating: 1.25, count: count))
            #expect((ratio.low, ratio.median, ratio.high) == (1.25, 1.25, 1.25))
            #expect(ratio.pairs == count)
        }
    }

    @Test("Without pairs the interval is unbounded, and survives JSON")
    func noPairs() throws {
        let ratio = PairedRatio([])
        #expect(ratio.low == 0 && ratio.high > 1e300 && ratio.pairs == 0)
        let bytes = try JSONEncoder().encode(ratio)
        #expect(try JSONDecoder().decode(PairedRatio.self, from: bytes) == ratio)
    }

    @Test("The interval of too few pairs is their whole range")
    func fewPairs() {
        let ratio = PairedRatio([2, 1, 5])
        #expect((ratio.low, ratio.high) == (1, 5))
    }

    @Test("The interval does not depend on the order of ratios")
    func anyOrder() {
        let random = SeededRandomSource(seed: 5)
        let ratios = (0..<200).map { _ in Double(random.next() >> 40) }
        #expect(PairedRatio(ratios) == PairedRatio(ratios.reversed()))
        #expect(PairedRatio(ratios, seed: 1) != PairedRatio(ratios, seed: 2))
    }

    @Test("A tenth of outliers does not move the interval")
    func outliers() {
        let random = SeededRandomSource(seed: 7)
        let plain = (0..<90).map { _ in 1 + Double(random.next() % 1000) / 10_000 }
        let ratio = PairedRatio(plain + Array(repeating: 1000, count: 10))
        #expect(ratio.high < 1.1)
    }

    /// 95 of 100, within the accuracy of three hundred repetitions: two standard deviations are 2.5 %. A bootstrap of a
    /// median is slightly too confident for few pairs, and slightly too cautious for some numbers of them.
    @Test(
        "The interval contains the true median in about 95 of 100 cases",
        arguments: TestBudget.isLong ? [16, 31, 64] : [16], Distribution.allCases)
    func coverage(count: Int, distribution: Distribution) {
        let random = SeededRandomSource(seed: UInt64(count))
        let repetitions = 300
        let hits = (0..<repetitions).count { repetition in
            let ratio = PairedRatio((0..<count).map { _ in distribution.draw(random) }, seed: UInt64(repetition))
            return ratio.low <= distribution.median && distribution.median <= ratio.high
        }
        #expect((0.905...0.985).contains(Double(hits) / Double(repetitions)), "\(hits)")
    }

    @Test("Four times as many pairs halve the interval")
    func intervalWidth() {
        let random = SeededRandomSource(seed: 9)
        func width(_ count: Int) -> Double {
            let widths = (0..<40).map { _ in
                let ratio = PairedRatio((0..<count).map { _ in Distribution.skewed.draw(random) })
                return ratio.high - ratio.low
            }
            return widths.reduce(0, +) / 40
        }
        #expect((1.6...2.4).contains(width(64) / width(256)))
    }

    enum Distribution: CaseIterable, Sendable {
        case flat, skewed, heavyTail

        var median: Double {
            switch self {
            case .flat: 1
            case .skewed: 1.25
            case .heavyTail: 2
            }
        }

        func draw(_ random: SeededRandomSource) -> Double {
            let uniform = Double(random.next() >> 11) / Double(1 << 53)
            return switch self {
            case .flat: 0.5 + uniform
            case .skewed: 1 + uniform * uniform
            // Its mean does not exist.
            case .heavyTail: 1 / (1 - uniform)
            }
        }
    }
}
