import ByteStreams
import Records

/// Decodes the records of a block one by one. Whatever the bytes are, memory is bounded by a small multiple of the
/// length that the block states for its records.
struct BlockReader {
    /// The most bytes of keys and values in a block of more than one record.
    static let byteLimit = 8 << 20
    /// The most bytes in a block of one record.
    static let recordLimit = 64 << 20
    /// The most records in one block.
    static let countLimit = 65_536

    let count: Int
    /// The total length of all keys and values.
    let byteCount: Int
    private let rows: RowMap
    private let keys: KeyCoding.Keys
    private var columns: [BlockColumns.Column] = []
    private var texts: [TextColumn] = []
    /// For each column its position in `texts`, or the number of numbers already returned.
    private var places: [Int] = []
    private var rawRows: TextColumn?
    private var next = 0
    private var givenBytes = 0

    /// Decodes the bytes of the section after the first eight, which are `byteCount`.
    init(
        _ bytes: [UInt8], byteCount length: UInt64, count: Int, decompressor: ZstdFrameDecompressor
    ) throws(SnapshotDamage) {
        var reader = StreamReader(bytes, decompressor: decompressor)
        guard 1...Self.countLimit ~= count else { throw SnapshotDamage("a block has no or too many records") }
        guard length <= UInt64(count == 1 ? Self.recordLimit : Self.byteLimit) else {
            throw SnapshotDamage("a block is too large")
        }
        let byteCount = Int(length)
        let shapes = try Self.shapes(from: &reader)
        let rowShapes = try IntegerCoding.read(count: count, from: &reader)
        let counts = try Self.counts(rowShapes, shapes.shapes, columnCount: shapes.fields.count, byteCount: byteCount)
        rows = RowMap(shapes: shapes.shapes, rowShapes: rowShapes)
        keys = try KeyCoding.read(count: count, limit: byteCount, from: &reader)
        // A single text is never split into lines, so a large block has none.
        var budget = ReadBudget(bytes: byteCount - keys.bytes.count, lines: count == 1 ? 0 : byteCount / 4)
        self.count = count
        self.byteCount = byteCount
        for (index, field) in shapes.fields.enumerated() {
            var column = BlockColumns.Column(field: field)
            if column.isText {
                places.append(texts.count)
                texts.append(try TextCoding.read(count: counts.columns[index], &budget, from: &reader))
            } else {
                places.append(0)
                column.numbers = try NumberCoding.read(
                    index, count: counts.columns[index], of: columns, rows, keyTimes: keys.times, from: &reader)
            }
            columns.append(column)
        }
        if counts.raw > 0 { rawRows = try TextCoding.read(count: counts.raw, &budget, from: &reader) }
        guard reader.cursor.isAtEnd else { throw SnapshotDamage("something follows the last column of a block") }
    }

    private static func shapes(
        from reader: inout StreamReader
    ) throws(SnapshotDamage) -> (shapes: [RecordShape], fields: [UInt16]) {
        let count = try reader.cursor.shortInteger()
        guard count <= UInt64(RecordShape.limit) else { throw SnapshotDamage("there are too many shapes of records") }
        var shapes: [RecordShape] = []
        var columns: [UInt16] = []
        var places = [Int](repeating: -1, count: 1 << 16)
        for _ in 0..<count {
            var shape = RecordShape(fields: [], columns: [])
            for _ in 0..<(try reader.cursor.byte()) {
                let number = try reader.cursor.byte()
                let form = try reader.cursor.byte()
                let field = UInt16(number) << 8 | UInt16(form)
                guard 1...63 ~= number, 1...6 ~= form, number > (shape.fields.last ?? 0) >> 8 else {
                    throw SnapshotDamage("a shape has an impossible field")
                }
                let column = RecordShape.column(of: field)
                if places[Int(column)] < 0 {
                    places[Int(column)] = columns.count
                    columns.append(column)
                }
                shape.fields.append(field)
                shape.columns.append(places[Int(column)])
            }
            shapes.append(shape)
        }
        return (shapes, columns)
    }

