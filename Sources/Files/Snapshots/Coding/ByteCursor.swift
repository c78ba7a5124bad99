/// A place in bytes that came from a file: every step is checked, and what is missing is an error.
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

    /// An integer of seven bits a byte, the least significant first, in as few bytes as it takes.
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

    /// The place of so many bytes, which are stepped over.
    mutating func range(_ count: Int) throws(SnapshotDamage) -> Range<Int> {
        guard count >= 0, count <= bytes.count - position else { throw SnapshotDamage("it ends within a section") }
        position += count
        return (position - count)..<position
    }
}
