import Testing

@testable import PerformanceTesting

@Suite struct LogScaleTests {
    @Test("An axis spans whole powers of ten around all values")
    func anAxisSpansWholePowersOfTenAroundAllValues() {
        let scale = LogScale(decadesAround: [250, 99_000])
        #expect(scale.low == 100 && scale.high == 100_000)
        #expect(scale.decades == [100, 1000, 10_000, 100_000])
        #expect(scale.place(100) == 0 && scale.place(100_000) == 1)
        #expect(abs(scale.place(1000) - 1.0 / 3) < 1e-9)
        // A value that is a power of ten is an end of the axis; a single one has a decade.
        #expect(LogScale(decadesAround: [1000]).decades == [1000, 10_000])
        #expect(LogScale(decadesAround: []).decades == [1, 10])
    }

    @Test("Values outside of the axis are clamped")
    func valuesOutsideOfTheAxisAreClamped() {
        let scale = LogScale(decadesAround: [10, 100])
        #expect(scale.place(1) == 0 && scale.place(-5) == 0 && scale.place(.nan) == 0)
        #expect(scale.place(1e9) == 1 && scale.place(.infinity) == 1)
    }

    @Test("An axis spans a minimum factor, so that noise stays small")
    func anAxisSpansAMinimumFactorSoThatNoiseStaysSmall() {
        let scale = LogScale(around: [100, 101], factorMin: 8)
        #expect(scale.high / scale.low > 8)
        #expect(scale.place(101) - scale.place(100) < 0.01)
        #expect(scale.place(100) > 0.4 && scale.place(101) < 0.6)
    }

    @Test("Labels keep their distance and order, and stay near their targets")
    func labelsKeepTheirDistanceAndOrderAndStayNearTheirTargets() {
        #expect(LabelColumn.spread([10, 50, 90], room: 16, height: 100) == [10, 50, 90])
        #expect(LabelColumn.spread([50, 50], room: 16, height: 100) == [42, 58])
        #expect(LabelColumn.spread([2, 3, 99], room: 16, height: 100) == [8, 24, 92])
        #expect(LabelColumn.spread([], room: 16, height: 100) == [])
        for seed in 0..<50 {
            let places = (0..<12).map { Double(($0 * 7919 + seed * 104_729) % 300) }
            let labels = LabelColumn.spread(places, room: 16, height: 300)
            let sorted = labels.sorted()
            #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 > 15.999 })
            #expect((sorted.first ?? 0) >= 7.999 && (sorted.last ?? 0) <= 292.001)
            for (a, b) in zip(places.indices, places.indices.dropFirst()) where places[a] < places[b] {
                #expect(labels[a] < labels[b])
            }
        }
    }
}
