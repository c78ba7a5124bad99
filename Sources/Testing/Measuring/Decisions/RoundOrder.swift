import LabSupport

/// The orders in which the contestants of an interleaved measurement run: a new random one each round.
///
/// With an order that rotates, each contestant always follows the same other one, and pays for the writes that it
/// leaves behind.
public struct RoundOrder: Sendable {
    private let count: Int
    private var generator: SeededGenerator

    /// Creates the orders of a seed.
    public init(of count: Int, seed: UInt64) {
        self.count = count
        generator = SeededGenerator(seed: seed)
    }

    /// Returns the order of the next round: each index once.
    public mutating func next() -> [Int] { Array(0..<count).shuffled(using: &generator) }
}
