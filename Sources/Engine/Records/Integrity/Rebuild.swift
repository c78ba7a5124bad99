import KeyValue

extension RecordStore {
    /// Derives every index, roll-up and count again from the records, in one transaction.
    ///
    /// Damaged records are moved to the quarantine, so that everything else works again; what is damaged in the
    /// change log, or contradicts the records, is removed with all rows before it. The report lists what must be restored from a backup.
    ///
    /// - Throws: `RecordsError`: `damaged` when the result has problems, as when LMDB's own pages are damaged in a bad place.
    ///   Nothing was changed then.
    @discardableResult
    public func rebuild() async throws -> RebuildReport {
        try await write(reclaims: true) { try self.rebuild(in: $0) }
    }

    /// Rebuilds on the calling thread, for programs that do not use concurrency.
    @discardableResult
    public func rebuild() throws -> RebuildReport {
        try write(reclaims: true) { try rebuild(in: $0) }
    }

    private func rebuild(in transaction: WriteTransaction) throws -> RebuildReport {
        // Emptying a table frees its pages, and a wrong page number would free a page of another table. A page of records stays
        // as it is, so what is wrong with it would stay.
        let problems = try environment.pageProblems()
        if let problem = (problems.ofOwnership + problems.local).first { throw unrepairable(problem) }
        let before = try environment.beginRead()
        let report = try Rebuild(schema: schema).repairAll(of: self, as: before, in: transaction)
        // Pages that LMDB considers free may belong to another table, so the result is checked before it is committed.
        var audit = Audit(of: schema, checksInvariants: false)
        try transaction.withEngine { try verifyRecords(into: &audit, in: $0) }
        if let problem = audit.report.problems.first {
            throw unrepairable(problem)
        }
        return report
    }

    private func unrepairable(_ problem: String) -> RecordsError {
        .engine(.damaged(path: path, detail: "rebuild cannot repair it: \(problem); export into a new store"))
    }

    /// A transaction outside the writer's thread, for the work of opening.
    func maintenanceTransaction(_ engine: consuming RawWriteTransaction) -> WriteTransaction {
        WriteTransaction(
            schema: schema, context: context, identifiers: identifiers, label: ChangeLabel(), retention: retention,
            oldestNeeded: 0, continuing: nil, engine: engine)
    }
}

/// The result of a rebuild, with what it could not repair.
public struct RebuildReport: Sendable, Equatable {
    /// How many index entries and counters were written.
    public internal(set) var entriesWritten = 0
    /// The damaged records, as "collection key". They are in quarantine; only a backup can bring them back.
    public internal(set) var quarantinedRecords: [String] = []
    /// How many records are missing entirely, by collection: they were counted, and no bytes of them are left. Only a
    /// backup can bring them back.
    public internal(set) var missingRecords: [String: Int] = [:]
    /// The collections whose records are all readable but outdated: an older page is in the place of a newer one.
    public internal(set) var outdatedCollections: [String] = []
    /// How many rows of the change log were removed: the damaged ones and those before them. Their changes can no
    /// longer be undone; no record is lost by it.
    public internal(set) var changesRemoved = 0

    /// Whether every record is there as it was written last.
    public var isComplete: Bool { quarantinedRecords.isEmpty && missingRecords.isEmpty && outdatedCollections.isEmpty }
}

/// Derives indexes, roll-ups and counts again from the records.
struct Rebuild {
    let schema: BoundSchema

    /// Empties and fills the given tables, and notes the version that they were built by. Records that cannot be read
    /// have no entries then. Only collections that have one of the tables are read.
    func derive(_ tables: Set<String>, in transaction: WriteTransaction) throws {
        guard !tables.isEmpty else { return }
        for derived in schema.collections.flatMap(\.derivedTables) where tables.contains(derived.table.name) {
            try transaction.withWriter { engine in
                for table in derived.tables { try engine.removeAll(in: table.table) }
                try derived.noteBuilt(in: schema.meta, engine)
            }
        }
        for collection in schema.collections
        where collection.derivedTables.contains(where: { tables.contains($0.table.name) }) {
            try collection.derive(into: tables, in: transaction)
        }
    }

    /// Repairs everything that can be repaired.
    ///
    /// Reads through `before`, a read transaction of the moment when the writing began: there a damaged length cannot
    /// reach beyond its page (`PageMap`).
    func repairAll(
        of store: RecordStore, as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> RebuildReport {
        var report = RebuildReport()
        try removeRecovered(as: before, in: transaction)
        try SchemaMigration(store: store).repairMeta(as: before, in: transaction)
        for collection in schema.collections {
            let counted = try storedCount(of: collection, in: before)
            let (keys, left) = try collection.quarantineDamaged(as: before, in: transaction)
            for key in keys {
                let isPresent = try transaction.withEngine {
                    try $0.contains(key.bytes, in: collection.recordsTable.table)
                }
                transaction.pending.noteQuarantine(
                    of: .init(collection: collection.number, key: key.array), isPresent: isPresent)
                report.quarantinedRecords.append("\(collection.name) \(key.hexadecimal)")
            }
            if let counted {
                let missing = Int(counted.count - left.count) - keys.count
                if missing > 0 { report.missingRecords[collection.name] = missing }
                if missing <= 0, keys.isEmpty, counted != left { report.outdatedCollections.append(collection.name) }
            }
            try transaction.withWriter { engine in
                _ = try schema.meta.put(Meta.countKey(collection.number), left.encoded, in: engine)
            }
        }
        report.changesRemoved = try transaction.repairChangeLog(as: before)
        try derive(Set(schema.collections.flatMap(\.derivedTables).map(\.table.name)), in: transaction)
        report.entriesWritten = transaction.counters.puts
        return report
    }

    /// Nil when the count itself is damaged, so that the former number of records is unknown.
    private func storedCount(
        of collection: any StoredCollection, in engine: borrowing RawReadTransaction
    ) throws -> RecordCount? {
        do {
            let key = Meta.countKey(collection.number)
            return try schema.meta.get(key, in: engine) { value, _ in RecordCount(value) } ?? RecordCount()
        } catch RecordsError.damagedEntry {
            return nil
        }
    }

    /// Removes entries of an earlier rebuild from the quarantine when their record exists again, from a backup or by
    /// undo, and entries that were damaged a second time.
    private func removeRecovered(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws {
        guard let quarantine = schema.quarantine else { return }
        var kept: [(key: KeyBytes, value: [UInt8])] = []
        let walked = try quarantine.table.walk(searching: true, in: before) { key, checksummed, state in
            guard state.isValid, try !isBack(key, in: before) else { return }
            kept.append(
                (
                    KeyBytes(copying: key),
                    try quarantine.table.open(key: key, checksummed: checksummed) { value, _ in value.copied }
                ))
        }
        let counted = try before.entryCount(of: quarantine.table.table)
        if walked == kept.count, walked == counted { return }
        try transaction.withWriter { engine in
            try engine.removeAll(in: quarantine.table.table)
            for (key, value) in kept { try quarantine.table.put(key, value, in: engine) }
        }
    }

    /// Whether a record in quarantine exists again.
    private func isBack(_ key: RawSpan, in engine: borrowing RawReadTransaction) throws -> Bool {
        for collection in schema.collections {
            guard let id = Quarantine.recordKey(of: key, in: collection.number), id.count > 0 else { continue }
            let table = collection.recordsTable
            return try engine.get(id.bytes, in: table.table) { table.hasValidChecksum(key: id.bytes, checksummed: $0) }
                ?? false
        }
        return false
    }
}
