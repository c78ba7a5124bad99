import KeyValue

/// Derives indexes, roll-ups and counts again from the records.
struct Rebuild {
    let schema: BoundSchema

    /// Empties and fills the given tables, and notes the version that they were built by. Records that cannot be read
    /// have no entries then. Only collections that have one of the tables are read.
    func derive(_ tables: Set<String>, in transaction: WriteTransaction) throws {
        guard !tables.isEmpty else { return }
        for derived in schema.collections.flatMap(\.derivedTables) where tables.contains(derived.table.name) {
            try transaction.withWriter { engine in
                try engine.removeAll(in: derived.table.table)
                try schema.meta.put(Meta.builtKey(derived.table.name), Meta.encode(derived.version), in: engine)
            }
        }
        for collection in schema.collections
        where collection.derivedTables.contains(where: { tables.contains($0.table.name) }) {
            try collection.derive(into: tables, in: transaction)
        }
    }

    /// Repairs everything that can be repaired. The order matters: the log before the records, whose loss it then tells;
    /// the records before what is derived from them.
    func repairAll(of store: Store, in transaction: WriteTransaction) throws -> RebuildReport {
        var report = RebuildReport()
        report.changesRemoved = try transaction.mendChanges()
        try forgetRecovered(in: transaction)
        for collection in schema.collections {
            let counted = try storedCount(of: collection, in: transaction)
            let (keys, left) = try collection.setDamagedAside(in: transaction)
            for key in keys {
                transaction.noteLoss(of: key, in: collection.number)
                report.recordsSetAside.append("\(collection.name) \(key.hexadecimal)")
            }
            if let counted {
                let missing = Int(counted.count - left.count) - keys.count
                if missing > 0 { report.missingRecords[collection.name] = missing }
                if missing == 0, keys.isEmpty, counted != left { report.outdatedCollections.append(collection.name) }
            }
            try transaction.withWriter { engine in
                _ = try schema.meta.put(Meta.countKey(collection.number), left.encoded, in: engine)
            }
        }
        try SchemaMigration(store: store).mendNotes(in: transaction)
        try derive(Set(schema.collections.flatMap(\.derivedTables).map(\.table.name)), in: transaction)
        report.entriesWritten = transaction.counters.puts
        return report
    }

    /// Nil when the count itself is damaged: then nobody knows how many records there were.
    private func storedCount(of collection: any StoredCollection, in transaction: WriteTransaction) throws
        -> RecordCount?
    {
        let key = Meta.countKey(collection.number)
        do {
            let stored = try transaction.withEngine { engine in
                try schema.meta.get(key, in: engine) { value, _ in RecordCount(value) }
            }
            return stored ?? RecordCount()
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// What was set aside by an earlier rebuild goes when its record is there again, from a backup or by undo; and so
    /// does what was damaged a second time.
    private func forgetRecovered(in transaction: WriteTransaction) throws {
        guard let lost = schema.lost else { return }
        var recovered: [KeyBytes] = []
        try transaction.withEngine { engine in
            _ = try lost.table.walk(searching: false, in: engine) { key, _, state in
                guard state.isSealed else { return recovered.append(KeyBytes(copying: key)) }
                for collection in schema.collections {
                    guard let id = LostRecords.recordKey(of: key, in: collection.number) else { continue }
                    let table = collection.recordsTable
                    let isBack = try engine.get(id.bytes, in: table.table) { table.isSealed(key: id.bytes, sealed: $0) }
                    if isBack == true { recovered.append(KeyBytes(copying: key)) }
                }
            }
        }
        try transaction.withWriter { engine in
            for key in recovered { try engine.delete(key.bytes, in: lost.table.table) }
        }
    }
}
