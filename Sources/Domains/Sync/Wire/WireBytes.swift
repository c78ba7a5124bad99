import FoundationEssentials
import Records

/// Bytes that are not a message of the protocol. They are refused as a whole.
public struct MalformedMessage: Error, Hashable, CustomStringConvertible {
    /// A description without content.
    public var description: String { "The message is not one of the sync protocol." }
}

/// Writes messages: integers of variable length (LEB128), texts and bytes behind their length.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A signed integer: small ones of either sign are short.
    mutating func put(_ value: Int64) { put(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func put(_ value: [UInt8]) {
        put(UInt64(value.count))
        bytes += value
    }

    mutating func put(_ value: String) { put(Array(value.utf8)) }

    mutating func put(_ value: UUID) { bytes += value.bytes }

    /// Eight bytes, for what is spread over all 64 bits.
    mutating func putFixed(_ value: UInt64) { bytes.append(bigEndian: value) }

    mutating func put<Element>(_ list: [Element], _ write: (Element, inout WireWriter) -> Void) {
        put(UInt64(list.count))
        for element in list { write(element, &self) }
    }
}

/// Reads what `WireWriter` wrote, and checks each length.
struct WireReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes were read.
    var offset: Int { position }

    var isAtEnd: Bool { position == bytes.count }

    mutating func unsigned() throws(MalformedMessage) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < bytes.count else { throw MalformedMessage() }
            let byte = bytes[position]
            position += 1
            let part = UInt64(byte & 0x7F)
            // Nine bytes hold 63 bits; the tenth has one. A longer form of a small number is refused as well.
            guard (part << shift) >> shift == part, byte != 0 || shift == 0 else { throw MalformedMessage() }
            value |= part << shift
            if byte < 0x80 { return value }
        }
        throw MalformedMessage()
    }

    mutating func signed() throws(MalformedMessage) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func small<Value: FixedWidthInteger>(as type: Value.Type = Value.self) throws(MalformedMessage) -> Value {
        guard let value = try Value(exactly: unsigned()) else { throw MalformedMessage() }
        return value
    }

    mutating func data() throws(MalformedMessage) -> [UInt8] {
        try take(small(as: Int.self))
    }

    mutating func text() throws(MalformedMessage) -> String {
        guard let text = try String(validating: data(), as: UTF8.self) else { throw MalformedMessage() }
        return text
    }

    mutating func uuid() throws(MalformedMessage) -> UUID {
        guard let id = try UUID(bytes: take(16)) else { throw MalformedMessage() }
        return id
    }

    mutating func fixed() throws(MalformedMessage) -> UInt64 { try take(8).bigEndian(at: 0) }

    /// A list of at most as many elements as there are bytes left, so that a forged count reserves no memory.
    mutating func list<Element>(
        _ read: (inout WireReader) throws(MalformedMessage) -> Element
    ) throws(MalformedMessage) -> [Element] {
        let count = try small(as: Int.self)
        guard count <= bytes.count - position else { throw MalformedMessage() }
        var list: [Element] = []
        for _ in 0..<count { list.append(try read(&self)) }
        return list
    }

    mutating func end() throws(MalformedMessage) {
        guard isAtEnd else { throw MalformedMessage() }
    }

    private mutating func take(_ count: Int) throws(MalformedMessage) -> [UInt8] {
        guard count <= bytes.count - position else { throw MalformedMessage() }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }
}

extension UUID {
    /// The 16 bytes.
    public var bytes: [UInt8] {
        let halves = bigEndianHalves
        var bytes: [UInt8] = []
        bytes.append(bigEndian: halves.high)
        bytes.append(bigEndian: halves.low)
        return bytes
    }

    /// An id of 16 bytes; nil of any other number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.bigEndian(at: 0), low: bytes.bigEndian(at: 8))
    }
}
