import KeyValue

/// The tables that a store has at one moment, whether its schema names them or not.
struct StoredTables {
    /// The names of those that hold records, and the counts that `meta` has of them; without empty ones.
    private(set) var counts: [String: RecordCount] = [:]
    /// What stands for a table in the change log if it holds records.
    let names: [UInt32: String]

    /// - Throws: `damaged` when records are counted of which there is no table, or others than are there.
    init(in engine: borrowing RawReadTransaction, of schema: BoundSchema, path: String) throws {
        let all = try engine.tableNames()
        names = Dictionary(
            all.map { (Checksum.collectionNumber(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
        for (number, count) in try Self.counts(in: engine, of: schema.meta) where count != .none {
            guard let name = names[number], count.count > 0 else {
                throw KeyValueError.damaged(path: path, detail: "a collection is counted whose table is not there")
            }
            counts[name] = count
        }
        for collection in schema.collections where counts[collection.name] == nil {
            guard try engine.entryCount(of: collection.recordsTable.table) == 0 else {
                throw Self.miscounted(collection.name, path: path)
            }
        }
    }

    static func miscounted(_ name: String, path: String) -> KeyValueError {
        .damaged(path: path, detail: "\(name): the records are not those that are counted")
    }

    private static func counts(
        in engine: borrowing RawReadTransaction, of meta: SealedTable
    ) throws -> [UInt32: RecordCount] {
        var counts: [UInt32: RecordCount] = [:]
        let prefix = Meta.countPrefix
        try engine.withCursor(over: meta.table) { cursor in
            var isOnEntry = try cursor.seek(prefix.bytes)
            while isOnEntry {
                let goesOn = try cursor.withEntry { key, sealed in
                    guard key.starts(with: prefix.bytes) else { return false }
                    guard key.byteCount == prefix.count + 4 else { throw meta.damage(key) }
                    counts[key.bigEndian(at: prefix.count)] = try meta.open(key: key, sealed: sealed) { value, _ in
                        RecordCount(value)
                    }
                    return true
                }
                isOnEntry = try goesOn && cursor.moveToNext()
            }
        }
        return counts
    }
}
