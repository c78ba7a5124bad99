/// Pseudo-random numbers that a seed determines: the same seed gives the same numbers on every machine. (SplitMix64; not
/// for secrets.)
///
/// A value: a copy continues from the same place. Stores take their randomness from CivilTime's `SeededRandomSource`, which
/// several tasks can share and which yields the same numbers.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// Creates a generator that starts with the first number of a seed.
    @inlinable
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns 64 random bits.
    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// Spreads each bit of a number over all of them.
    @inlinable
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// Returns a number from 0 up to a bound. Every number is equally likely.
    @inlinable
    package mutating func number(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// Returns a number from 0 up to a bound as the remainder of a division, for tools whose recorded seeds depend on it: the
    /// simulator, the fuzzer and the tests. ``number(below:)`` is better for everything else.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Returns true with a probability in percent, by ``below(_:)``.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Returns true with a probability of one in some number, by ``below(_:)``.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Returns true with the given probability, in thousandths.
    package mutating func chance(perMille: Int) -> Bool { number(below: 1000) < perMille }

    /// Returns an element, or nil if there is none. Every element is equally likely.
    package mutating func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(below: elements.count)]
    }

    /// Returns the index of a weight, with a probability in proportion to that weight.
    package mutating func index(weights: [Int]) -> Int {
        var rest = number(below: weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return index }
        }
        return max(weights.count - 1, 0)
    }

    /// Returns a number with a long tail: half of all results lie below `scale`, half of the others below twice that, and
    /// so on.
    package mutating func longTail(scale: Int, doublings: Int) -> Int {
        let doubled = min(next().trailingZeroBitCount, doublings)
        return doubled == 0 ? number(below: scale) : (scale << (doubled - 1)) + number(below: scale << (doubled - 1))
    }
}
