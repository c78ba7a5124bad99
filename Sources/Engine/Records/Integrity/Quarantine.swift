import KeyValue

/// The quarantine: the table to which a rebuild moves unreadable records, byte for byte.
///
/// The key is the collection's number (4 bytes) and the record's key, the value the stored bytes including the wrong
/// checksum, followed by a checksum of this table, so that the original bytes can be examined later.
struct Quarantine {
    static let tableName = "lost"

    let table: ChecksummedTable

    static func key(_ key: KeyBytes, in collection: UInt32) -> KeyBytes {
        var result = KeyBytes()
        result.append(bigEndian: collection)
        // A damaged key may be longer than any valid one; its first bytes identify it.
        for byte in key.array.prefix(60) { result.append(byte) }
        return result
    }

    /// The record's key in a key of this table; nil when that is of another collection.
    static func recordKey(of key: RawSpan, in collection: UInt32) -> KeyBytes? {
        guard key.byteCount >= 4, key.bigEndian(at: 0, as: UInt32.self) == collection else { return nil }
        return KeyBytes(copying: key.extracting(4..<key.byteCount))
    }

    func put(
        _ key: KeyBytes, _ found: [UInt8], in collection: UInt32,
        _ transaction: borrowing RawWriteTransaction
    ) throws(KeyValueError) {
        _ = try table.put(Self.key(key, in: collection), found, in: transaction)
    }

    /// Whether there is an entry of a record's key, readable or not.
    func contains(
        _ key: KeyBytes, in collection: UInt32, _ transaction: borrowing RawReadTransaction
    ) throws -> Bool {
        try transaction.get(Self.key(key, in: collection).bytes, in: table.table) { _ in true } ?? false
    }

    /// Removes the entry of a record's key; returns false when there was none.
    func remove(
        _ key: KeyBytes, in collection: UInt32, _ transaction: borrowing RawWriteTransaction
    ) throws(KeyValueError) -> Bool {
        try transaction.delete(Self.key(key, in: collection).bytes, in: table.table)
    }
}
