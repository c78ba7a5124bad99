import KeyValue

/// Where the fields of an encoded record lie. Stops at the first thing that is not a field.
struct FieldLayout {
    struct Field {
        let number: UInt8
        /// The whole field: number, form and content.
        let range: Range<Int>
    }

    let fields: [Field]
    /// Whether every byte belongs to a field and the numbers ascend.
    let isWhole: Bool

    init(of bytes: [UInt8]) {
        var fields: [Field] = []
        var position = 1
        let span = bytes.span.bytes
        while let end = Self.endOfField(in: span, at: position), (fields.last?.number ?? 0) < bytes[position] {
            fields.append(Field(number: bytes[position], range: position..<end))
            position = end
        }
        self.fields = fields
        isWhole = position == bytes.count
    }

    /// The same, of bytes that are lent and without a list of the fields.
    static func isWhole(_ bytes: RawSpan) -> Bool {
        var position = 1
        var number: UInt8 = 0
        while let end = endOfField(in: bytes, at: position), number < bytes[byteAt: position] {
            number = bytes[byteAt: position]
            position = end
        }
        return position == bytes.byteCount
    }

    /// Where the field that begins at a position ends; nil when there is no whole field.
    static func endOfField(in bytes: RawSpan, at position: Int) -> Int? {
        guard position + 2 <= bytes.byteCount, let form = FieldForm(rawValue: bytes[byteAt: position + 1]) else {
            return nil
        }
        let content = position + 2
        let end: Int
        switch form {
        case .oneByte: end = content + 1
        case .fourBytes: end = content + 4
        case .eightBytes: end = content + 8
        case .sixteenBytes: end = content + 16
        case .shortBytes:
            guard content + 1 <= bytes.byteCount else { return nil }
            end = content + 1 + Int(bytes[byteAt: content])
        case .longBytes:
            guard content + 4 <= bytes.byteCount else { return nil }
            end = content + 4 + Int(bytes.littleEndian(at: content, as: UInt32.self))
        }
        return end <= bytes.byteCount ? end : nil
    }

    /// Which fields differ between two versions of a record: bit n for field n.
    static func changedFields(from old: [UInt8], to new: [UInt8]) -> UInt64 {
        var changed: UInt64 = 0
        var before = FieldLayout(of: old).fields[...]
        for field in FieldLayout(of: new).fields {
            while let first = before.first, first.number < field.number {
                changed |= 1 << UInt64(first.number & 63)
                before.removeFirst()
            }
            if let first = before.first, first.number == field.number {
                if old[first.range] != new[field.range] { changed |= 1 << UInt64(field.number & 63) }
                before.removeFirst()
            } else {
                changed |= 1 << UInt64(field.number & 63)
            }
        }
        for field in before { changed |= 1 << UInt64(field.number & 63) }
        return changed
    }
}
