import KeyValue

/// How the content of a field is written, so that a version that does not know the field can skip it.
package enum FieldForm: UInt8, Sendable, CaseIterable {
    case oneByte = 1
    case fourBytes = 2
    case eightBytes = 3
    case sixteenBytes = 4
    /// A length of one byte, then that many bytes.
    case shortBytes = 5
    /// A length of four bytes, little-endian, then that many bytes.
    case longBytes = 6

    /// How many bytes the content has; 0 where a length precedes it.
    var width: Int {
        switch self {
        case .oneByte: 1
        case .fourBytes: 4
        case .eightBytes: 8
        case .sixteenBytes: 16
        case .shortBytes, .longBytes: 0
        }
    }

    /// How many bytes the length takes.
    var lengthWidth: Int {
        switch self {
        case .shortBytes: 1
        case .longBytes: 4
        default: 0
        }
    }
}

/// The positions of the fields in an encoded record. Stops at the first bytes that are not a field.
struct FieldLayout {
    struct Field {
        let number: UInt8
        /// The field with its number, form and content.
        let range: Range<Int>
    }

    let fields: [Field]
    init(of bytes: [UInt8]) {
        var fields: [Field] = []
        var position = 1
        let span = bytes.span.bytes
        while let end = Self.endOfField(in: span, at: position), (fields.last?.number ?? 0) < bytes[position] {
            fields.append(Field(number: bytes[position], range: position..<end))
            position = end
        }
        self.fields = fields
    }

    /// Whether every byte belongs to a field and the numbers ascend.
    static func isValid(_ bytes: RawSpan) -> Bool {
        var position = 1
        var number: UInt8 = 0
        while let end = endOfField(in: bytes, at: position), number < bytes[byteAt: position] {
            number = bytes[byteAt: position]
            position = end
        }
        return position == bytes.byteCount
    }

    /// Where the field that begins at a position ends; nil when there is no complete field.
    static func endOfField(in bytes: RawSpan, at position: Int) -> Int? {
        guard position + 2 <= bytes.byteCount, let form = FieldForm(rawValue: bytes[byteAt: position + 1]) else {
            return nil
        }
        let content = position + 2
        guard content + form.lengthWidth <= bytes.byteCount else { return nil }
        let end =
            switch form {
            case .oneByte, .fourBytes, .eightBytes, .sixteenBytes: content + form.width
            case .shortBytes: content + 1 + Int(bytes[byteAt: content])
            case .longBytes: content + 4 + Int(bytes.littleEndian(at: content, as: UInt32.self))
            }
        return end <= bytes.byteCount ? end : nil
    }

    /// Which fields a record has: bit n for field n.
    static func fields(of bytes: RawSpan) -> UInt64 {
        var fields: UInt64 = 0
        var position = 1
        var number: UInt8 = 0
        while let end = endOfField(in: bytes, at: position), number < bytes[byteAt: position] {
            number = bytes[byteAt: position]
            fields |= 1 << UInt64(number & 63)
            position = end
        }
        return fields
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
