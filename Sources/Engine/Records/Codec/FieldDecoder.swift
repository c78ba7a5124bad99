import CivilTime
import FoundationEssentials
import KeyValue

/// Reads the fields of a record in place, in LMDB's map. Ask for them in ascending order of their numbers: decoding is
/// one pass over the bytes that skips fields unknown to this version.
public struct FieldDecoder: ~Escapable {
    private let bytes: RawSpan
    private var position: Int
    /// The number of the field at `position`; 255 at the end.
    @usableFromInline var nextNumber: UInt8

    @usableFromInline
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) throws(RecordsError) {
        guard bytes.byteCount >= 1, bytes[byteAt: 0] == FieldEncoder.version else { throw .unreadableField(number: 0) }
        self.bytes = bytes
        self.position = 1
        nextNumber = bytes.byteCount > 1 ? bytes[byteAt: 1] : .max
    }

    /// The text of a field. Throws when it is missing.
    @_lifetime(self: copy self)
    public mutating func string(_ number: Int) throws(RecordsError) -> String {
        try Self.require(try optionalString(number), number)
    }

    /// The text of a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalString(_ number: Int) throws(RecordsError) -> String? {
        isBehind(number) ? nil : try presentString(number)
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func presentString(_ number: Int) throws(RecordsError) -> String? {
        let length = position + 2
        if nextNumber == UInt8(truncatingIfNeeded: number), length < bytes.byteCount,
            bytes[byteAt: position + 1] == FieldForm.shortBytes.rawValue
        {
            let content = length + 1
            let end = content + Int(bytes[byteAt: length])
            if end <= bytes.byteCount {
                moveOn(to: end)
                return try Self.require(bytes.extracting(content..<end).validatedText, number)
            }
        }
        return try searchString(number)
    }

    @inline(never)
    @_lifetime(self: copy self)
    private mutating func searchString(_ number: Int) throws(RecordsError) -> String? {
        guard let content = try searchContent(number) else { return nil }
        return try Self.require(bytes.extracting(content).validatedText, number)
    }

    /// The bytes in a field, nil when it is missing.
    @_lifetime(self: copy self)
    public mutating func optionalBytes(_ number: Int) throws(RecordsError) -> [UInt8]? {
        guard !isBehind(number), let content = try searchContent(number) else { return nil }
        return bytes.extracting(content).copied
    }

    /// The range of a content of variable length, without its length.
    @_lifetime(self: copy self)
    private mutating func searchContent(_ number: Int) throws(RecordsError) -> Range<Int>? {
        guard let (content, form) = try find(number) else { return nil }
        guard form.lengthWidth > 0 else { throw .unreadableField(number: number) }
        return (content.lowerBound + form.lengthWidth)..<content.upperBound
    }

    /// The integer in a field. Throws when it is missing.
    @_lifetime(self: copy self)
    public mutating func int64(_ number: Int) throws(RecordsError) -> Int64 {
        try Self.require(try optionalInt64(number), number)
    }

    /// The integer in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalInt64(_ number: Int) throws(RecordsError) -> Int64? {
        isBehind(number) ? nil : try presentInt64(number)
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func presentInt64(_ number: Int) throws(RecordsError) -> Int64? {
        guard let offset = try find(number, form: .eightBytes, width: 8) else { return nil }
        return bytes.littleEndian(at: offset)
    }

    /// The integer in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalUInt32(_ number: Int) throws(RecordsError) -> UInt32? {
        isBehind(number) ? nil : try presentUInt32(number)
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func presentUInt32(_ number: Int) throws(RecordsError) -> UInt32? {
        guard let offset = try find(number, form: .fourBytes, width: 4) else { return nil }
        return bytes.littleEndian(at: offset)
    }

    /// The integer in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalInt32(_ number: Int) throws(RecordsError) -> Int32? {
        try optionalUInt32(number).map(Int32.init(bitPattern:))
    }

    /// The small integer in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalByte(_ number: Int) throws(RecordsError) -> UInt8? {
        isBehind(number) ? nil : try presentUInt8(number)
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func presentUInt8(_ number: Int) throws(RecordsError) -> UInt8? {
        guard let offset = try find(number, form: .oneByte, width: 1) else { return nil }
        return bytes[byteAt: offset]
    }

    /// The truth value in a field; false when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func bool(_ number: Int) throws(RecordsError) -> Bool {
        try optionalByte(number) == 1
    }

    /// The floating-point number in a field. Throws when it is missing.
    @_lifetime(self: copy self)
    public mutating func double(_ number: Int) throws(RecordsError) -> Double {
        Double(bitPattern: UInt64(bitPattern: try int64(number)))
    }

    /// The instant in a field. Throws when it is missing.
    @_lifetime(self: copy self)
    public mutating func instant(_ number: Int) throws(RecordsError) -> Instant {
        Instant(microsecondsSince1970: try int64(number))
    }

    /// The instant in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalInstant(_ number: Int) throws(RecordsError) -> Instant? {
        try optionalInt64(number).map { Instant(microsecondsSince1970: $0) }
    }

    /// The day in a field, nil when it is missing.
    @_lifetime(self: copy self)
    public mutating func optionalDay(_ number: Int) throws(RecordsError) -> Day? {
        if isBehind(number) { return nil }
        guard let days = try optionalInt32(number) else { return nil }
        return try Self.require(Day(daysSince1970: days), number)
    }

    /// The id in a field. Throws when it is missing.
    @_lifetime(self: copy self)
    public mutating func uuid(_ number: Int) throws(RecordsError) -> UUID {
        guard let id = try optionalUUID(number) else { throw .unreadableField(number: number) }
        return id
    }

    /// The id in a field, nil when it is missing.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optionalUUID(_ number: Int) throws(RecordsError) -> UUID? {
        isBehind(number) ? nil : try presentUUID(number)
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func presentUUID(_ number: Int) throws(RecordsError) -> UUID? {
        guard let offset = try find(number, form: .sixteenBytes, width: 16) else { return nil }
        return UUID(uuid: bytes.sixteenBytes(at: offset))
    }

    /// Whether a field is absent because the next one has a higher number. Most fields of most records are absent, so
    /// this one comparison is inlined into the records' own code.
    @inlinable
    func isBehind(_ number: Int) -> Bool { nextNumber > UInt8(truncatingIfNeeded: number) }

    /// Where the content of a field of fixed width begins.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func find(_ number: Int, form: FieldForm, width: Int) throws(RecordsError) -> Int? {
        // As a rule it is the next one, since absent ones do not come here.
        let content = position + 2
        if nextNumber == UInt8(truncatingIfNeeded: number), content + width <= bytes.byteCount,
            bytes[byteAt: position + 1] == form.rawValue
        {
            moveOn(to: content + width)
            return content
        }
        return try search(number, form: form)
    }

    @inline(never)
    @_lifetime(self: copy self)
    private mutating func search(_ number: Int, form: FieldForm) throws(RecordsError) -> Int? {
        guard let (content, found) = try find(number) else { return nil }
        guard found == form else { throw .unreadableField(number: number) }
        return content.lowerBound
    }

    @_lifetime(self: copy self)
    private mutating func find(_ number: Int) throws(RecordsError) -> (content: Range<Int>, form: FieldForm)? {
        while nextNumber <= UInt8(number) {
            guard let end = FieldLayout.endOfField(in: bytes, at: position),
                let form = FieldForm(rawValue: bytes[byteAt: position + 1])
            else { throw .unreadableField(number: number) }
            let content = (position + 2)..<end
            let isWanted = nextNumber == UInt8(number)
            moveOn(to: end)
            if isWanted { return (content, form) }
        }
        return nil
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func moveOn(to end: Int) {
        position = end
        nextNumber = end < bytes.byteCount ? bytes[byteAt: end] : .max
    }

    private static func require<Value>(_ value: Value?, _ number: Int) throws(RecordsError) -> Value {
        guard let value else { throw .unreadableField(number: number) }
        return value
    }
}
