import Records

/// The records of one block, split into columns.
struct BlockColumns {
    /// One field of all records that have it.
    struct Column {
        /// The field's number in the high byte and its form in the low one; form 6, longer text, is treated as form 5.
        let field: UInt16
        /// The contents if they are numbers; those of 32 bits keep their sign.
        var numbers: [UInt64] = []
        /// The contents if they are bytes.
        var texts = TextRuns()

        var isText: Bool { field & 0xFF > 3 }
        var count: Int { isText ? texts.count : numbers.count }
    }

    private(set) var keys = TextRuns()
    private(set) var shapes: [RecordShape] = []
    /// The shape of each record, see `RecordShape`.
    private(set) var rowShapes: [UInt64] = []
    private(set) var columns: [Column] = []
    /// Records that are not lists of fields.
    private(set) var rawRows = TextRuns()
    /// The total length of keys and values.
    private(set) var byteCount = 0

    var count: Int { rowShapes.count }

    private var shapeSlots = [Int16](repeating: -1, count: RecordShape.limit * 2)
    // The fields of the record that is being split.
    private var fields = [UInt16](repeating: 0, count: 64)
    private var contents = [Int](repeating: 0, count: 64)
    private var ends = [Int](repeating: 0, count: 64)

    mutating func append(key: RawSpan, value: RawSpan) {
        keys.append(key)
        byteCount += key.byteCount + value.byteCount
        guard let fieldCount = layout(value), let number = shape(fieldCount) else {
            rowShapes.append(UInt64(RecordShape.raw))
            rawRows.append(value)
            return
        }
        rowShapes.append(UInt64(number))
        for index in 0..<fieldCount {
            let column = shapes[number - RecordShape.first].columns[index]
            let start = contents[index]
            switch fields[index] & 0xFF {
            case 1: columns[column].numbers.append(UInt64(value[byteAt: start]))
            case 2:
                columns[column].numbers.append(UInt64(bitPattern: Int64(value.littleEndian(at: start, as: Int32.self))))
            case 3: columns[column].numbers.append(value.littleEndian(at: start, as: UInt64.self))
            default: columns[column].texts.append(value.extracting(start..<ends[index]))
            }
        }
    }

    mutating func appendRemoval(of key: RawSpan) {
        keys.append(key)
        byteCount += key.byteCount
        rowShapes.append(UInt64(RecordShape.removed))
    }

    /// Finds the fields of a record and returns their number; nil unless the record consists of ascending fields from
    /// its first byte to its last.
    private mutating func layout(_ value: RawSpan) -> Int? {
        let byteCount = value.byteCount
        guard byteCount > 0, value[byteAt: 0] == 1 else { return nil }
        var position = 1
        var count = 0
        var previous: UInt8 = 0
        while position < byteCount {
            guard position + 3 <= byteCount else { return nil }
            let number = value[byteAt: position]
            let form = value[byteAt: position + 1]
            guard number > previous, number < 64 else { return nil }
            previous = number
            var start = position + 2
            let end: Int
            switch form {
            case 1: end = start + 1
            case 2: end = start + 4
            case 3: end = start + 8
            case 4: end = start + 16
            case 5:
                start += 1
                end = start + Int(value[byteAt: start - 1])
            case 6:
                start += 4
                guard start <= byteCount else { return nil }
                end = start + Int(value.littleEndian(at: start - 4, as: UInt32.self))
            default: return nil
            }
            guard end <= byteCount else { return nil }
            fields[count] = UInt16(number) << 8 | UInt16(form)
            contents[count] = start
            ends[count] = end
            count += 1
            position = end
        }
        return count
    }

    /// Returns the number of the shape of the fields found last; nil when there are too many shapes.
    private mutating func shape(_ fieldCount: Int) -> Int? {
        var hash: UInt64 = 0
        for index in 0..<fieldCount { hash = (hash ^ UInt64(fields[index])) &* 0x9E37_79B9_7F4A_7C15 ^ hash >> 29 }
        let mask = shapeSlots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 40) & mask
        while shapeSlots[slot] >= 0 {
            let number = Int(shapeSlots[slot])
            if isShape(number, fieldCount) { return number + RecordShape.first }
            slot = (slot + 1) & mask
        }
        guard shapes.count < RecordShape.limit else { return nil }
        shapeSlots[slot] = Int16(shapes.count)
        let used = Array(fields[0..<fieldCount])
        shapes.append(RecordShape(fields: used, columns: used.map { column(of: $0) }))
        return shapes.count - 1 + RecordShape.first
    }

    private func isShape(_ number: Int, _ fieldCount: Int) -> Bool {
        guard shapes[number].fields.count == fieldCount else { return false }
        for index in 0..<fieldCount where shapes[number].fields[index] != fields[index] { return false }
        return true
    }

    private mutating func column(of field: UInt16) -> Int {
        let field = RecordShape.column(of: field)
        if let found = columns.firstIndex(where: { $0.field == field }) { return found }
        columns.append(Column(field: field))
        return columns.count - 1
    }
}

extension RecordShape {
    /// The identifier of a field's column, shared by texts of both length forms.
    static func column(of field: UInt16) -> UInt16 {
        field & 0xFF == 6 ? field - 1 : field
    }
}

/// The fields of a record and their forms. Most records of a collection have one of a few shapes.
struct RecordShape: Equatable {
    /// The number (high byte) and form (low byte) of each field, ascending.
    var fields: [UInt16]
    /// The number of the column of each field.
    var columns: [Int]

    /// A record that is not a list of fields and is stored unchanged.
    static let raw = 0
    /// A deleted record.
    static let removed = 1
    /// The number of the first shape with fields.
    static let first = 2

    /// The most shapes in one block; records of further shapes are stored unchanged.
    static let limit = 4_096
}

/// Maps the records of a block to its columns.
struct RowMap {
    let shapes: [RecordShape]
    let rowShapes: [UInt64]

    /// For the first `limit` numbers of a column, the number that another column has in the same record.
    func references(from own: Int, to other: Int, _ numbers: [UInt64], limit: Int) -> References {
        let hasOwn = shapes.map { $0.columns.contains(own) }
        let hasOther = shapes.map { $0.columns.contains(other) }
        var references = References()
        references.values.reserveCapacity(limit)
        references.isPresent.reserveCapacity(limit)
        var next = 0
        for row in rowShapes.indices where rowShapes[row] >= UInt64(RecordShape.first) {
            let shape = Int(rowShapes[row]) - RecordShape.first
            if hasOwn[shape] {
                guard references.values.count < limit else { break }
                references.values.append(hasOther[shape] ? numbers[next] : 0)
                references.isPresent.append(hasOther[shape])
            }
            if hasOther[shape] { next += 1 }
        }
        return references
    }

    /// For the first `limit` numbers of a column, the time in the record's key.
    func keyTimes(of own: Int, _ times: [UInt64], limit: Int) -> References {
        let hasOwn = shapes.map { $0.columns.contains(own) }
        var references = References()
        references.values.reserveCapacity(limit)
        for row in rowShapes.indices where rowShapes[row] >= UInt64(RecordShape.first) {
            guard hasOwn[Int(rowShapes[row]) - RecordShape.first] else { continue }
            guard references.values.count < limit else { break }
            references.values.append(times[row])
        }
        return references
    }
}
