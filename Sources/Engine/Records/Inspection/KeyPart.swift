import CivilTime
import FoundationEssentials
import KeyValue

/// One part of a key as it is stored: what a tool needs to show the keys of a collection whose types it does not have.
public struct KeyPart: Sendable, Hashable {
    /// How the bytes of a part are read. The numbers are stored.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// Bytes of which nothing is known.
        case bytes = 0
        /// An unsigned integer.
        case unsigned8, unsigned16, unsigned32, unsigned64
        /// A signed integer.
        case integer32, integer64
        /// A Boolean.
        case boolean
        /// A day, or none, which comes first.
        case day, optionalDay
        /// An instant.
        case instant
        /// A UUID.
        case uuid
        /// The normal form of a text: ``TextKey``.
        case text
        /// A word of a text: ``Word``.
        case word
    }

    /// How its bytes are read.
    public let kind: Kind
    /// Whether the greatest value comes first.
    public let isDescending: Bool
    /// How many bytes it has; 0 if that depends on the value.
    let width: Int

    init(_ kind: Kind, width: Int, isDescending: Bool = false) {
        self.kind = kind
        self.width = width
        self.isDescending = isDescending
    }

    var reversed: KeyPart { KeyPart(kind, width: width, isDescending: !isDescending) }
}

/// A type of keys whose parts are known.
protocol KeyDescribing {
    static var keyParts: [KeyPart] { get }
}

extension OrderedKey {
    /// The parts of the type's keys. A type that encodes by hand is one part of bytes.
    static var parts: [KeyPart] {
        switch Self.self {
        case let type as any KeyDescribing.Type: type.keyParts
        case let type as any CompoundKey.Type: type.compoundParts
        default: [KeyPart(.bytes, width: hasFixedWidth ? width : 0)]
        }
    }
}

extension CompoundKey {
    fileprivate static var compoundParts: [KeyPart] { Parts.parts }
}

extension Compound: KeyDescribing {
    static var keyParts: [KeyPart] {
        var all: [KeyPart] = []
        for part in repeat (each Part).self { all += part.parts }
        return all
    }
}

extension Descending: KeyDescribing {
    static var keyParts: [KeyPart] { Key.parts.map(\.reversed) }
}

extension Placed: KeyDescribing {
    static var keyParts: [KeyPart] { Lane.parts + Int64.parts }
}

extension WordKey: KeyDescribing {
    static var keyParts: [KeyPart] { [KeyPart(.word, width: 0)] + Rank.parts }
}

extension Optional: KeyDescribing where Wrapped == Day {
    static var keyParts: [KeyPart] { [KeyPart(.optionalDay, width: 4)] }
}

extension UInt8: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.unsigned8, width: 1)] } }
extension UInt16: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.unsigned16, width: 2)] } }
extension UInt32: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.unsigned32, width: 4)] } }
extension UInt64: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.unsigned64, width: 8)] } }
extension Int32: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.integer32, width: 4)] } }
extension Int64: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.integer64, width: 8)] } }
extension Bool: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.boolean, width: 1)] } }
extension Day: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.day, width: 4)] } }
extension Instant: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.instant, width: 8)] } }
extension UUID: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.uuid, width: 16)] } }
extension TextKey: KeyDescribing { static var keyParts: [KeyPart] { [KeyPart(.text, width: 0)] } }
