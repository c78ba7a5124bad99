import CivilTime
import FoundationEssentials
import KeyValue

/// The bytes of a key, held without a heap allocation. 64 bytes are enough for every key: of a text only
/// the beginning becomes one.
public struct KeyBytes: Sendable {
    @usableFromInline var storage = InlineArray<64, UInt8>(repeating: 0)
    @usableFromInline var end = 0
    /// How many bytes the key has so far.
    public var count: Int { end }

    /// An empty key.
    public init() {}

    /// A copy of a key that is lent from the map.
    init(copying span: RawSpan) {
        append(span.extracting(first: min(span.byteCount, 64)))
    }

    /// A key of given bytes.
    init(_ bytes: [UInt8]) {
        for byte in bytes.prefix(64) { append(byte) }
    }

    /// The key, lent.
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { storage.span.bytes.extracting(0..<count) }
    }

    /// Adds one byte.
    public mutating func append(_ byte: UInt8) {
        precondition(count < 64, "a key is longer than 64 bytes")
        storage[count] = byte
        end += 1
    }

    /// Adds an integer, the most significant byte first, so that bytes sort as numbers do.
    @inlinable
    public mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(bigEndian value: Value) {
        let start = end
        end += MemoryLayout<Value>.size
        precondition(end <= 64, "a key is longer than 64 bytes")
        var room = storage.mutableSpan
        var bytes = room.mutableBytes
        bytes.storeBytes(of: value.bigEndian, toByteOffset: start, as: Value.self)
    }

    mutating func append(contentsOf other: KeyBytes) { append(other.bytes) }

    /// Eight bytes at a time: byte by byte, the copies were a third of a search.
    private mutating func append(_ span: RawSpan) {
        precondition(end + span.byteCount <= 64, "a key is longer than 64 bytes")
        var copied = 0
        var room = storage.mutableSpan
        var bytes = room.mutableBytes
        while copied + 8 <= span.byteCount {
            bytes.storeBytes(
                of: span.littleEndian(at: copied, as: UInt64.self).littleEndian, toByteOffset: end + copied,
                as: UInt64.self)
            copied += 8
        }
        while copied < span.byteCount {
            bytes.storeBytes(of: span[byteAt: copied], toByteOffset: end + copied, as: UInt8.self)
            copied += 1
        }
        end += span.byteCount
    }

    /// The smallest key that sorts after every key that begins with this one; nil when there is none.
    var successorOfPrefix: KeyBytes? {
        var successor = self
        while successor.count > 0 {
            let last = successor.count - 1
            if successor.storage[last] < 0xFF {
                successor.storage[last] += 1
                return successor
            }
            successor.end = last
        }
        return nil
    }

    /// The bytes as hexadecimal text, for errors: a key is made of ids, days and numbers, never of a user's text.
    var hexadecimal: String {
        (0..<count).map { offset in
            let text = String(storage[offset], radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    /// The first bytes.
    func prefix(_ count: Int) -> KeyBytes {
        var prefix = self
        prefix.end = min(count, self.count)
        return prefix
    }

    var array: [UInt8] { (0..<count).map { storage[$0] } }
}

extension KeyBytes: Hashable {
    /// Whether the bytes are equal.
    public static func == (left: KeyBytes, right: KeyBytes) -> Bool { left.bytes.isEqual(to: right.bytes) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        // Eight bytes at a time: a tenth of the cost of single ones.
        var offset = 0
        while offset + 8 <= count {
            hasher.combine(bytes.littleEndian(at: offset, as: UInt64.self))
            offset += 8
        }
        while offset < count {
            hasher.combine(storage[offset])
            offset += 1
        }
    }
}

extension KeyBytes: Comparable {
    /// Whether a key sorts before another one.
    public static func < (left: KeyBytes, right: KeyBytes) -> Bool { left.bytes.precedes(right.bytes) }
}

extension [UInt8] {
    /// Adds an integer, the least significant byte first: the order of every integer in a value and in a snapshot.
    @inlinable
    package mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
        var rest = value
        for _ in 0..<(Value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

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

    /// A random UUID (version 4).
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
