#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sixteen bytes as Foundation's UUID takes them.
public typealias SixteenBytes = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

/// Loads and compares bytes that are lent from the map. Each is bounds-checked, so no caller can read past the end.
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
                return unsafe memcmp(mine, theirs, byteCount) == 0
            }
        }
    }

    /// Whether these bytes sort before others: byte by byte, a prefix before what it begins. The order of LMDB's keys.
    public func precedes(_ other: RawSpan) -> Bool {
        let common = min(byteCount, other.byteCount)
        let order = unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return Int32(0) }
                return unsafe memcmp(mine, theirs, common)
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
    /// Adds bytes that are lent.
    package mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }
}
