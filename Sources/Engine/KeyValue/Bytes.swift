import CSystemCalls

/// Sixteen bytes as Foundation's UUID takes them.
public typealias SixteenBytes = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

/// Loads and compares bytes of the map. Each access is bounds-checked, so no caller can read past the end.
extension RawSpan {
    /// The byte at an offset.
    @inlinable
    public subscript(byteAt offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// A little-endian integer at an offset, which need not be aligned.
    @inlinable
    public func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Value>.size)
        return unsafe Value(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
    }

    /// A big-endian integer at an offset, which need not be aligned.
    @inlinable
    public func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Value>.size)
        return unsafe Value(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
    }

    /// The sixteen bytes at an offset, which need not be aligned.
    @inlinable
    public func sixteenBytes(at offset: Int) -> SixteenBytes {
        precondition(offset >= 0 && offset <= byteCount - 16)
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SixteenBytes.self)
    }

    /// A copy of the bytes that outlives the transaction.
    public var copied: [UInt8] {
        unsafe withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
    }

    /// The bytes as text, or nil when they are not valid UTF-8.
    public var validatedText: String? {
        guard let text = try? unsafe UTF8Span(validating: _unsafeView(as: UInt8.self)) else { return nil }
        return String(copying: text)
    }

    /// Whether two runs of bytes are the same.
    public func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
                return unsafe compare_bytes(mine, theirs, byteCount) == 0
            }
        }
    }

    /// Whether these bytes sort before others: byte by byte, a prefix before what it begins. The order of LMDB's keys.
    public func precedes(_ other: RawSpan) -> Bool {
        let common = min(byteCount, other.byteCount)
        let order = unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return Int32(0) }
                return unsafe compare_bytes(mine, theirs, common)
            }
        }
        return order == 0 ? byteCount < other.byteCount : order < 0
    }

    /// Whether these bytes begin with others.
    public func starts(with prefix: RawSpan) -> Bool {
        byteCount >= prefix.byteCount && extracting(0..<prefix.byteCount).isEqual(to: prefix)
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    package mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }
}

/// XXH64, the 64-bit variant of xxHash (specification: github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// It lives here because it reads the map's bytes eight at a time, without a check for each: about 10 GB/s.
public enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of some bytes. Any seed; another seed gives an unrelated hash.
    public static func hash(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe hash($0, seed: seed) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var offset = 0
        var hash = seed &+ prime5
        if count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            while offset <= count - 32 {
                lane1 = round(lane1, unsafe word(bytes, offset))
                lane2 = round(lane2, unsafe word(bytes, offset + 8))
                lane3 = round(lane3, unsafe word(bytes, offset + 16))
                lane4 = round(lane4, unsafe word(bytes, offset + 24))
                offset += 32
            }
            hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
        }
        hash = hash &+ UInt64(count)
        while offset <= count - 8 {
            hash = rotate(hash ^ round(0, unsafe word(bytes, offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset <= count - 4 {
            let half = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < count {
            hash = rotate(hash ^ (UInt64(unsafe bytes[offset]) &* prime5), 11) &* prime1
            offset += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }
}
