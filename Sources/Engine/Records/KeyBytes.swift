import KeyValue

/// The bytes of a key, held without a heap allocation. 64 bytes are enough for every key: text never becomes one.
public struct KeyBytes: Sendable {
    private var storage = InlineArray<64, UInt8>(repeating: 0)
    /// How many bytes the key has so far.
    public private(set) var count = 0

    /// An empty key.
    public init() {}

    /// A copy of a key that is lent from the map.
    init(copying span: RawSpan) {
        let count = min(span.byteCount, 64)
        for offset in 0..<count { storage[offset] = span[byteAt: offset] }
        self.count = count
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
        count += 1
    }

    /// Adds an integer, the most significant byte first, so that bytes sort as numbers do.
    public mutating func append<Value: FixedWidthInteger & UnsignedInteger>(bigEndian value: Value) {
        var shift = Value.bitWidth - 8
        while shift >= 0 {
            append(UInt8(truncatingIfNeeded: value >> Value(shift)))
            shift -= 8
        }
    }

    mutating func append(contentsOf other: KeyBytes) {
        for offset in 0..<other.count { append(other.storage[offset]) }
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
            successor.count = last
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

    var array: [UInt8] { (0..<count).map { storage[$0] } }
}
