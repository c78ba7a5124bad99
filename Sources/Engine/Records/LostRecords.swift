import KeyValue

/// The table of what a rebuild has set aside: records that cannot be read, as they were found.
///
/// The key is the collection's number (4 bytes) and the record's key, the value the stored bytes, those of the broken
/// seal included, under a seal of this table: so a later look sees exactly what the rebuild saw.
struct LostRecords {
    static let tableName = "lost"

    let table: SealedTable

    static func key(_ key: KeyBytes, in collection: UInt32) -> KeyBytes {
        var result = KeyBytes()
        result.append(bigEndian: collection)
        // A damaged key may be longer than any of ours; its first bytes tell it apart.
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

    /// Removes what was set aside under a record's key; false when nothing was.
    func remove(
        _ key: KeyBytes, in collection: UInt32, _ transaction: borrowing RawWriteTransaction
    ) throws(KeyValueError) -> Bool {
        try transaction.delete(Self.key(key, in: collection).bytes, in: table.table)
    }
}
