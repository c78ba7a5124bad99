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

    /// Repairs everything that can be repaired.
    ///
    /// What is there is read in `before`, a read transaction of the moment that the writing began at: there a length
    /// that is damaged does not lead beyond its page (`EntryBounds.swift`).
    func repairAll(
        of store: RecordStore, as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> RebuildReport {
        var report = RebuildReport()
        report.changesRemoved = try transaction.mendChanges(as: before)
        try forgetRecovered(as: before, in: transaction)
        try SchemaMigration(store: store).mendNotes(as: before, in: transaction)
        for collection in schema.collections {
            let counted = try storedCount(of: collection, in: before)
            let (keys, left) = try collection.setDamagedAside(as: before, in: transaction)
            for key in keys {
                transaction.noteLoss(of: key, in: collection.number)
                report.recordsSetAside.append("\(collection.name) \(key.hexadecimal)")
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
        try derive(Set(schema.collections.flatMap(\.derivedTables).map(\.table.name)), in: transaction)
        report.entriesWritten = transaction.counters.puts
        return report
    }

    /// Nil when the count itself is damaged: then nobody knows how many records there were.
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

    /// What was set aside by an earlier rebuild goes when its record is there again, from a backup or by undo; and so
    /// does what was damaged a second time.
    private func forgetRecovered(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws {
        guard let lost = schema.lost else { return }
        var kept: [(key: KeyBytes, value: [UInt8])] = []
        let walked = try lost.table.walk(searching: true, in: before) { key, sealed, state in
            guard state.isSound, try !isBack(key, in: before) else { return }
            kept.append(
                (KeyBytes(copying: key), try lost.table.open(key: key, sealed: sealed) { value, _ in value.copied }))
        }
        let counted = try before.entryCount(of: lost.table.table)
        if walked == kept.count, walked == counted { return }
        try transaction.withWriter { engine in
            try engine.removeAll(in: lost.table.table)
            for (key, value) in kept { try lost.table.put(key, value, in: engine) }
        }
    }

    /// Whether a record that was set aside is there again.
    private func isBack(_ key: RawSpan, in engine: borrowing RawReadTransaction) throws -> Bool {
        for collection in schema.collections {
            guard let id = LostRecords.recordKey(of: key, in: collection.number), id.count > 0 else { continue }
            let table = collection.recordsTable
            return try engine.get(id.bytes, in: table.table) { table.isSealed(key: id.bytes, sealed: $0) } ?? false
        }
        return false
    }
}
