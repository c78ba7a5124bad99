import CivilTime
import Injection
import KeyValue

extension WriteTransaction {
    /// Applies the rules of references and unique indexes, and writes the roll-ups, the tallies, the counts and the change
    /// log's row. Returns the row's sequence number, 0 when there is none.
    func finish() throws -> UInt64 {
        try applyDeletionRules(restricting: true)
        pending.settle()
        try followChanges(pending.entries)
        let needsRow = lastSequenceBeforeRepair != nil || hasNewProblems
        guard !pending.isNothing || needsRow else { return 0 }
        try checkNamedTargets()
        try checkUniqueKeys()
        try writeRollUps()
        try writeTallies()
        for (collection, change) in pending.counts.sorted(by: { $0.key < $1.key }) where change != .none {
            let key = Meta.countKey(collection)
            var count = try withEngine { engine in
                try schema.meta.get(key, in: engine) { value, _ in RecordCount(value) } ?? .none
            }
            count += change
            try withWriter { _ = try schema.meta.put(key, count.encoded, in: $0) }
        }
        // Rows were written already when the operation was a large one; what is left of it may be nothing.
        guard !pending.entries.isEmpty || needsRow else {
            return try operationStart == nil ? 0 : withEngine { try ChangeLog(schema: schema).lastSequence(in: $0) }
        }
        return try appendRow(pending.entries)
    }

    private func writeTallies() throws {
        let changes = pending.tallies.sorted { $0.key < $1.key }
        guard !changes.isEmpty else { return }
        for (name, shares) in changes {
            guard let table = schema.derivedTables[name] else { throw RecordsError.unknownCollection(name: name) }
            let shares = shares.filter { !$0.value.isZero }.sorted { $0.key.bytes.precedes($1.key.bytes) }
            if let postponed, postponed.takes(.tallyInSecondTransaction) {
                postponed.add { try Self.add(shares, to: table, engine: $0) }
            } else {
                try withWriter { try Self.add(shares, to: table, engine: $0) }
            }
        }
    }

    private static func add(
        _ shares: [(key: KeyBytes, value: TallyValue)], to table: ChecksummedTable,
        engine: borrowing RawWriteTransaction
    ) throws {
        for (key, change) in shares {
            var row = try TallyValue.stored(under: key, in: table, engine.reads)
            row += change
            // A record that is removed was counted before; only damage makes the count negative.
            guard row.count >= 0 else { throw table.damage(key.bytes) }
            if row.isZero {
                try engine.delete(key.bytes, in: table.table)
            } else {
                try table.put(key, row.encoded, in: engine)
            }
        }
    }

    private func writeRollUps() throws {
        let cells = pending.cells.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        if cells.isEmpty { return }
        let tables = schema.derivedTables
        if let postponed, postponed.takes(.rollUpInSecondTransaction) {
            postponed.add { try Self.writeRollUps(cells, in: tables, engine: $0) }
        } else {
            try withWriter { try Self.writeRollUps(cells, in: tables, engine: $0) }
        }
    }

    /// Takes changes of cells in the order of their rows, so that each row is written once.
    private static func writeRollUps(
        _ cells: [(key: PendingChanges.Cell, value: Int)], in tables: [String: ChecksummedTable],
        engine: borrowing RawWriteTransaction
    ) throws {
        var position = 0
        while position < cells.count {
            let first = cells[position].key
            guard let table = tables[first.table] else { throw RecordsError.unknownCollection(name: first.table) }
            let key = first.day.keyBytes
            var row = try table.get(key, in: engine.reads) { value, _ in RollUpRow(decoding: value) } ?? RollUpRow()
            while position < cells.count, cells[position].key.table == first.table, cells[position].key.day == first.day
            {
                guard row.add(cells[position].value, toQuarter: cells[position].key.quarter) else {
                    throw RecordsError.damagedEntry(table: table.name, key: key.hexadecimal)
                }
                position += 1
            }
            if row.quarters.isEmpty {
                try engine.delete(key.bytes, in: table.table)
            } else {
                try table.put(key, row.encoded(for: key, in: table), in: engine)
            }
        }
    }

    /// Writes a row of the change log with some of the transaction's changes. Returns its sequence number.
    @discardableResult
    func appendRow(_ entries: [ChangeRow.Entry]) throws -> UInt64 {
        let log = ChangeLog(schema: schema)
        // A damaged row ends the history for undo; it does not stop writing.
        let last = try? lastRow()
        let sequence = try nextSequence(after: last?.sequence)
        let row = ChangeRow(
            instant: context.clock.wall, kind: restoration?.kind ?? .edit, label: label,
            history: history(of: sequence, after: last?.row), entries: entries)
        operationStart = row.history.operationStart
        try withWriter { engine in
            try log.append(row, as: sequence, in: engine)
            // Only every 64th change trims: doing so each time would cost every write a page at the log's other end.
            if sequence % 64 == 0 {
                try log.trim(retention, now: row.instant, keepingFrom: oldestNeeded, in: engine)
            }
            if schema.injectionPoint(.trimsLogTooEarly) { try log.removeAll(before: sequence, in: engine) }
        }
        return sequence
    }

    /// The number of the next row.
    func nextSequence(after last: UInt64? = nil) throws -> UInt64 {
        let before = try last ?? withEngine { try ChangeLog(schema: schema).lastSequence(in: $0) }
        // No store has had so many changes: the key of the last row is damaged, and the numbers must not run out.
        guard before < 1 << 62 else { throw schema.changes.damage(before.keyBytes.bytes) }
        return max(before, lastSequenceBeforeRepair ?? 0) + 1
    }

