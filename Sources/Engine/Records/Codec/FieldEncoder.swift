import CivilTime
import FoundationEssentials
import KeyValue

/// Writes a record as tagged fields, in ascending order of their numbers.
///
/// A field is its number (1 to 63, one byte), its form (one byte) and its content (`FieldForm`). A nil is not written.
/// Fields that a newer version wrote and this one does not know are carried over from the stored record.
public struct FieldEncoder {
    /// The first byte of every record.
    static let version: UInt8 = 1

    private(set) var bytes: [UInt8]
    /// The numbers that this version of the type encodes, written or nil: bit n for field n.
    private(set) var knownFields: UInt64 = 0
    /// The fields of the stored record that are not known here, still to be written, the lowest number last.
    private var carriedOver: [(number: UInt8, content: ArraySlice<UInt8>)] = []

    init(capacity: Int = 160) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(Self.version)
    }

    /// Writes text as UTF-8; nothing for nil.
    public mutating func put(_ number: Int, _ value: String?) {
        guard begin(number), var value else { return }
        value.withUTF8 { text in
            head(number, byteCount: text.count)
            bytes.append(contentsOf: text)
        }
    }

    /// Writes bytes; nothing for nil.
    public mutating func put(_ number: Int, _ value: [UInt8]?) {
        guard begin(number), let value else { return }
        head(number, byteCount: value.count)
        bytes.append(contentsOf: value)
    }

    /// Writes an integer; nothing for nil.
    public mutating func put(_ number: Int, _ value: Int64?) {
        guard begin(number), let value else { return }
        head(number, .eightBytes)
        bytes.append(littleEndian: UInt64(bitPattern: value))
    }

    /// Writes an integer; nothing for nil.
    public mutating func put(_ number: Int, _ value: UInt32?) {
        guard begin(number), let value else { return }
        head(number, .fourBytes)
        bytes.append(littleEndian: value)
    }

    /// Writes an integer; nothing for nil.
    public mutating func put(_ number: Int, _ value: Int32?) {
        put(number, value.map(UInt32.init(bitPattern:)))
    }

    /// Writes a small integer, such as the raw value of an enumeration; nothing for nil.
    public mutating func put(_ number: Int, _ value: UInt8?) {
        guard begin(number), let value else { return }
        head(number, .oneByte)
        bytes.append(value)
    }

    /// Writes true; nothing for false.
    public mutating func put(_ number: Int, _ value: Bool) {
        put(number, value ? UInt8(1) : nil)
    }

    /// Writes a floating-point number, bit for bit; nothing for nil.
    public mutating func put(_ number: Int, _ value: Double?) {
        put(number, value.map { Int64(bitPattern: $0.bitPattern) })
    }

    /// Writes an instant; nothing for nil.
    public mutating func put(_ number: Int, _ value: Instant?) {
        put(number, value?.microsecondsSince1970)
    }

    /// Writes a day; nothing for nil.
    public mutating func put(_ number: Int, _ value: Day?) {
        put(number, value?.daysSince1970)
    }

    /// Writes an id; nothing for nil.
    public mutating func put(_ number: Int, _ value: UUID?) {
        guard begin(number), let value else { return }
        head(number, .sixteenBytes)
        let (high, low) = value.bigEndianHalves
        bytes.append(littleEndian: high.byteSwapped)
        bytes.append(littleEndian: low.byteSwapped)
    }

    /// Prepares to carry over the fields of `stored`, the record in the store, that this version does not know.
    ///
    /// Call it before any field is put. All fields wait here; those that the type encodes are dropped as it encodes
    /// them.
    mutating func carryOver(from stored: [UInt8]) {
        carriedOver = FieldLayout(of: stored).fields.reversed().map { ($0.number, stored[$0.range]) }
    }

    /// Writes the remaining unknown fields.
    mutating func finish() {
        flushCarriedOver(below: UInt8.max)
    }

    private mutating func begin(_ number: Int) -> Bool {
        precondition(number >= 1 && number <= 63, "field numbers go from 1 to 63")
        precondition(knownFields >> UInt64(number) == 0, "fields are written once, in ascending order of their numbers")
        flushCarriedOver(below: UInt8(number))
        if carriedOver.last?.number == UInt8(number) { carriedOver.removeLast() }
        knownFields |= 1 << UInt64(number)
        return true
    }

    private mutating func flushCarriedOver(below number: UInt8) {
        while let next = carriedOver.last, next.number < number {
            bytes.append(contentsOf: next.content)
            carriedOver.removeLast()
        }
    }

    private mutating func head(_ number: Int, _ form: FieldForm) {
        bytes.append(UInt8(number))
        bytes.append(form.rawValue)
    }

    private mutating func head(_ number: Int, byteCount: Int) {
        if let count = UInt8(exactly: byteCount) {
            head(number, .shortBytes)
            bytes.append(count)
        } else {
            head(number, .longBytes)
            bytes.append(littleEndian: UInt32(byteCount))
        }
    }
}
