import CivilTime
import Injection
import KeyValue

/// Takes the records of a bulk load, in any order. Obtained from `bulkLoad`, and usable only inside its closure.
public final class BulkLoader {
    /// The records of one collection.
    private struct Part {
        let records: SortedEntries
        /// Those of which nothing is derived yet.
        var batch: any RecordBatch
    }

    private let store: RecordStore
    private let replacement: DataFileReplacement
    /// The schema with the tables of the new file.
    private let schema: BoundSchema
    private var derivation: Derivation
    private var parts: [UInt32: Part] = [:]
    private var count = 0
    private var isOpen = true
    /// The error that ended the loading.
    private var failure: (any Error)?
    private let limits: BulkLoadLimits
    private let memory: EntryMemory

    /// Records between two checks whether others have written to the store.
    private static let recordsBetweenChecks = 4096

    init(_ store: RecordStore, limits: BulkLoadLimits) throws {
        let kept: Set<String> = [Meta.tableName, ChangeLog.tableName, Quarantine.tableName]
        let replacement = try store.environment.beginReplacement { table, count in
            count == 0 || kept.contains(table.name)
        }
        guard let replacement else { throw RecordsError.notEmpty }
        let tables = try replacement.draft.openTables(store.declaredSchema.tableNames)
        let named = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.store = store
        self.replacement = replacement
        self.limits = limits
        memory = EntryMemory(byteLimit: limits.records)
        schema = try BoundSchema(store.declaredSchema, tables: named)
        derivation = Derivation(schema.collections, in: replacement.draft.path, byteLimit: limits.derived)
    }

    /// Adds a record. Its id must be new, which the end of the load checks, as it does unique keys and references.
    ///
    /// - Throws: `notEmpty` when something else was written to the store meanwhile, `unknownCollection`.
    public func insert<R: Record>(_ record: R) throws {
        guard isOpen else { throw RecordsError.transactionEnded }
        let collection = try schema.collection(of: R.self)
        var encoder = FieldEncoder()
        record.encode(into: &encoder)
        encoder.finish()
        let key = record.id.keyBytes
        try perform {
            var part = parts.removeValue(forKey: collection.number) ?? makePart(for: collection)
            guard let batch = part.batch as? BatchOfRecords<R> else {
                throw RecordsError.unknownCollection(name: collection.name)
            }
            try memory.add(key.bytes, encoder.bytes.span.bytes, to: part.records)
            batch.append(record, key, byteCount: encoder.bytes.count)
            if part.batch.isFull { try startDeriving(for: &part, of: collection) }
            parts[collection.number] = part
        }
        count += 1
        if count % Self.recordsBetweenChecks == 0 { try checkIsCurrent() }
    }

    /// A write of others to the store ends the load, whose result could not replace it.
    private func checkIsCurrent() throws {
        if store.environment.isOutdated(replacement) { throw RecordsError.notEmpty }
    }

    /// Runs a part of the loading. After an error, every part throws it again: half a record must not pass for one.
    private func perform(_ body: () throws -> Void) throws {
        if let failure { throw failure }
        do {
            try rethrowing(body)
        } catch {
            failure = error
            throw error
        }
    }

    private func makePart(for collection: any StoredCollection) -> Part {
        Part(
            records: memory.makeEntries(in: replacement.draft.path),
            batch: collection.makeBatch(for: derivation.places(of: collection)))
    }

    /// Derives entries from the records of a batch while the next one is filled.
    private func startDeriving(for part: inout Part, of collection: any StoredCollection) throws {
        let full = part.batch
        part.batch = collection.makeBatch(for: derivation.places(of: collection))
        try derivation.add(full)
        try derivation.writeCounts(to: replacement.draft, beside: nil, isEnd: false)
    }

    /// Refuses further records.
    func end() {
        isOpen = false
    }

    // MARK: The end

    /// Writes everything into the new file, checks it, and puts it into the store's place. Returns the number of the last
    /// change, 0 when there is none.
    func finish(_ label: ChangeLabel, _ check: (ReadTransaction) throws -> Void) throws -> UInt64 {
        end()
        if let failure { throw failure }
        guard count > 0 else { return 0 }
        let draft = replacement.draft
        let (now, log) = (store.context.clock.wall, ChangeLog(schema: schema))
        let (retention, needed) = (store.retention, store.feeds.oldestNeeded)
        let filler = TableFiller(draft, byteLimit: limits.transaction, looking: checkIsCurrent)
        var changes = try LoadedChanges(
            schema, in: draft, by: filler, label: label, now: now,
            trim: { try log.trim(retention, now: now, keepingFrom: needed, in: $0) })
        var loaded: [(collection: any StoredCollection, count: RecordCount)] = []
        for collection in schema.collections {
            guard var part = parts.removeValue(forKey: collection.number) else { continue }
            if part.batch.count > 0 { try startDeriving(for: &part, of: collection) }
            loaded.append((collection, try write(part.records, of: collection, by: filler, noting: &changes)))
        }
        try changes.finish()
        try derivation.writeIndexes(by: filler, checksRules: true)
        try filler.flush()
        try derivation.writeCounts(to: draft, beside: filler, isEnd: true)
        try draft.write { transaction in
            for (collection, count) in loaded {
                try schema.meta.put(Meta.countKey(collection.number), count.encoded, in: transaction)
            }
        }
        try verify(loaded, check)
        guard try store.environment.exchange(for: replacement) else { throw RecordsError.notEmpty }
        return changes.sequence
    }