    /// The number of records of each column. Rows that need more bytes than the block states are refused before any
    /// memory is allocated for them.
    private static func counts(
        _ rowShapes: [UInt64], _ shapes: [RecordShape], columnCount: Int, byteCount: Int
    ) throws(SnapshotDamage) -> (columns: [Int], raw: Int) {
        var uses = [Int](repeating: 0, count: shapes.count + RecordShape.first)
        for shape in rowShapes {
            guard shape < UInt64(uses.count) else { throw SnapshotDamage("a record has an unknown shape") }
            uses[Int(shape)] += 1
        }
        var columns = [Int](repeating: 0, count: columnCount)
        var least = 0
        for (index, shape) in shapes.enumerated() {
            let count = uses[index + RecordShape.first]
            least += count * (shape.fields.count * 3 + 1)
            for column in shape.columns { columns[column] += count }
        }
        guard least <= byteCount else { throw SnapshotDamage("a block has more fields than bytes") }
        return (columns, uses[RecordShape.raw])
    }

    /// Replaces the arguments with the next record and returns whether it is a record or a deleted key; nil at the end.
    mutating func next(key: inout [UInt8], value: inout [UInt8]) throws(SnapshotDamage) -> Bool? {
        guard next < count else {
            guard givenBytes == byteCount else { throw SnapshotDamage("a block has the wrong length") }
            return nil
        }
        let shape = Int(rows.rowShapes[next])
        key.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        key.append(keys.bytes.span.bytes.extracting((next == 0 ? 0 : keys.ends[next - 1])..<keys.ends[next]))
        next += 1
        let limit = byteCount - givenBytes
        switch shape {
        case RecordShape.raw: try rawRows?.appendNext(to: &value, limit: limit)
        case RecordShape.removed: break
        default: try appendFields(of: shape - RecordShape.first, to: &value, limit: limit)
        }
        givenBytes += key.count + value.count
        guard givenBytes <= byteCount else { throw SnapshotDamage("a block is longer than it states") }
        return shape != RecordShape.removed
    }

    private mutating func appendFields(
        of shape: Int, to value: inout [UInt8], limit: Int
    ) throws(SnapshotDamage) {
        value.append(1)
        for place in rows.shapes[shape].fields.indices {
            let field = rows.shapes[shape].fields[place]
            let column = rows.shapes[shape].columns[place]
            value.append(UInt8(field >> 8))
            value.append(UInt8(field & 0xFF))
            switch field & 0xFF {
            case 1: value.append(UInt8(truncatingIfNeeded: nextNumber(column)))
            case 2: value.append(littleEndian: UInt32(truncatingIfNeeded: nextNumber(column)))
            case 3: value.append(littleEndian: nextNumber(column))
            default: try appendText(column, form: field & 0xFF, to: &value, limit: limit)
            }
        }
    }

    private mutating func nextNumber(_ column: Int) -> UInt64 {
        places[column] += 1
        return columns[column].numbers[places[column] - 1]
    }

    private mutating func appendText(
        _ column: Int, form: UInt16, to value: inout [UInt8], limit: Int
    ) throws(SnapshotDamage) {
        let head = value.count
        switch form {
        case 4: break
        case 5: value.append(0)
        default: value.append(littleEndian: UInt32(0))
        }
        let start = value.count
        try texts[places[column]].appendNext(to: &value, limit: limit)
        let length = value.count - start
        switch form {
        case 4: guard length == 16 else { throw SnapshotDamage("an id has the wrong length") }
        case 5:
            guard length <= 255 else { throw SnapshotDamage("a short text is too long") }
            value[head] = UInt8(length)
        default:
            for index in 0..<4 { value[head + index] = UInt8(truncatingIfNeeded: length >> (index * 8)) }
        }
    }
}

/// Reads the output of `StreamWriter`. Every length is known or bounded before memory is allocated for it.
struct StreamReader {
    var cursor: ByteCursor
    private let decompressor: ZstdFrameDecompressor

    init(_ bytes: [UInt8], decompressor: ZstdFrameDecompressor) {
        cursor = ByteCursor(bytes)
        self.decompressor = decompressor
    }

    /// Reads a stream of exactly `count` bytes.
    mutating func stream(count: Int) throws(SnapshotDamage) -> [UInt8] {
        let content = try stream(atMost: count)
        guard content.count == count else { throw SnapshotDamage("a stream has the wrong length") }
        return content
    }

    /// Reads a stream of at most `limit` bytes.
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
            throw SnapshotDamage("a stream is coded in an unknown way")
        }
    }
}
