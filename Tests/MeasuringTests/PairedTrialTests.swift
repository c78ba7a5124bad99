import Daybook
import TestSupport
import Testing

@testable import Measuring

@Suite struct PairedTrialTests {
    @Test("Equal sides cause hardly any false alarms or inconclusive results", arguments: NoiseModel.Noise.allCases)
    func equalSides(noise: NoiseModel.Noise) async throws {
        var outcomes: [Comparison.Outcome: Int] = [:]
        for seed in 0..<TestBudget.count(8, long: 40) {
            outcomes[try await outcome(noise, slowdown: 0, seed: seed), default: 0] += 1
        }
        #expect(outcomes[.worse, default: 0] == 0)
        #expect(outcomes[.inconclusive, default: 0] <= 1)
    }

    @Test("A slowdown of a tenth is detected in any noise", arguments: NoiseModel.Noise.allCases)
    func slowdownOfATenth(noise: NoiseModel.Noise) async throws {
        for seed in 0..<TestBudget.count(5, long: 25) {
            #expect(try await outcome(noise, slowdown: 0.1, seed: seed) == .worse, "seed \(seed)")
        }
    }

    @Test("A slowdown at the limit is inconclusive")
    func atTheLimit() async throws {
        var plan = PairedTrial.Plan()
        plan.mostPairs = 64
        let outcomes = try await [1, 2, 3, 4, 5].asyncMap { try await outcome(.even, slowdown: 0.05, seed: $0, plan) }
        #expect(outcomes.count { $0 == .inconclusive } >= 4)
    }

    @Test("A faster side holds")
    func aFasterSideHolds() async throws {
        #expect(try await outcome(.even, slowdown: -0.5, seed: 1) == .holds)
    }

    @Test("A clear result ends the trial after the first evaluation")
    func clearResult() async throws {
        let comparison = try await PairedTrial().compare("x", { Int64($0) * 300_000 }, with: { Int64($0) * 300_000 })
        let plan = PairedTrial.Plan()
        #expect(comparison.ratio.pairs == plan.pairsOfSides * plan.fewestStarts)
        #expect(comparison.operation == "x" && comparison.limit == 1.05)
    }

    @Test("A few outliers do not decide, and the trial still ends")
    func outliers() async throws {
        let model = NoiseModel(.heavyTail, seed: 4)
        var plan = PairedTrial.Plan()
        plan.precision = 0
        plan.mostPairs = 40
        let comparison = try await PairedTrial(plan).compare("x", model.this, with: model.other)
        #expect(comparison.ratio.pairs == 40)
    }

    @Test("Sides are restarted after every few pairs, and all of them end")
    func restartsSides() async throws {
        var plan = PairedTrial.Plan()
        plan.precision = 0
        plan.mostPairs = 300
        var started: [Int] = []
        var ended = 0
        let model = NoiseModel(.even, seed: 6)
        let comparison = try await PairedTrial(plan).compare("x") { number in
            started.append(number)
            return PairedTrial.Sides(this: model.this, other: model.other) { ended += 1 }
        }
        // Eight pairs each, and four of the last.
        #expect(started == Array(0..<38) && ended == 38)
        #expect(comparison.ratio.pairs == 300)
    }

    @Test("A slowdown is detected despite the variation between processes")
    func variationBetweenProcesses() async throws {
        for seed in 0..<TestBudget.count(5, long: 20) {
            let luck = SeededRandomSource(seed: UInt64(seed))
            let comparison = try await PairedTrial().compare("x") { number in
                let offset = Double(luck.next() % 40) / 1000 - 0.02
                let model = NoiseModel(.even, slowdown: 0.1 + offset, seed: UInt64(seed * 100 + number))
                return PairedTrial.Sides(this: model.this, other: model.other)
            }
            #expect(comparison.outcome == .worse, "seed \(seed)")
        }
    }