    /// Writes the records of a collection in the order of their ids. Returns their count and digest.
    private func write(
        _ records: SortedEntries, of collection: any StoredCollection, by filler: TableFiller,
        noting changes: inout LoadedChanges
    ) throws -> RecordCount {
        let table = collection.recordsTable
        var count = RecordCount()
        var last = KeyBytes()
        try records.drain { key, value in
            guard last.bytes.precedes(key) else {
                throw RecordsError.duplicate(collection: collection.name, key: last.hexadecimal)
            }
            last = KeyBytes(copying: key)
            let hash = table.hash(key: key, value: value)
            try filler.append(key, value, checksum: UInt32(truncatingIfNeeded: hash), to: table.table)
            count += RecordCount(count: 1, digest: hash)
            if collection.isTracked { try changes.add(key, value, in: collection.number) }
        }
        return count
    }

    /// Checks what was written, as `verify` does, then what records name, then what the caller wants to be checked.
    private func verify(
        _ loaded: [(collection: any StoredCollection, count: RecordCount)], _ check: (ReadTransaction) throws -> Void
    ) throws {
        let draft = replacement.draft
        let wrong: String? = try draft.read { engine in
            for (collection, count) in loaded
            where try collection.recordsTable.checkedCount(in: engine, { _, _ in }) != count {
                return collection.name
            }
            if let missing = try missingTarget(in: engine) {
                throw RecordsError.missingTarget(reference: missing)
            }
            return try derivation.firstWrongTable(in: engine)
        }
        if let wrong { throw KeyValueError.damaged(path: store.path, detail: "\(wrong): not what was written") }
        let transaction = ReadTransaction(schema: schema, context: store.context, engine: try draft.beginRead())
        defer { transaction.end() }
        try check(transaction)
    }

    /// The first reference by which a record names one that is not there.
    private func missingTarget(in engine: borrowing RawReadTransaction) throws -> String? {
        for referrer in schema.referrers.values.joined() {
            guard let target = schema.collection(number: referrer.target) else { continue }
            var last = KeyBytes()
            let areThere = try referrer.index.table.forEachEntry(in: engine) { entry, _ in
                let named = entry.extracting(first: entry.byteCount - referrer.index.idWidth)
                if named.isEqual(to: last.bytes) { return true }
                last = KeyBytes(copying: named)
                return try engine.contains(named, in: target.recordsTable.table)
            }
            if !areThere { return referrer.index.table.name }
        }
        return nil
    }
}

/// How many bytes a bulk load holds in memory; tests make them small.
struct BulkLoadLimits {
    /// Records of all collections.
    var records = 8 << 20
    /// Entries of all indexes, and counts.
    var derived = 12 << 20
    /// What one transaction of the new file writes.
    var transaction = 8 << 20
}

extension RecordStore {
    /// Inserts many records into a store that has none: far faster than a transaction, with bounded memory for any number
    /// of them.
    ///
    /// The records are sorted, and they, their indexes, counts and the change log are written to a new data file, which is
    /// checked, flushed and put into the store's place in one step. All records are there then, as one operation that undo
    /// takes back; after an error or a crash, none is. Others use the store in the meantime. At its end it waits for the
    /// read transactions of this process that are open.
    ///
    ///     try store.bulkLoad { loader in
    ///         for reading in readings { try loader.insert(reading) }
    ///     }
    ///
    /// - Parameters:
    ///   - label: the label in the change log.
    ///   - check: called with everything that was loaded, before anybody else can see it.
    ///   - body: inserts the records.
    /// - Returns: the number of the last change; 0 when there is none.
    /// - Throws: `notEmpty` when the store has records, another bulk load is going on, or anything was written in the
    ///   meantime: then use ordinary transactions. `duplicate`, `duplicateKey` and `missingTarget` for records that
    ///   contradict each other; what the closures throw.
    @discardableResult
    public func bulkLoad(
        _ label: ChangeLabel = ChangeLabel(), checking check: (ReadTransaction) throws -> Void = { _ in },
        _ body: (BulkLoader) throws -> Void
    ) throws -> UInt64 {
        try bulkLoad(label, limits: BulkLoadLimits(), checking: check, body)
    }

    func bulkLoad(
        _ label: ChangeLabel = ChangeLabel(), limits: BulkLoadLimits,
        checking check: (ReadTransaction) throws -> Void = { _ in }, _ body: (BulkLoader) throws -> Void
    ) throws -> UInt64 {
        guard !isReadOnly else { throw RecordsError.engine(.readOnly) }
        do {
            let loader = try BulkLoader(self, limits: limits)
            defer { loader.end() }
            try body(loader)
            return try loader.finish(label, check)
        } catch let error as KeyValueError {
            throw RecordsError.engine(error)
        }
    }
}
