/// Reads big-endian numbers from bytes that may be cut off or hostile.
struct ByteReader {
    /// The bytes end before what they promise.
    struct Truncated: Error {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    mutating func skip(_ count: Int) throws(Truncated) {
        guard count <= remaining else { throw Truncated() }
        position += count
    }

    mutating func bytes(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        let start = position
        try skip(count)
        return bytes[start..<position]
    }

    mutating func byte() throws(Truncated) -> UInt8 {
        try skip(1)
        return bytes[position - 1]
    }

    /// A count or an index: 32 bits without a sign.
    mutating func count() throws(Truncated) -> Int {
        var value = 0
        for byte in try bytes(4) { value = value << 8 | Int(byte) }
        return value
    }

    mutating func int32() throws(Truncated) -> Int32 {
        Int32(truncatingIfNeeded: try count())
    }

    mutating func int64() throws(Truncated) -> Int64 {
        let high = try count()
        return Int64(truncatingIfNeeded: high << 32 | (try count()))
    }
}
