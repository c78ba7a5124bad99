import KeyValue

/// A digest of the entries of tables, keys and values and their order.
struct ContentDigest {
    private(set) var value: UInt64 = 0

    mutating func take(_ table: Table, in transaction: borrowing RawReadTransaction) throws {
        value = XXHash64.hash(Array(table.name.utf8).span.bytes, seed: value)
        var digest = value
        try transaction.withCursor(over: table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                try cursor.withEntry { key, bytes in
                    digest = XXHash64.hash(bytes, seed: XXHash64.hash(key, seed: digest))
                }
                isOnEntry = try cursor.moveToNext()
            }
        }
        value = digest
    }
}
