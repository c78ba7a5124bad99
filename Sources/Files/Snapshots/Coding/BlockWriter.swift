import ByteStreams

/// Writes the records of a block.
struct BlockWriter {
    private let compressor: ZstdFrameCompressor

    init(level: Int) {
        compressor = ZstdFrameCompressor(level: level)
    }

    /// Returns the bytes of a section.
    func bytes(of block: BlockColumns) -> [UInt8] {
        var writer = StreamWriter(compressor: compressor)
        writer.integer(UInt64(block.byteCount))
        writer.shortInteger(UInt64(block.shapes.count))
        for shape in block.shapes {
            writer.byte(UInt8(shape.fields.count))
            for field in shape.fields {
                writer.byte(UInt8(field >> 8))
                writer.byte(UInt8(field & 0xFF))
            }
        }
        IntegerCoding.write(block.rowShapes, to: &writer)
        let keyTimes = KeyCoding.write(block.keys, to: &writer)
        let rows = RowMap(shapes: block.shapes, rowShapes: block.rowShapes)
        for (index, column) in block.columns.enumerated() {
            if column.isText {
                TextCoding.write(column.texts, to: &writer)
            } else {
                NumberCoding.write(index, of: block.columns, rows, keyTimes: keyTimes, to: &writer)
            }
        }
        if block.rawRows.count > 0 { TextCoding.write(block.rawRows, to: &writer) }
        return writer.bytes
    }
}

/// A block as it is in the file, with the facts that the writer needs.
struct CodedBlock: Sendable {
    let collection: Int
    let count: Int
    let bytes: [UInt8]

    init(_ block: BlockColumns, collection: Int, level: Int) {
        self.collection = collection
        count = block.count
        bytes = BlockWriter(level: level).bytes(of: block)
    }
}

/// Writes the numbers and streams of a block. A stream is a run of bytes of one kind, compressed on its own if that
/// makes it shorter.
struct StreamWriter {
    private(set) var bytes: [UInt8] = []
    private let compressor: ZstdFrameCompressor

    init(compressor: ZstdFrameCompressor) {
        self.compressor = compressor
    }

    /// Whether a stream expands so much that a small file could use a lot of memory. Blocks of several records and
    /// single texts are below the limit; a single record that shrinks that much is not compressed.
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
        // An empty stream has no content, and a short one does not justify the header of a frame.
        guard content.count > 0 else { return }
        byte(0)
        guard content.count > 32, !ByteEstimate.looksRandom(content) else { return bytes.append(contentsOf: content) }
        let head = bytes.count - 1
        // The length of the frame precedes it, in four bytes since it is not known yet.
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
