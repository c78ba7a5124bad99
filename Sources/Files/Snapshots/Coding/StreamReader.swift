import ByteStreams

/// Reads what `StreamWriter` wrote. Every length is known or bounded before anything is taken for it.
struct StreamReader {
    var cursor: ByteCursor
    private let decompressor: ZstdFrameDecompressor

    init(_ bytes: [UInt8], decompressor: ZstdFrameDecompressor) {
        cursor = ByteCursor(bytes)
        self.decompressor = decompressor
    }

    /// A stream of exactly so many bytes.
    mutating func stream(count: Int) throws(SnapshotDamage) -> [UInt8] {
        let content = try stream(atMost: count)
        guard content.count == count else { throw SnapshotDamage("a stream has the wrong length") }
        return content
    }

    /// A stream of at most so many bytes.
    mutating func stream(atMost limit: Int) throws(SnapshotDamage) -> [UInt8] {
        let count = try cursor.shortInteger()
        guard count <= UInt64(max(limit, 0)) else { throw SnapshotDamage("a stream is longer than its block") }
        guard count > 0 else { return [] }
        switch try cursor.byte() {
        case 0:
            return try Array(cursor.bytes[cursor.range(Int(count))])
        case 1:
            let length = try cursor.integer(UInt32.self)
            let range = try cursor.range(Int(length))
            guard !StreamWriter.isExcessive(Int(count), from: range.count) else {
                throw SnapshotDamage("a stream grows to over 500 times its size")
            }
            guard let content = decompressor.decompress(cursor.bytes, at: range, length: Int(count)) else {
                throw SnapshotDamage("a stream cannot be decompressed")
            }
            return content
        default:
            throw SnapshotDamage("a stream is packed in an unknown way")
        }
    }
}
