import Daybook
import FoundationEssentials
import Testing
import Workloads

@Suite struct PairedRatioTests {
    @Test func `is the middle of its ratios`() {
        #expect(PairedRatio([3, 1, 2]).median == 2)
        #expect(PairedRatio([4, 1, 2, 3]).median == 2.5)
    }

    @Test func `has no width when all ratios are the same`() {
        for count in [1, 5, 6, 100] {
            let ratio = PairedRatio(Array(repeating: 1.25, count: count))
            #expect((ratio.low, ratio.median, ratio.high) == (1.25, 1.25, 1.25))
            #expect(ratio.pairs == count)
        }
    }

    @Test func `knows nothing without pairs, and JSON can say so`() throws {
        let ratio = PairedRatio([])
        #expect(ratio.low == 0 && ratio.high > 1e300 && ratio.pairs == 0)
        let bytes = try JSONEncoder().encode(ratio)
        #expect(try JSONDecoder().decode(PairedRatio.self, from: bytes) == ratio)
    }

    @Test func `takes the whole range of too few pairs`() {
        let ratio = PairedRatio([2, 1, 5])
        #expect((ratio.low, ratio.high) == (1, 5))
    }

    @Test func `is the same for the same ratios in any order`() {
        let random = SeededRandomSource(seed: 5)
        let ratios = (0..<200).map { _ in Double(random.next() >> 40) }
        #expect(PairedRatio(ratios) == PairedRatio(ratios.reversed()))
        #expect(PairedRatio(ratios, seed: 1) != PairedRatio(ratios, seed: 2))
    }

    @Test func `does not move for a tenth of absurd ratios`() {
        let random = SeededRandomSource(seed: 7)
        let plain = (0..<90).map { _ in 1 + Double(random.next() % 1000) / 10_000 }
        let ratio = PairedRatio(plain + Array(repeating: 1000, count: 10))
        #expect(ratio.high < 1.1)
    }

    /// 95 of 100, as far as four hundred repetitions can tell: two standard deviations are 2 %, and a bootstrap of a
    /// median errs on the careful side in small samples.
    @Test(arguments: [8, 31, 128], Distribution.allCases)
    func `holds the true median about 95 times in 100`(count: Int, distribution: Distribution) {
        let random = SeededRandomSource(seed: UInt64(count))
        let repetitions = 400
        let hits = (0..<repetitions).count { repetition in
            let ratio = PairedRatio((0..<count).map { _ in distribution.draw(random) }, seed: UInt64(repetition))
            return ratio.low <= distribution.median && distribution.median <= ratio.high
        }
        #expect((0.91...0.985).contains(Double(hits) / Double(repetitions)), "\(hits)")
    }

    @Test func `is narrower by half for four times as many pairs`() {
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
