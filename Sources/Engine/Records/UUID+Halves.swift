import CivilTime
import FoundationEssentials

extension UUID {
    /// The 16 bytes as two big-endian integers.
    package var bigEndianHalves: (high: UInt64, low: UInt64) {
        let bytes = uuid
        let high = Self.join(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7)
        let low = Self.join(bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
        return (high, low)
    }

    /// An id of two big-endian integers.
    public init(high: UInt64, low: UInt64) {
        let byte = { (half: UInt64, index: Int) in UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * index)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    /// A UUID of version 4: random but for the bits that say so.
    static func random(_ source: any RandomSource) -> UUID {
        let high = source.next() & ~0xF000 | 0x4000
        return UUID(high: high, low: source.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    private static func join(
        _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8, _ h: UInt8
    ) -> UInt64 {
        let high = UInt64(a) << 56 | UInt64(b) << 48 | UInt64(c) << 40 | UInt64(d) << 32
        return high | UInt64(e) << 24 | UInt64(f) << 16 | UInt64(g) << 8 | UInt64(h)
    }
}
