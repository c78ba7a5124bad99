import ByteStreams

/// Writes the numbers and streams that a block consists of. A stream is a run of bytes of one kind, compressed by itself
/// if that makes it shorter.
struct StreamWriter {
    private(set) var bytes: [UInt8] = []
    private let compressor: ZstdFrameCompressor

    init(compressor: ZstdFrameCompressor) {
        self.compressor = compressor
    }

    /// Whether a stream grows so much that a small file could take much memory. The blocks of many records are shorter than
    /// that, and so is every text; a single record that shrinks so much is not compressed.
    static func isExcessive(_ count: Int, from compressed: Int) -> Bool {
        count > 16 << 20 && count / 500 > compressed
    }

    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        bytes.append(littleEndian: value)
    }

    /// Seven bits a byte, the least significant first.
    mutating func shortInteger(_ value: UInt64) {
        var rest = value
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func stream(_ content: [UInt8]) {
        shortInteger(UInt64(content.count))
        // Of an empty one there is nothing to say, and on a short one the head of a frame is wasted.
        guard content.count > 0 else { return }
        byte(0)
        guard content.count > 32, !ByteEstimate.looksRandom(content) else { return bytes.append(contentsOf: content) }
        let head = bytes.count - 1
        // The length of the frame comes before it, in four bytes since it is not known yet.
        bytes.append(contentsOf: [0, 0, 0, 0])
        if let length = compressor.compress(content, appendingTo: &bytes, limit: content.count - 5),
            !Self.isExcessive(content.count, from: length)
        {
            bytes[head] = 1
            for index in 0..<4 { bytes[head + 1 + index] = UInt8(truncatingIfNeeded: length >> (index * 8)) }
        } else {
            bytes.removeLast(bytes.count - head - 1)
            bytes.append(contentsOf: content)
        }
    }
}
