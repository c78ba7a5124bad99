import FoundationEssentials
import KeyValue

/// Every record of a store at one moment, as bytes. It lives inside one read transaction.
package struct StoreImage {
    /// The store's id; nil for a store of an earlier version that was never opened for writing since.
    package let storeID: UUID?
    /// The version of the schema that wrote last.
    package let schemaVersion: UInt32
    /// The number of the last change.
    package let sequence: UInt64
    /// What is stored, by name: also collections that the store was not opened with, but no empty ones.
    package let collections: [CollectionImage]
    let transaction: ReadTransaction
    /// The tables of the collections, by name.
    let tables: [String: SealedTable]
    /// What the tables are called that the change log may speak of.
    let names: [UInt32: String]
    private let path: String

    /// Nil when a table is there that was not opened.
    init?(
        of transaction: ReadTransaction, _ engine: borrowing RawReadTransaction, tables: [String: SealedTable],
        path: String
    ) throws {
        let schema = transaction.schema
        let stored = try StoredTables(in: engine, of: schema, path: path)
        var collections: [CollectionImage] = []
        for (name, count) in stored.counts.sorted(by: { $0.key < $1.key }) {
            guard let table = tables[name] else { return nil }
            guard try Int64(engine.entryCount(of: table.table)) == count.count else {
                throw StoredTables.miscounted(name, path: path)
            }
            collections.append(CollectionImage(name: name, count))
        }
        self.collections = collections
        self.tables = tables
        self.transaction = transaction
        self.path = path
        names = stored.names
        let meta = schema.meta
        sequence = try ChangeLog(schema: schema).lastSequence(in: engine)
        // As when a store is opened: a version that cannot be read keeps nobody from the records.
        schemaVersion =
            (try? meta.get(Meta.schemaKey, in: engine) { value, _ in Meta.decodeNumber(value) }) ?? schema.version
        storeID =
            try meta.get(Meta.storeKey, in: engine) { value, _ in
                value.byteCount == 16 ? UUID(uuid: value.sixteenBytes(at: 0)) : nil
            } ?? nil
    }

    /// Lends every record of a collection in the order of the keys, the value without its seal, until the closure returns
    /// false. Bytes are checked before they are lent.
    ///
    /// - Throws: `damagedRecord`; after the last record `damaged`, when they were not those that are counted; what the
    ///   closure throws.
    package func forEachRecord(
        in collection: String, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        guard let expected = collections.first(where: { $0.name == collection }), let table = tables[collection] else {
            return
        }
        try transaction.lendEngine { engine in
            var count = RecordCount()
            try engine.withCursor(over: table.table) { cursor in
                var isOnEntry = try cursor.moveToFirst()
                while isOnEntry {
                    let goesOn = try cursor.withEntry { key, sealed in
                        guard let hash = table.hash(key: key, sealed: sealed) else {
                            throw damagedRecord(key, in: collection)
                        }
                        count += RecordCount(count: 1, digest: hash)
                        return try body(key, sealed.extracting(0..<(sealed.byteCount - Checksum.byteCount)))
                    }
                    guard goesOn else { return }
                    isOnEntry = try cursor.moveToNext()
                }
                guard CollectionImage(name: collection, count) == expected else {
                    throw StoredTables.miscounted(collection, path: path)
                }
            }
        }
    }

    /// The value of a record without its seal; nil when there is none of this key.
    package func record(_ key: [UInt8], in collection: String) throws -> [UInt8]? {
        try stored(key, in: collection) { value, _ in value.copied }
    }

    /// Lends the value of a record and its hash.
    func stored<Result>(
        _ key: [UInt8], in collection: String, _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        guard let table = tables[collection], 1...64 ~= key.count else { return nil }
        return try transaction.lendEngine { engine in
            try engine.get(key.span.bytes, in: table.table) { sealed in
                guard let hash = table.hash(key: key.span.bytes, sealed: sealed) else {
                    throw damagedRecord(key.span.bytes, in: collection)
                }
                return try body(sealed.extracting(0..<(sealed.byteCount - Checksum.byteCount)), hash)
            }
        }
    }

    private func damagedRecord(_ key: RawSpan, in collection: String) -> RecordsError {
        .damagedRecord(collection: collection, key: KeyBytes(copying: key).hexadecimal)
    }
}