    /// The links of a row: an operation may end with it, or go on with another row of this transaction.
    private func history(of sequence: UInt64, after last: ChangeRow?) -> ChangeRow.History {
        if var restoration {
            restoration.history.operationStart = operationStart ?? sequence
            // What was undone is redone from the last row of the undoing, and the other way around.
            if restoration.kind == .undo {
                restoration.history.redoTop = sequence
            } else {
                restoration.history.undoTop = sequence
            }
            return restoration.history
        }
        let isUndoable = label.origin.isUndoable
        return ChangeRow.History(
            ofEdit: sequence, after: last, continuing: operationStart ?? (isUndoable ? continuedOperation : nil),
            isUndoable: isUndoable)
    }
}

// MARK: Purge and repair

extension WriteTransaction {
    /// Removes every image of a record from the change log, and its bytes from the quarantine, so that nothing of its
    /// content is left. Cost: one step for each change in the log.
    ///
    /// - Returns: whether an earlier change or the quarantine had something of it.
    @discardableResult
    public func purgeHistory<R: Record>(of type: R.Type, id: R.ID) throws -> Bool {
        let number = try schema.collection(of: type).number
        let key = id.keyBytes
        let wasLogged = try purgeHistory(in: number) { $0 == key.array }
        let wasLost = try withWriter { try schema.quarantine?.remove(key, in: number, $0) ?? false }
        return wasLogged || wasLost
    }

    /// Removes every image of the record with these bytes as its key.
    package func purgeHistory(ofKey key: [UInt8], in collection: UInt32) throws {
        try purgeHistory(in: collection) { $0 == key }
        try withWriter { _ = try schema.quarantine?.remove(KeyBytes(key), in: collection, $0) }
    }

    /// Removes the images of all records of a type whose ids match from the change log: of those that belong to a record that
    /// is purged. Cost: one step for each change in the log.
    public func purgeHistory<R: Record>(of type: R.Type, where isPurged: (R.ID) -> Bool) throws {
        try purgeHistory(in: schema.collection(of: type).number) { key in
            var decoder = KeyDecoder(key.span.bytes)
            return try isPurged(R.ID(decoding: &decoder))
        }
    }

    /// The ids of the records of a type of which an image in the change log matches. A record whose creation was undone, or
    /// that was moved elsewhere since, has left the indexes, and is found by its images alone: ask for those that belong to
    /// a record before that one is purged. Cost: one step for each change in the log, and decoding the type's images.
    public func loggedIDs<R: Record>(of type: R.Type, where isMatch: (R) -> Bool) throws -> Set<R.ID>
    where R.ID: Hashable {
        let collection = try schema.collection(of: type)
        var ids: Set<R.ID> = []
        try withEngine { engine in
            try ChangeLog(schema: schema).forEach(after: 0, in: engine) { _, row in
                for entry in row.entries where entry.collection == collection.number {
                    guard let image = entry.image else { continue }
                    let record = try collection.decode(entry.key.span.bytes, image.span.bytes)
                    if isMatch(record) { ids.insert(record.id) }
                }
                return true
            }
        }
        return ids
    }

    /// Returns whether an earlier change had an image.
    @discardableResult
    private func purgeHistory(in collection: UInt32, where isPurged: ([UInt8]) throws -> Bool) throws -> Bool {
        for entry in pending.entries where entry.collection == collection {
            guard try isPurged(entry.key) else { continue }
            pending.purge(PendingChanges.RecordKey(collection: collection, key: entry.key))
        }
        let log = ChangeLog(schema: schema)
        var rewritten: [(sequence: UInt64, row: ChangeRow)] = []
        var hadImages = false
        try withEngine { engine in
            try log.forEach(after: 0, in: engine) { sequence, row in
                var shorter = row
                try shorter.entries.removeAll { entry in
                    guard try entry.collection == collection && isPurged(entry.key) else { return false }
                    hadImages = hadImages || entry.image != nil
                    return true
                }
                if shorter.entries.count < row.entries.count { rewritten.append((sequence, shorter)) }
                return true
            }
        }
        try withWriter { engine in
            for (sequence, row) in rewritten { try log.append(row, as: sequence, in: engine) }
        }
        return hadImages
    }

    /// Removes rows from the change log that are damaged or contradict the records as this transaction leaves them, and
    /// all rows before them, since no row in between may be missing. Returns how many rows that were. The log continues
    /// with a row of this transaction, so that sequence numbers ascend and feeds notice.
    func repairChangeLog(as before: borrowing RawReadTransaction) throws -> Int {
        var salvaged = try ChangeLog(schema: schema).salvagedRows(in: before)
        salvaged.trails.follow(pending.entries, of: .max)
        try withEngine { try salvaged.trails.compareWithRecords(of: schema, in: $0) }
        if let last = salvaged.trails.contradicted.max() { salvaged.drop(through: last) }
        let hasRecords = try schema.collections.contains {
            try before.entryCount(of: $0.recordsTable.table) > 0
        }
        guard salvaged.isDamaged || salvaged.rows.isEmpty && hasRecords else { return 0 }
        try withWriter { engine in
            try engine.removeAll(in: schema.changes.table)
            for (sequence, value) in salvaged.rows {
                try schema.changes.put(sequence.keyBytes, value, in: engine)
            }
        }
        lastSequenceBeforeRepair = salvaged.last
        return salvaged.rowsLost
    }
}
