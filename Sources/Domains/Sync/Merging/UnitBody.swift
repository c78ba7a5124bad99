import Records

/// The opened value of a unit.
enum UnitBody: Sendable, Hashable {
    /// Whether the record exists, and the tombstone of one that does not.
    case existence(isAlive: Bool, updatedAt: Int64, tombstone: [UInt8])
    /// The record as it was created: where it belongs and its bytes.
    case base(collection: UInt32, key: [UInt8], value: [UInt8])
    /// The time of the change, in microseconds since 1970; the unit's fields, as the bytes of a record that has no others; and
    /// the mark of the key that it replaced, 0 for none.
    case fields(updatedAt: Int64, value: [UInt8], replaced: UInt32)

    /// The bytes that are sealed.
    var encoded: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .existence(let isAlive, let updatedAt, let tombstone):
            writer.put(isAlive ? UInt64(1) : 0)
            writer.put(updatedAt)
            writer.put(tombstone)
        case .base(let collection, let key, let value):
            writer.put(UInt64(collection))
            writer.put(key)
            writer.put(value)
        case .fields(let updatedAt, let value, let replaced):
            writer.put(updatedAt)
            writer.put(value)
            writer.put(UInt64(replaced))
        }
        return writer.bytes
    }

    /// Reads the body of a unit of a number.
    init(decoding bytes: [UInt8], of unit: UInt16) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        switch unit {
        case SyncUnit.existence:
            let isAlive = try reader.unsigned() != 0
            self = .existence(isAlive: isAlive, updatedAt: try reader.signed(), tombstone: try reader.data())
        case SyncUnit.base:
            let collection: UInt32 = try reader.small()
            self = .base(collection: collection, key: try reader.data(), value: try reader.data())
        default:
            self = .fields(
                updatedAt: try reader.signed(), value: try reader.data(), replaced: try reader.small())
        }
        try reader.end()
    }
}
