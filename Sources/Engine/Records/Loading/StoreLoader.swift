import CivilTime
import FoundationEssentials
import KeyValue
import Processes
import Threading

/// A new store that is filled with the bytes of records: for a restore. Nothing else may use its folder yet.
///
/// Nothing is durable before `finish` returns; a crash leaves a folder that is not a store. The bytes are not trusted:
/// anything that is not a record of its collection is an error. Memory is bounded for any number of records.
package final class StoreLoader {
    /// A collection that is being loaded, or was.
    private struct Loaded {
        let name: String
        let table: ChecksummedTable
        /// Nil for a collection that the schema does not name: its records are written as they are.
        let bound: (any StoredCollection)?
        /// Where the derivation has its indexes and roll-ups.
        let places: [Int]
        var count = RecordCount()
        var lastKey = KeyBytes()
        /// The records of which nothing is derived yet; nil where nothing is derived.
        var batch: (any RecordBatch)?
    }

    private let path: String
    let draft: DraftEnvironment
    let schema: BoundSchema
    private let reservedNames: Set<String>
    let context: Context
    private let sequence: UInt64
    private let schemaVersion: UInt32
    private var derivation: Derivation
    private var current: Loaded?
    private var finished: [UInt32: Loaded] = [:]
    /// What a salvage adds at the end.
    var carried: Carried?
    /// The error that ended the loading: half a collection must not pass for one.
    private var failure: RecordsError?
    let filler: TableFiller

    /// Creates the folder, with mode 0700; it must not exist.
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
            batchLimit: 1 << 20, runLimit: LoadingMemory.runLimit(under: CurrentProcess.dataLimit))
    }

    /// - Parameters:
    ///   - batchLimit: bytes of records that are buffered for one transaction.
    ///   - runLimit: bytes of index entries that are in memory; tests make both small.
    init(
        at path: String, schema: Schema, context: Context, sequence: UInt64, schemaVersion: UInt32 = 1, batchLimit: Int,
        runLimit: Int
    ) throws(RecordsError) {
        try schema.check()
        guard schemaVersion <= schema.version else {
            throw .newerFormat(path: path, found: Int(schemaVersion), known: Int(schema.version))
        }
        // No store has had so many changes, and the numbers must not run out.
        guard sequence < 1 << 62 else {
            throw .damagedEntry(table: ChangeLog.tableName, key: sequence.keyBytes.hexadecimal)
        }
        self.path = path
        self.context = context
        self.sequence = sequence
        self.schemaVersion = schemaVersion
        reservedNames = Set(schema.tableNames).subtracting(schema.collections.map(\.name))
        let files = [
            StoreManifest.fileName: StoreManifest(createdAt: context.clock.wall, hasCommitLog: true).encoded,
            CommitLogState.fileName: CommitLogState.newFile,
        ]
        let (draft, tables) = try rethrowing {
            let draft = try DraftEnvironment(at: path, files: files)
            return (draft, try draft.openTables(schema.tableNames))
        }
        self.draft = draft
        filler = TableFiller(draft, byteLimit: batchLimit)
        let named = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.schema = try BoundSchema(schema, tables: named)
        derivation = Derivation(self.schema.collections, in: path, byteLimit: runLimit)
    }

    /// Adds a record, its value without a checksum: the keys of a collection in ascending order, one collection after
    /// another.
    ///
    /// - Throws: `refusedRecord` for a key that is out of order or too long, or bytes that are not a valid record of a
    ///   collection of the schema. After an error the loader only repeats it.
    package func append(key: RawSpan, value: RawSpan, to collection: String) throws(RecordsError) {
        try perform { try add(key: key, value: value, to: collection) }
    }

    /// Runs a part of the loading. After an error, every part throws it again.
    private func perform(_ body: () throws -> Void) throws(RecordsError) {
        if let failure { throw failure }
        do {
            try body()
        } catch {
            let error = RecordsError(error)
            failure = error
            throw error
        }
    }

    private func add(key: RawSpan, value: RawSpan, to collection: String) throws {
        if current?.name != collection { try endCollection() }
        var loaded: Loaded
        if let current { loaded = current } else { loaded = try begin(collection) }
        current = nil
        guard 1...64 ~= key.byteCount, value.byteCount < (1 << 30) - Checksum.byteCount,
            loaded.lastKey.bytes.precedes(key)
        else {
            throw RecordsError.refusedRecord(collection: collection, key: KeyBytes(copying: key).hexadecimal)
        }
        try loaded.batch?.append(key, value)
        let hash = loaded.table.hash(key: key, value: value)
        try filler.append(key, value, checksum: UInt32(truncatingIfNeeded: hash), to: loaded.table.table)
        loaded.count += RecordCount(count: 1, digest: hash)
        loaded.lastKey = KeyBytes(copying: key)
        if loaded.batch?.isFull ?? false { try startDeriving(for: &loaded) }
        current = loaded
    }

    /// Derives indexes and roll-ups, writes the `meta` table, checks everything and flushes it. The folder is then a
    /// store with a new id.
    ///
    /// - Returns: the collections of the store, without empty ones.
    package func finish() throws(RecordsError) -> [CollectionImage] {
        try perform {
            try endCollection()
            try derivation.writeIndexes(by: filler, checksRules: false)
            try filler.flush()
            try derivation.writeCounts(to: draft, beside: filler, isEnd: true)
            try writeNotes(hasChanges: try writeCarried())
            try check()
            try draft.finish()
        }
        failure = .transactionEnded
        return finished.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map {
            CollectionImage(name: $0.name, $0.count)
        }
    }

    /// Removes the folder, as does releasing a loader that was not finished.
    package func abandon() {
        try? filler.settle()
        draft.abandon()
    }

    /// The counts of the collections that are loaded completely, by their numbers.
    var loadedCounts: [UInt32: RecordCount] { finished.mapValues(\.count) }

    // MARK: Collections

    private func begin(_ name: String) throws -> Loaded {
        let number = Checksum.collectionNumber(of: name)
        guard finished[number] == nil else {
            throw RecordsError.badDeclaration(
                "a collection is loaded in two pieces, or two have names of the same number")
        }
        if let bound = schema.collection(number: number) {
            guard bound.name == name else {
                throw RecordsError.badDeclaration(
                    "a collection that is loaded has a name of the same number as \(bound.name)")
            }
            let places = derivation.places(of: bound)
            return Loaded(
                name: name, table: bound.recordsTable, bound: bound, places: places, batch: bound.makeBatch(for: places)
            )
        }
        guard 1...511 ~= name.utf8.count, !name.utf8.contains(0), !reservedNames.contains(name) else {
            throw RecordsError.badDeclaration("a collection that is loaded has a name that none can have")
        }
        try filler.settle()
        guard let table = try draft.openTables([name]).first else { throw KeyValueError.tableMissing(name: name) }
        return Loaded(name: name, table: ChecksummedTable(table), bound: nil, places: [])
    }

    private func endCollection() throws {
        guard var loaded = current else { return }
        current = nil
        try startDeriving(for: &loaded)
        finished[Checksum.collectionNumber(of: loaded.name)] = loaded
    }

    /// Derives entries from the records of a batch while the next one is filled.
    private func startDeriving(for loaded: inout Loaded) throws {
        guard let bound = loaded.bound, let batch = loaded.batch, batch.count > 0 else { return }
        loaded.batch = bound.makeBatch(for: loaded.places)
        try derivation.add(batch)
        try derivation.writeCounts(to: draft, beside: filler, isEnd: false)
    }

    // MARK: The end

    /// - Parameter hasChanges: whether the change log has rows already.
    private func writeNotes(hasChanges: Bool) throws {
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
                for table in derived { try table.noteBuilt(in: meta, transaction) }
                guard !derived.isEmpty else { continue }
                let kept = Meta.encodeKept(derived.map(\.table))
                try meta.put(Meta.keptKey(collection.number), kept, in: transaction)
            }
            for (number, layout) in schema.storedLayouts {
                try meta.put(Meta.declaredKey(number), layout, in: transaction)
            }
            for (key, value) in carried?.notes.carried(isWhole: hasAllCarried) ?? [] {
                try meta.put(key, value, in: transaction)
            }
            // There is nothing to undo, and the sequence numbers of the source store are not used again.
            if hasChanges { return }
            try ChangeLog(schema: schema).append(row, as: sequence + 1, in: transaction)
        }
    }

    /// Checks the same as `verify` in one walk over each table, since the expected contents are known.
    private func check() throws {
        // Reading the pages, and walking the tables, side by side.
        let pages = draft.startPageCheck()
        defer { _ = pages.wait() }
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
        if let problem = try pages.wait().get().all.first { throw damaged(problem) }
    }

    private func damaged(_ detail: String) -> KeyValueError {
        .damaged(path: path, detail: detail)
    }
}
