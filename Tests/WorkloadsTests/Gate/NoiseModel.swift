import Daybook

/// Two sides that do the same work on a machine that is never quiet. Time is counted, none goes by.
final class NoiseModel {
    /// What makes the times differ.
    enum Noise: CaseIterable {
        /// Every sample is some percent off.
        case even
        /// As with a disk: a third off, and one in ten takes up to thirty times as long.
        case heavyTail
        /// The machine becomes twice as fast and slow again while it goes on.
        case drift
        /// Who comes second finds warm caches.
        case secondIsFaster
        /// Once in a while everything takes twice as long for twenty samples.
        case spells
    }

    private let random: SeededRandomSource
    private let noise: Noise
    /// How much slower this side is.
    private let slowdown: Double
    private var samples = 0
    private var wasThisSide = false
    /// The runs of each sample that was taken, and whether this side took it.
    private(set) var taken: [(isThis: Bool, runs: Int)] = []

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
            taken.append((isThis, runs))
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

    /// Nearly normal: the sum of twelve uniform numbers.
    private func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
}
