/// A position in bytes from a file. Every step is checked; missing bytes are an error.
struct ByteCursor {
    let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(SnapshotDamage) -> UInt8 {
        guard position < bytes.count else { throw SnapshotDamage("it ends within a section") }
        position += 1
        return bytes[position - 1]
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(SnapshotDamage) -> Value {
        var value: Value = 0
        for shift in 0..<(Value.bitWidth / 8) { value |= Value(truncatingIfNeeded: try byte()) << (shift * 8) }
        return value
    }

    /// An integer of seven bits a byte, the least significant first, in as few bytes as possible.
    mutating func shortInteger() throws(SnapshotDamage) -> UInt64 {
        var value: UInt64 = 0
        var shift = 0
        while true {
            let next = try byte()
            if shift == 63, next > 1 { throw SnapshotDamage("a number is too large") }
            value |= UInt64(next & 127) << shift
            if next < 128 {
                if next == 0, shift > 0 { throw SnapshotDamage("a number has more digits than it needs") }
                return value
            }
            shift += 7
        }
    }

    /// Skips a number of bytes and returns their range.
    mutating func range(_ count: Int) throws(SnapshotDamage) -> Range<Int> {
        guard count >= 0, count <= bytes.count - position else { throw SnapshotDamage("it ends within a section") }
        position += count
        return (position - count)..<position
    }
}

/// The memory that the texts of a block may still use, in all columns together. A block that this program wrote needs
/// no more: repeated texts are stored once, and texts are split into lines only where lines have at least four bytes on
/// average.
struct ReadBudget {
    var bytes: Int
    /// The lines after the first one of each text.
    var lines: Int
}

/// Estimates sizes in bits without floating-point numbers: the result is the same on every machine, so that the same
/// records are always coded the same way.
enum ByteEstimate {
    /// Whether bytes are distributed so evenly that compressing them wastes time.
    static func looksRandom(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4_096 else { return false }
        var counts = [UInt32](repeating: 0, count: 256)
        // Samples from all parts, since the beginning may differ.
        let step = bytes.count / 4
        for piece in 0..<4 {
            for position in (piece * step)..<(piece * step + 1_024) { counts[Int(bytes[position])] += 1 }
        }
        // The entropy of 4,096 random bytes is 7.95 bits a byte.
        return entropy(of: counts, total: 4_096) >= 4_096 * 256 * 785 / 100
    }

    /// The size of numbers when each is written as its entropy-coded length in bits and the bits below the highest, in
    /// units of 1/256 bit.
    static func bits(of counts: [UInt32], total: Int) -> Int {
        var bits = entropy(of: counts, total: total)
        for (length, count) in counts.enumerated() where length > 1 { bits += Int(count) * (length - 1) * 256 }
        return bits
    }

    /// The entropy of symbols with these counts, in units of 1/256 bit.
    static func entropy(of counts: [UInt32], total: Int) -> Int {
        let whole = logarithm(UInt32(truncatingIfNeeded: total))
        var bits = 0
        for count in counts where count > 0 { bits += Int(count) * (whole - logarithm(count)) }
        return bits
    }

    /// The logarithm to base 2 of a positive number in units of 1/256, linear between the powers of two.
    private static func logarithm(_ value: UInt32) -> Int {
        let whole = 31 - value.leadingZeroBitCount
        let fraction = Int((UInt64(value) << 8) >> UInt64(whole)) - 256
        // A parabola reduces the error of linear interpolation from 0.086 to 0.008.
        return whole * 256 + fraction + (fraction * (256 - fraction) * 88) >> 16
    }
}
