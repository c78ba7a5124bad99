/// How many bits things would take, roughly and without a floating-point number: the same on every machine, so that the
/// same records are always coded the same way.
enum ByteEstimate {
    /// Whether bytes are so evenly spread that compressing them is a waste of time.
    static func looksRandom(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4_096 else { return false }
        var counts = [UInt32](repeating: 0, count: 256)
        // Pieces from all over: the beginning may be different.
        let step = bytes.count / 4
        for piece in 0..<4 {
            for position in (piece * step)..<(piece * step + 1_024) { counts[Int(bytes[position])] += 1 }
        }
        // 4,096 random bytes come to 7.95 bits each.
        return entropy(of: counts, total: 4_096) >= 4_096 * 256 * 785 / 100
    }

    /// The bits that numbers take when each is written as its length in bits, entropy-coded, and the bits below the
    /// highest; in units of 1/256.
    static func bits(of counts: [UInt32], total: Int) -> Int {
        var bits = entropy(of: counts, total: total)
        for (length, count) in counts.enumerated() where length > 1 { bits += Int(count) * (length - 1) * 256 }
        return bits
    }

    /// The entropy of symbols that come so often, in units of 1/256 bit.
    static func entropy(of counts: [UInt32], total: Int) -> Int {
        let whole = logarithm(UInt32(truncatingIfNeeded: total))
        var bits = 0
        for count in counts where count > 0 { bits += Int(count) * (whole - logarithm(count)) }
        return bits
    }

    /// The logarithm to base 2 of a number above zero in units of 1/256, straight between the powers of two (up to 0.09
    /// too little).
    private static func logarithm(_ value: UInt32) -> Int {
        let whole = 31 - value.leadingZeroBitCount
        let fraction = Int((UInt64(value) << 8) >> UInt64(whole)) - 256
        // A parabola takes the error of the straight line from 0.086 to 0.008.
        return whole * 256 + fraction + (fraction * (256 - fraction) * 88) >> 16
    }
}
