/// The same choices for the same seed. (SplitMix64.)
struct FuzzRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The choices for one mutation of one reader: none depends on those before it, so that each can be replayed alone.
    init(seed: UInt64, reader: String, number: Int) {
        var random = FuzzRandom(seed: seed)
        var mixed = random.next()
        for byte in reader.utf8 {
            random.state = mixed ^ UInt64(byte)
            mixed = random.next()
        }
        random.state = mixed ^ UInt64(truncatingIfNeeded: number)
        state = random.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to before the bound.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in so many times.
    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
