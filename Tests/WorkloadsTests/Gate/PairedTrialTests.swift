import Daybook
import Testing

@testable import Workloads

@Suite struct PairedTrialTests {
    @Test("Hardly ever alarms over two equal sides, and hardly ever cannot tell", arguments: NoiseModel.Noise.allCases)
    func hardlyEverAlarmsOverTwoEqualSidesAndHardlyEverCannotTell(noise: NoiseModel.Noise) async throws {
        var outcomes: [Comparison.Outcome: Int] = [:]
        for seed in 0..<40 {
            outcomes[try await outcome(noise, slowdown: 0, seed: seed), default: 0] += 1
        }
        #expect(outcomes[.worse, default: 0] == 0)
        #expect(outcomes[.inconclusive, default: 0] <= 1)
    }

    @Test("Finds a slowdown of a tenth in any noise", arguments: NoiseModel.Noise.allCases)
    func findsASlowdownOfATenthInAnyNoise(noise: NoiseModel.Noise) async throws {
        for seed in 0..<25 {
            #expect(try await outcome(noise, slowdown: 0.1, seed: seed) == .worse, "seed \(seed)")
        }
    }

    @Test("Cannot tell what lies on the limit")
    func cannotTellWhatLiesOnTheLimit() async throws {
        var plan = PairedTrial.Plan()
        plan.mostPairs = 64
        let outcomes = try await [1, 2, 3, 4, 5].asyncMap { try await outcome(.even, slowdown: 0.05, seed: $0, plan) }
        #expect(outcomes.count { $0 == .inconclusive } >= 4)
    }

    @Test("A faster side holds")
    func aFasterSideHolds() async throws {
        #expect(try await outcome(.even, slowdown: -0.5, seed: 1) == .holds)
    }

    @Test("Is done after the first look when all is clear")
    func isDoneAfterTheFirstLookWhenAllIsClear() async throws {
        let comparison = try await PairedTrial().compare("x", { Int64($0) * 300_000 }, with: { Int64($0) * 300_000 })
        let plan = PairedTrial.Plan()
        #expect(comparison.ratio.pairs == plan.pairsOfSides * plan.fewestStarts)
        #expect(comparison.operation == "x" && comparison.limit == 1.05)
    }

    @Test("Does not let a few wild pairs decide, but ends")
    func doesNotLetAFewWildPairsDecideButEnds() async throws {
        let model = NoiseModel(.heavyTail, seed: 4)
        var plan = PairedTrial.Plan()
        plan.precision = 0
        plan.mostPairs = 40
        let comparison = try await PairedTrial(plan).compare("x", model.this, with: model.other)
        #expect(comparison.ratio.pairs == 40)
    }

    @Test("Starts new sides after every few pairs, and ends all of them")
    func startsNewSidesAfterEveryFewPairsAndEndsAllOfThem() async throws {
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

    @Test("Finds a slowdown behind processes that lie badly in memory")
    func findsASlowdownBehindProcessesThatLieBadlyInMemory() async throws {
        for seed in 0..<20 {
            let luck = SeededRandomSource(seed: UInt64(seed))
            let comparison = try await PairedTrial().compare("x") { number in
                let offset = Double(luck.next() % 40) / 1000 - 0.02
                let model = NoiseModel(.even, slowdown: 0.1 + offset, seed: UInt64(seed * 100 + number))
                return PairedTrial.Sides(this: model.this, other: model.other)
            }
            #expect(comparison.outcome == .worse, "seed \(seed)")
        }
    }

    @Test("Ends the sides when one fails")
    func endsTheSidesWhenOneFails() async throws {
        struct Gone: Error {}
        var ended = 0
        await #expect(throws: Gone.self) {
            try await PairedTrial().compare("x") { _ in
                PairedTrial.Sides(this: { _ in throw Gone() }, other: { Int64($0) }) { ended += 1 }
            }
        }
        #expect(ended == 1)
    }

    @Test("Ends when it has taken long enough")
    func endsWhenItHasTakenLongEnough() async throws {
        var plan = PairedTrial.Plan()
        // Less than no width: it is never clear.
        plan.precision = -1
        plan.longestTime = 1_000_000_000
        let comparison = try await PairedTrial(plan).compare(
            "x", { Int64($0) * 10_000_000 }, with: { Int64($0) * 10_000_000 })
        // A pair is four samples of 10 ms, so a second is over within the fourth start of eight pairs.
        #expect(comparison.ratio.pairs == 32)
    }

    @Test(
        "Runs short work often enough for a sample", arguments: [(1000, 200), (70_000, 3), (250_000, 1), (0, 1 << 16)])
    func runsShortWorkOftenEnoughForASample(length: Int, runs: Int) async throws {
        let taken = Taken()
        var plan = PairedTrial.Plan()
        plan.mostPairs = plan.pairsOfSides
        _ = try await PairedTrial(plan).compare(
            "x", { taken.add("a", $0, length) }, with: { taken.add("b", $0, length) })
        let sample = try #require(taken.all.last?.runs)
        #expect((runs...runs + runs / 50 + 1).contains(sample))
        #expect(taken.all.suffix(4 * plan.pairsOfSides).allSatisfy { $0.runs == sample })
    }

    @Test("Asks each side once after the other and once after itself, and turns the order at every start")
    func asksEachSideOnceAfterTheOtherAndOnceAfterItselfAndTurnsTheOrderAtEveryStart()
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
    /// Compares two sides that are never started anew.
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