    @Test("A failing side ends both")
    func failingSide() async throws {
        struct Gone: Error {}
        var ended = 0
        await #expect(throws: Gone.self) {
            try await PairedTrial().compare("x") { _ in
                PairedTrial.Sides(this: { _ in throw Gone() }, other: { Int64($0) }) { ended += 1 }
            }
        }
        #expect(ended == 1)
    }

    @Test("The trial ends after the maximum time")
    func maximumTime() async throws {
        var plan = PairedTrial.Plan()
        // A negative width is never reached.
        plan.precision = -1
        plan.longestTime = 1_000_000_000
        let comparison = try await PairedTrial(plan).compare(
            "x", { Int64($0) * 10_000_000 }, with: { Int64($0) * 10_000_000 })
        // A pair is four samples of 10 ms, so a second is over within the fourth start of eight pairs.
        #expect(comparison.ratio.pairs == 32)
    }

    @Test(
        "Short work runs often enough for a sample", arguments: [(1000, 200), (70_000, 3), (250_000, 1), (0, 1 << 16)])
    func sampleLength(length: Int, runs: Int) async throws {
        let taken = Taken()
        var plan = PairedTrial.Plan()
        plan.mostPairs = plan.pairsOfSides
        _ = try await PairedTrial(plan).compare(
            "x", { taken.add("a", $0, length) }, with: { taken.add("b", $0, length) })
        let sample = try #require(taken.all.last?.runs)
        #expect((runs...runs + runs / 50 + 1).contains(sample))
        #expect(taken.all.suffix(4 * plan.pairsOfSides).allSatisfy { $0.runs == sample })
    }

    @Test("Each side runs once after the other and once after itself, and starts alternate the order")
    func order()
        async throws
    {
        let taken = Taken()
        var plan = PairedTrial.Plan()
        plan.precision = 0
        plan.pairsOfSides = 2
        plan.mostPairs = 4
        _ = try await PairedTrial(plan).compare("x") { _ in
            taken.all = []
            return PairedTrial.Sides(
                this: { taken.add("a", $0, 500_000) }, other: { taken.add("b", $0, 500_000 + taken.all.count) },
                end: { taken.orders.append(taken.all.suffix(8).map(\.side).joined()) })
        }
        #expect(taken.orders == ["abbaabba", "baabbaab"])
    }

    private func outcome(
        _ noise: NoiseModel.Noise, slowdown: Double, seed: Int, _ plan: PairedTrial.Plan = .init()
    ) async throws -> Comparison.Outcome {
        let model = NoiseModel(noise, slowdown: slowdown, seed: UInt64(seed))
        return try await PairedTrial(plan).compare("x", model.this, with: model.other).outcome
    }

    private final class Taken {
        var all: [(side: String, runs: Int)] = []
        var orders: [String] = []

        func add(_ side: String, _ runs: Int, _ length: Int) -> Int64 {
            all.append((side, runs))
            return Int64(runs * length)
        }
    }
}

extension PairedTrial {
    /// Compares two sides that are never restarted.
    fileprivate func compare(
        _ operation: String, _ this: @escaping Side, with other: @escaping Side
    ) async throws -> Comparison {
        try await compare(operation) { _ in Sides(this: this, other: other) }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

/// Two sides that do the same work on a noisy machine, in simulated time.
final class NoiseModel {
    /// The kind of noise.
    enum Noise: CaseIterable {
        /// Every sample varies by some percent.
        case even
        /// As with a disk: samples vary by a third, and one in ten takes up to thirty times as long.
        case heavyTail
        /// The machine gradually becomes twice as fast and slow again.
        case drift
        /// A side that runs after the same one finds warm caches.
        case secondIsFaster
        /// Occasionally everything takes twice as long for twenty samples.
        case spells
    }

    private let random: SeededRandomSource
    private let noise: Noise
    /// The slowdown of this side.
    private let slowdown: Double
    private var samples = 0
    private var wasThisSide = false

    init(_ noise: Noise, slowdown: Double = 0, seed: UInt64) {
        self.noise = noise
        self.slowdown = slowdown
        random = SeededRandomSource(seed: seed)
    }

    func this(_ runs: Int) -> Int64 { sample(runs, isThis: true) }
    func other(_ runs: Int) -> Int64 { sample(runs, isThis: false) }

    private func sample(_ runs: Int, isThis: Bool) -> Int64 {
        defer {
            samples += 1
            wasThisSide = isThis
        }
        let factor =
            switch noise {
            case .even: 1 + 0.05 * normal()
            case .heavyTail: (1 + 0.3 * abs(normal())) * (uniform() < 0.1 ? 1 + 30 * uniform() : 1)
            case .drift: (1 + 0.03 * normal()) * (1.5 + Self.wave(samples))
            case .secondIsFaster: (1 + 0.03 * normal()) * (wasThisSide == isThis ? 0.8 : 1)
            case .spells: (1 + 0.03 * normal()) * (samples / 20 % 7 == 0 ? 2 : 1)
            }
        return Int64(20_000 * Double(runs) * max(factor, 0.1) * (isThis ? 1 + slowdown : 1))
    }

    /// From -0.5 to 0.5 and back in two hundred steps.
    private static func wave(_ step: Int) -> Double { abs(Double(step % 200) - 100) / 100 - 0.5 }

    private func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

    /// An approximately normal number: the sum of twelve uniform ones.
    private func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
}
