import Daybook

/// Draws that a seed determines.
struct Dice: RandomNumberGenerator {
    private let source: SeededRandomSource

    init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    mutating func next() -> UInt64 { source.next() }
}
