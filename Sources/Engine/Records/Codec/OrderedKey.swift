import CivilTime
import FoundationEssentials
import KeyValue

/// A value that can be part of a key: its bytes sort as its values do, and show where they end.
///
/// | type | bytes |
/// | --- | --- |
/// | unsigned integers | big-endian |
/// | signed integers, `Day`, `Day?`, `Instant` | big-endian with the sign bit flipped |
/// | `UUID` | its 16 bytes |
/// | `Bool` | 0 or 1 |
/// | `TextKey` | up to 32 bytes, see there |
/// | `Descending` | the bytes of its value, inverted |
///
/// `Compound` and `CompoundKey` are keys of several parts, one after another. A key may have 48 bytes: 64 with the record's id.
public protocol OrderedKey: Sendable {
    /// Adds the value's bytes.
    func encode(into key: inout KeyBytes)
    /// Reads what `encode` wrote.
    init(decoding key: inout KeyDecoder) throws(RecordsError)
    /// How many bytes `encode` adds: always as many, or at most as many where `hasFixedWidth` is false.
    static var width: Int { get }
    /// Whether `encode` always adds as many bytes. True by default; an id must.
    static var hasFixedWidth: Bool { get }
    /// Whether the bytes may be in errors and logs: only where no user's text can be part of them. False by default; then a
    /// hash is shown in their place.
    static var isShownInErrors: Bool { get }
}

extension OrderedKey {
    /// True.
    public static var hasFixedWidth: Bool { true }

    /// False.
    public static var isShownInErrors: Bool { false }
}

extension OrderedKey {
    var keyBytes: KeyBytes {
        var key = KeyBytes()
        encode(into: &key)
        return key
    }
}

extension KeyBytes {
    /// The bytes of keys. By hand: `map` with a key path takes longer than the encoding.
    static func all<Key: OrderedKey>(of keys: [Key]) -> [KeyBytes] {
        var all: [KeyBytes] = []
        all.reserveCapacity(keys.count)
        for key in keys { all.append(key.keyBytes) }
        return all
    }
}

/// Reads the parts of a key in order, in place in LMDB's map.
public struct KeyDecoder: ~Escapable {
    @usableFromInline let key: RawSpan
    @usableFromInline var offset = 0

    @inlinable
    @_lifetime(copy key)
    init(_ key: RawSpan) {
        self.key = key
    }

    /// The bytes that are left, each of them inverted.
    var invertedRest: KeyBytes {
        var rest = KeyBytes()
        for position in offset..<min(key.byteCount, offset + 64) { rest.append(~key[byteAt: position]) }
        return rest
    }

    @usableFromInline var endIsMissing: RecordsError {
        .damagedEntry(table: "a key", key: KeyBytes(copying: key).hexadecimal)
    }

    /// Passes over bytes that were read otherwise.
    @_lifetime(self: copy self)
    mutating func skip(_ count: Int) { offset += count }

    /// The next bytes as an integer.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        as type: Value.Type = Value.self
    ) throws(RecordsError) -> Value {
        let end = offset + MemoryLayout<Value>.size
        guard end <= key.byteCount else { throw endIsMissing }
        defer { offset = end }
        return key.bigEndian(at: offset)
    }

    /// The next sixteen bytes.
    @_lifetime(self: copy self)
    public mutating func sixteenBytes() throws(RecordsError) -> SixteenBytes {
        guard offset + 16 <= key.byteCount else { throw endIsMissing }
        defer { offset += 16 }
        return key.sixteenBytes(at: offset)
    }
}

extension UInt8: OrderedKey {}
extension UInt16: OrderedKey {}
extension UInt32: OrderedKey {}
extension UInt64: OrderedKey {}
extension Int32: OrderedKey {}
extension Int64: OrderedKey {}

extension OrderedKey where Self: FixedWidthInteger & BitwiseCopyable {
    /// Its bytes in a key, always as many.
    @inlinable public static var width: Int { bitWidth / 8 }
    /// True: it holds no text.
    @inlinable public static var isShownInErrors: Bool { true }
    /// The bit that is flipped in a key, so that negative numbers come first; zero for a type without them.
    @usableFromInline static var signBit: Self { min }
    /// Adds its bytes to a key.
    @inlinable public func encode(into key: inout KeyBytes) { key.append(bigEndian: self ^ Self.signBit) }
    /// Reads its bytes from a key.
    @inlinable public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        self = try key.bigEndian(as: Self.self) ^ Self.signBit
    }
}

extension Bool: OrderedKey {
    /// Its bytes in a key, always as many.
    public static var width: Int { 1 }
    /// True: it holds no text.
    public static var isShownInErrors: Bool { true }
    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) { key.append(self ? 1 : 0) }
    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) { self = try key.bigEndian(as: UInt8.self) != 0 }
}

extension Day: OrderedKey {
    /// Its bytes in a key, always as many.
    public static var width: Int { 4 }
    /// True: it holds no text.
    public static var isShownInErrors: Bool { true }
    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) { daysSince1970.encode(into: &key) }
    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        self = Day(clampingDaysSince1970: Int(try Int32(decoding: &key)))
    }
}

extension Instant: OrderedKey {
    /// Its bytes in a key, always as many.
    public static var width: Int { 8 }
    /// True: it holds no text.
    public static var isShownInErrors: Bool { true }
    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) { microsecondsSince1970.encode(into: &key) }
    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        self = Instant(microsecondsSince1970: try Int64(decoding: &key))
    }
}

extension UUID: OrderedKey {
    /// Its bytes in a key, always as many.
    public static var width: Int { 16 }
    /// True: it holds no text.
    public static var isShownInErrors: Bool { true }
    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) {
        let (high, low) = bigEndianHalves
        key.append(bigEndian: high)
        key.append(bigEndian: low)
    }

    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        self.init(uuid: try key.sixteenBytes())
    }
}

/// A day or none, which comes before every day.
extension Optional: OrderedKey where Wrapped == Day {
    /// No day of the years 1 to 9999 has this number.
    private static var noDay: Int32 { .min }

    /// Its bytes in a key, always as many.
    public static var width: Int { Day.width }
    /// True: it holds no text.
    public static var isShownInErrors: Bool { true }
    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) { (self?.daysSince1970 ?? Self.noDay).encode(into: &key) }
    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        let number = try Int32(decoding: &key)
        self = number == Self.noDay ? nil : Day(clampingDaysSince1970: Int(number))
    }
}
