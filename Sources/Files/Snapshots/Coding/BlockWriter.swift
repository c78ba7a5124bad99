import ByteStreams

/// Writes the records of a block.
struct BlockWriter {
    private let compressor: ZstdFrameCompressor

    init(level: Int) {
        compressor = ZstdFrameCompressor(level: level)
    }

    /// The bytes of a section; `sizes` is told where they went.
    func bytes(of block: BlockColumns, into sizes: inout SnapshotSizes) -> [UInt8] {
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
        sizes.add(writer.bytes.count, to: .shapes)
        var start = writer.bytes.count
        let keyTimes = KeyCoding.write(block.keys, to: &writer)
        sizes.add(writer.bytes.count - start, to: .keys)
        let rows = RowMap(shapes: block.shapes, rowShapes: block.rowShapes)
        for (index, column) in block.columns.enumerated() {
            start = writer.bytes.count
            if column.isText {
                TextCoding.write(column.texts, to: &writer)
            } else {
                NumberCoding.write(index, of: block.columns, rows, keyTimes: keyTimes, to: &writer)
            }
            sizes.add(writer.bytes.count - start, to: .field(Int(column.field >> 8)))
        }
        start = writer.bytes.count
        if block.rawRows.count > 0 { TextCoding.write(block.rawRows, to: &writer) }
        sizes.add(writer.bytes.count - start, to: .rawRows)
        return writer.bytes
    }
}
