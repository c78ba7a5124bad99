/// Random numbers that a seed determines, as a value: a copy goes on from the same place. (SplitMix64.)
struct SeededBits: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// 64 random bits.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number from 0 up to a bound, each as likely.
    mutating func number(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// Spreads each bit of a number over all of them.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
