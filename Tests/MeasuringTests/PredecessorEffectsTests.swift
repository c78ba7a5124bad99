import LabSupport
import Testing

@testable import Measuring

@Suite struct PredecessorEffectsTests {
    private static let names = ["a", "b", "c", "d", "e"]

    /// Runs of five contestants, of which each takes its own time, with noise, and so many times as long
    /// after "b".
    private func samples(
        orders: (Int) -> [Int], rounds: Int = 200, after factor: Double, noise width: Double = 0.1, seed: UInt64 = 3
    ) -> [PredecessorEffects.Sample] {
        var generator = SeededGenerator(seed: seed)
        var samples: [PredecessorEffects.Sample] = []
        var last: Int?
        for round in 0..<rounds {
            for index in orders(round) {
                let noise = 1 - width / 2 + width * Double(generator.number(below: 1000)) / 1000
                let time = Double(100 * (index + 1)) * noise
                if let last {
                    samples.append(
                        PredecessorEffects.Sample(
                            Self.names[index], after: Self.names[last], time: last == 1 ? time * factor : time))
                }
                last = index
            }
        }
        return samples
    }

    private func random(seed: UInt64) -> (Int) -> [Int] {
        var order = RoundOrder(of: Self.names.count, seed: seed)
        let orders = (0..<200).map { _ in order.next() }
        return { orders[$0] }
    }

    @Test("A contestant that slows down what follows it is named", arguments: 1...5 as ClosedRange<UInt64>)
    func bias(seed: UInt64) {
        let slow = PredecessorEffects(samples(orders: random(seed: seed), after: 1.2, seed: seed))
        #expect(slow.verdict == .biased(["b"]))
        let fast = PredecessorEffects(samples(orders: random(seed: seed), after: 0.8, seed: seed))
        #expect(fast.verdict == .biased(["b"]))
    }

    @Test("Without an effect there is no bias", arguments: 1...20 as ClosedRange<UInt64>)
    func noBias(seed: UInt64) throws {
        let effects = PredecessorEffects(samples(orders: random(seed: seed), after: 1, seed: seed))
        #expect(effects.verdict == .none)
        #expect(effects.effects.map(\.predecessor) == Self.names)
        for effect in effects.effects { #expect((0.97...1.03).contains(effect.ratio.median)) }
    }

    @Test("With too few runs for the noise nothing is concluded, and a rare predecessor is left out")
    func unclear() {
        let few = samples(orders: random(seed: 1), rounds: 21, after: 1, noise: 1.5)
        guard case .unclear = PredecessorEffects(few).verdict else {
            Issue.record("\(PredecessorEffects(few).verdict)")
            return
        }
        let rare = (0..<19).map { _ in PredecessorEffects.Sample("a", after: "rare", time: 1000) }
        let effects = PredecessorEffects(samples(orders: random(seed: 1), after: 1) + rare)
        #expect(effects.verdict == .none && !effects.effects.contains { $0.predecessor == "rare" })
    }

    @Test("In an order that rotates nothing can be concluded")
    func rotation() {
        // What follows "b" in four of five rounds has a median that is slower, and ratios of 1.
        let rotating = samples(orders: { round in (0..<5).map { ($0 + round) % 5 } }, after: 1.2)
        #expect(PredecessorEffects(rotating).verdict == .unknown)
        #expect(PredecessorEffects(samples(orders: { _ in [0, 1, 2, 3, 4] }, after: 1.2)).verdict == .unknown)
        #expect(PredecessorEffects([]).verdict == .unknown)
    }

    @Test("Each round has every contestant once, another order than before, and the same for the same seed")
    func orders() {
        var first = RoundOrder(of: 8, seed: 7)
        var second = RoundOrder(of: 8, seed: 7)
        var other = RoundOrder(of: 8, seed: 8)
        var seen: Set<[Int]> = []
        var others: Set<[Int]> = []
        for _ in 0..<100 {
            let order = first.next()
            #expect(order.sorted() == Array(0..<8))
            #expect(order == second.next())
            seen.insert(order)
            others.insert(other.next())
        }
        #expect(seen.count > 95 && seen != others)
    }
}
