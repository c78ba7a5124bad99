/// The same choices for the same seed.
struct SeededWords {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 to before the bound.
    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func chance() -> Bool { below(3) == 0 }

    mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

    /// So many of them, with one of the separators between every two.
    mutating func joined(_ count: Int, of words: [String], by separators: [String] = [" "]) -> String {
        var text = ""
        for index in 0..<count { text += (index == 0 ? "" : one(of: separators)) + one(of: words) }
        return text
    }
}
