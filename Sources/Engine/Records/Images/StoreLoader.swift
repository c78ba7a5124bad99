import CivilTime
import FoundationEssentials
import KeyValue

/// A new store that is filled with the bytes of records: for a restore. Nobody else may know its folder yet.
///
/// Nothing is durable before `finish` returns; a crash leaves a folder that is no store. The bytes are not trusted: what
/// is no record of its collection is an error. Memory is bounded, whatever the number of records.
package final class StoreLoader {
    /// A collection that is being loaded, or was.
    private struct Loaded {
        let name: String
        let table: SealedTable
        /// Nil for a collection that the schema does not name: its records are written as they are.
        let bound: (any StoredCollection)?
        /// Where the derivation has its indexes and roll-ups.
        let places: [Int]
        var count = RecordCount()
        var lastKey = KeyBytes()
    }

    private let path: String
    private let draft: DraftEnvironment
    private let schema: BoundSchema
    private let reservedNames: Set<String>
    private let context: Context
    private let sequence: UInt64
    private let schemaVersion: UInt32
    private var derivation: Derivation
    private var batch = RecordBatch()
    private var current: Loaded?
    private var finished: [UInt32: Loaded] = [:]
    /// Set while a record is taken in, and for good after an error: half a collection must not pass for one.
    private var isBroken = false
    private let batchLimit: Int

    /// Creates the folder, with mode 0700; it must not be there yet.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last change of the store that the records come from; those of the new one go on
    ///     behind it, so that no number means two things.
    ///   - schemaVersion: the version of the schema that the records were written by.
    /// - Throws: `newerFormat` when that is higher than the schema's own: records would be misread.
    package convenience init(
        at path: String, schema: Schema, context: Context, sequence: UInt64, schemaVersion: UInt32 = 1
    ) throws(RecordsError) {
        try self.init(
            at: path, schema: schema, context: context, sequence: sequence, schemaVersion: schemaVersion,
            batchLimit: 2 << 20, runLimit: 16 << 20)
    }

    /// - Parameters:
    ///   - batchLimit: bytes of records that are gathered for a transaction.
    ///   - runLimit: bytes of index keys that are gathered to be sorted; tests make both small.
    init(
        at path: String, schema: Schema, context: Context, sequence: UInt64, schemaVersion: UInt32 = 1, batchLimit: Int,
        runLimit: Int
    ) throws(RecordsError) {
        try schema.check()
        guard schemaVersion <= schema.version else {
            throw .newerFormat(path: path, found: Int(schemaVersion), known: Int(schema.version))
        }
        // So many changes nobody has made, and numbers must not run out.
        guard sequence < 1 << 62 else {
            throw .damagedEntry(table: ChangeLog.tableName, key: sequence.keyBytes.hexadecimal)
        }
        self.path = path
        self.context = context
        self.sequence = sequence
        self.schemaVersion = schemaVersion
        self.batchLimit = batchLimit
        reservedNames = Set(schema.tableNames).subtracting(schema.collections.map(\.name))
        let manifest = StoreManifest(createdAt: context.clock.wall).encoded
        let draft = try rethrowing { try DraftEnvironment(at: path, files: [StoreManifest.fileName: manifest]) }
        self.draft = draft
        let tables = try rethrowing { try draft.openTables(schema.tableNames) }
        let named = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.schema = try BoundSchema(schema, tables: named)
        derivation = Derivation(self.schema.collections, byteLimit: runLimit)
    }

    /// Adds a record, its value without a seal: the keys of a collection ascending, one collection after another.
    ///
    /// - Throws: `refusedRecord` for a key that is out of order or too long, or bytes that are no sound record of a
    ///   collection of the schema. The loader is of no more use after an error.
    package func append(key: RawSpan, value: RawSpan, to collection: String) throws(RecordsError) {
        guard !isBroken else { throw .transactionEnded }
        isBroken = true
        if current?.name != collection { try begin(collection) }
        guard var loaded = current.take() else { throw .transactionEnded }
        guard 1...64 ~= key.byteCount, value.byteCount < (1 << 30) - Checksum.byteCount,
            loaded.lastKey.bytes.precedes(key)
        else {
            throw .refusedRecord(collection: collection, key: KeyBytes(copying: key).hexadecimal)
        }
        try loaded.bound?.derive(key, value, at: loaded.places, into: &derivation)
        let hash = loaded.table.hash(key: key, value: value)
        batch.add(key, value, seal: UInt32(truncatingIfNeeded: hash))
        loaded.count += RecordCount(count: 1, digest: hash)
        loaded.lastKey = KeyBytes(copying: key)
        let table = loaded.table
        current = loaded
        if batch.byteCount >= batchLimit { try writeBatch(to: table) }
        if derivation.isFull { try rethrowing { try derivation.write(to: draft) } }
        isBroken = false
    }

    /// Derives indexes and roll-ups, writes what a store notes of itself, checks everything and flushes it. The folder is
    /// then a store of its own, with an id of its own.
    ///
    /// - Returns: what is now in it, without empty collections.
    package func finish() throws(RecordsError) -> [CollectionImage] {
        guard !isBroken else { throw .transactionEnded }
        isBroken = true
        try endCollection()
        try rethrowing {
            try derivation.write(to: draft)
            try writeNotes()
            try check()
            try draft.finish()
        }
        return finished.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map {
            CollectionImage(name: $0.name, $0.count)
        }
    }

    /// Removes the folder; so does forgetting a loader that was not finished.
    package func abandon() {
        draft.abandon()
    }

    // MARK: Collections

    private func begin(_ name: String) throws(RecordsError) {
        try endCollection()
        let number = Checksum.collectionNumber(of: name)
        guard finished[number] == nil else {
            throw .badDeclaration("a collection is loaded in two pieces, or two have names of the same number")
        }
        if let bound = schema.collection(number: number) {
            guard bound.name == name else {
                throw .badDeclaration("a collection that is loaded has a name of the same number as \(bound.name)")
            }
            current = Loaded(
                name: name, table: bound.recordsTable, bound: bound, places: derivation.places(of: bound))
            return
        }
        guard 1...511 ~= name.utf8.count, !name.utf8.contains(0), !reservedNames.contains(name) else {
            throw .badDeclaration("a collection that is loaded has a name that none can have")
        }
        guard let table = try rethrowing({ try draft.openTables([name]) }).first else { throw .transactionEnded }
        current = Loaded(name: name, table: SealedTable(table), bound: nil, places: [])
    }

    private func endCollection() throws(RecordsError) {
        guard let loaded = current else { return }
        try writeBatch(to: loaded.table)
        finished[Checksum.collectionNumber(of: loaded.name)] = loaded
        current = nil
    }

    private func writeBatch(to table: SealedTable) throws(RecordsError) {
        try rethrowing { try draft.write { try batch.write(to: table.table, in: $0) } }
        batch.removeAll()
    }

    // MARK: The end

    private func writeNotes() throws {
        let meta = schema.meta
        let id = UUID.random(context.random)
        let row = ChangeRow(
            instant: context.clock.wall, kind: .edit, label: ChangeLabel(),
            history: ChangeRow.History(operationStart: sequence + 1), entries: [])
        try draft.write { transaction in
            try meta.put(Meta.schemaKey, Meta.encode(max(schemaVersion, schema.version)), in: transaction)
            try meta.put(Meta.storeKey, id.keyBytes.array, in: transaction)
            for (number, loaded) in finished {
                try meta.put(Meta.countKey(number), loaded.count.encoded, in: transaction)
            }
            for collection in schema.collections {
                let derived = collection.derivedTables
                for part in derived {
                    try meta.put(Meta.builtKey(part.table.name), Meta.encode(part.version), in: transaction)
                }
                guard !derived.isEmpty else { continue }
                let kept = Meta.encodeKept(derived.map(\.table.name))
                try meta.put(Meta.keptKey(collection.number), kept, in: transaction)
            }
            // Nothing to undo, and no number of the store that the records come from is given again.
            try ChangeLog(schema: schema).append(row, as: sequence + 1, in: transaction)
        }
    }

    /// What `verify` would look at, in one walk over each table: here it is known what must be there.
    private func check() throws {
        let wrong: String? = try draft.read { engine in
            for loaded in finished.values
            where try loaded.table.checkedCount(in: engine, { _, _ in }) != loaded.count {
                return loaded.name
            }
            for table in [schema.meta, schema.changes] where try table.checkedCount(in: engine, { _, _ in }) == nil {
                return table.name
            }
            return try derivation.firstWrongTable(in: engine)
        }
        if let wrong { throw damaged("\(wrong): not what was written") }
        if let problem = try draft.pageProblems().all.first { throw damaged(problem) }
    }

    private func damaged(_ detail: String) -> KeyValueError {
        .damaged(path: path, detail: detail)
    }
}
