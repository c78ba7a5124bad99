import FoundationEssentials
import Injection
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
    let tables: [String: ChecksummedTable]
    /// The names of the tables by their numbers in the change log.
    let names: [UInt32: String]
    private let path: String

    /// Nil when a table is there that was not opened.
    init?(
        of transaction: ReadTransaction, _ engine: borrowing RawReadTransaction, tables: [String: ChecksummedTable],
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
        // As when a store is opened, an unreadable version does not prevent access to the records.
        schemaVersion =
            (try? meta.get(Meta.schemaKey, in: engine) { value, _ in Meta.decodeNumber(value) }) ?? schema.version
        storeID =
            try meta.get(Meta.storeKey, in: engine) { value, _ in
                value.byteCount == 16 ? UUID(uuid: value.sixteenBytes(at: 0)) : nil
            } ?? nil
    }

    /// Passes every record of a collection to a closure in the order of the keys, the value without its checksum, until
    /// the closure returns false. Bytes are checked first.
    ///
    /// - Throws: `damagedRecord`; after the last record `damaged`, when they were not those that are counted; what the
    ///   closure throws.
    package func forEachRecord(
        in collection: String, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        guard let expected = collections.first(where: { $0.name == collection }), let table = tables[collection] else {
            return
        }
        try transaction.withEngine { engine in
            var count = RecordCount()
            let isAtEnd = try table.forEachEntry(in: engine) { key, checksummed in
                guard let hash = table.hash(key: key, checksummed: checksummed) else {
                    throw damagedRecord(key, in: collection)
                }
                count += RecordCount(count: 1, digest: hash)
                return try body(key, checksummed.extracting(0..<(checksummed.byteCount - Checksum.byteCount)))
            }
            guard !isAtEnd || CollectionImage(name: collection, count) == expected else {
                throw StoredTables.miscounted(collection, path: path)
            }
        }
    }

    /// The value of a record without its checksum; nil when there is no such key.
    package func record(_ key: [UInt8], in collection: String) throws -> [UInt8]? {
        try stored(key, in: collection) { value, _ in value.copied }
    }

    /// Passes the value of a record and its hash to a closure.
    func stored<Result>(
        _ key: [UInt8], in collection: String, _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        guard let table = tables[collection], 1...64 ~= key.count else { return nil }
        return try transaction.withEngine { engine in
            try engine.get(key.span.bytes, in: table.table) { checksummed in
                guard let hash = table.hash(key: key.span.bytes, checksummed: checksummed) else {
                    throw damagedRecord(key.span.bytes, in: collection)
                }
                return try body(checksummed.extracting(0..<(checksummed.byteCount - Checksum.byteCount)), hash)
            }
        }
    }

    private func damagedRecord(_ key: RawSpan, in collection: String) -> RecordsError {
        .damagedRecord(collection: collection, key: KeyBytes(copying: key).hexadecimal)
    }
}

/// The right to replace a store, until the value is released.
package typealias StoreClaim = KeyValue.StoreClaim

/// A store that is built inside the folder of its place.
package typealias StoreDraft = KeyValue.StoreDraft

extension RecordStore {
    /// Reads every record as bytes, also of collections that this store was not opened with, from one consistent moment.
    ///
    /// The closure runs once, since it passes on what it reads.
    ///
    /// - Throws: `damaged` when a collection has fewer or more records than are counted; `snapshotLost`; what the closure throws.
    package func readImage<Result>(_ body: (StoreImage) throws -> Result) throws -> Result {
        // A table must be opened before the transaction that reads it begins. If another process creates one in
        // between, a later transaction is used.
        while true {
            let opened = try openCountedTables()
            let result: Result? = try read(isRepeatable: false) { transaction in
                guard
                    let image = try transaction.withEngine({ engine in
                        try StoreImage(of: transaction, engine, tables: opened, path: path)
                    })
                else { return nil }
                return try body(image)
            }
            if let result { return result }
        }
    }

    /// Claims the store in a folder, to replace it: no process can open it until the returned value goes.
    ///
    /// - Returns: nil when any process has it open, this one included.
    package static func claim(at path: String) throws(RecordsError) -> StoreClaim? {
        try rethrowing { try StoreClaim.take(of: path) }
    }

    /// Begins a store that is to be built inside a folder, which is created if it is missing.
    package static func draft(
        at path: String, injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints()
    ) throws(RecordsError) -> StoreDraft {
        try rethrowing { try StoreDraft(in: path, injectionPoint: injectionPoint) }
    }

    /// Completes what a process has begun that was killed while it put a store in its place.
    package static func completePlacement(at path: String) throws(RecordsError) {
        try rethrowing { try Environment.completePlacement(at: path) }
    }

    /// Whether a name may be in a folder that has no store: of a draft, or of a store that another one has replaced.
    package static func isBesideStore(_ name: String) -> Bool { Environment.isBesideStore(name) }

    private func openCountedTables() throws -> [String: ChecksummedTable] {
        let names = try read { transaction in
            try transaction.withEngine { engine in
                try StoredTables(in: engine, of: schema, path: path).counts.keys.sorted()
            }
        }
        // Outside of a transaction, which would convert the errors of the engine.
        let tables = try rethrowing { try environment.openPresentTables(names) }
        return Dictionary(tables.map { ($0.name, ChecksummedTable($0)) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The tables that a store has at one moment, whether its schema names them or not.
struct StoredTables {
    /// The names of the tables of records with their counts from `meta`, without empty ones.
    private(set) var counts: [String: RecordCount] = [:]
    /// The names of tables by their numbers in the change log.
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
        in engine: borrowing RawReadTransaction, of meta: ChecksummedTable
    ) throws -> [UInt32: RecordCount] {
        var counts: [UInt32: RecordCount] = [:]
        let prefix = Meta.countPrefix
        try meta.forEachEntry(KeyRange(prefix: prefix), in: engine) { key, checksummed in
            guard key.byteCount == prefix.count + 4 else { throw meta.damage(key) }
            counts[key.bigEndian(at: prefix.count)] = try meta.open(key: key, checksummed: checksummed) { value, _ in
                RecordCount(value)
            }
            return true
        }
        return counts
    }
}

extension StoreDraft {
    /// Lets the finished draft take a place where no store is; returns false when one is there now.
    package func takePlace() throws(RecordsError) -> Bool {
        try rethrowing { try takeVacantPlace() }
    }

    /// Lets the finished draft take the place of the present store.
    ///
    /// - Returns: the folder that keeps the present store.
    package func replace(holding claim: StoreClaim, keepingAs name: String) throws(RecordsError) -> String {
        try rethrowing { try replaceStore(holding: claim, keepingAs: name) }
    }
}
