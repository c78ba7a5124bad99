import KeyValue

/// Ranges of an index with pending entries: those of its pending list (`PendingListRow`), and those of the records that a session
/// has written.
extension IndexReader {
    /// Whether all entries are at their places in the index.
    var hasOnlyPlacedEntries: Bool { transaction.overlay.isEmpty && !index.hasPendingList }

    /// The pending entries of a range, in order. Cost: a step for each row of the pending list.
    func pendingEntries(of range: KeyRange) throws -> [KeyBytes] {
        try pendingEntries { range.mayHave(entryBeginningWith: $0) }.filter { range.contains($0.bytes) }
    }

    /// The pending entries whose keys fulfill a condition, in order.
    func pendingEntries(where isIncluded: (RawSpan) -> Bool) throws -> [KeyBytes] {
        let collection = try transaction.schema.collection(of: R.self)
        let part = try collection.bound(index)
        let edits = transaction.overlay[collection.number]
        var entries: [KeyBytes] = []
        try transaction.withEngine { engine in
            try part.checkPendingList(transaction.schema.meta, in: engine)
            try part.forEachPendingEntry(in: engine, where: isIncluded) { entry in
                if !edits.hidesEntry(entry.bytes, idWidth: part.idWidth) { entries.append(entry) }
            }
        }
        for (id, edit) in edits {
            guard let bytes = edit.bytes else { continue }
            let keys = index.keys(of: try collection.decode(id.bytes, bytes.span.bytes))
            for var entry in Set(KeyBytes.all(of: keys)) where isIncluded(entry.bytes) {
                entry.append(contentsOf: id)
                entries.append(entry)
            }
        }
        entries.sort()
        return entries
    }

    /// Passes the entries at their places and pending ones to a closure, in order or backwards, until it returns false.
    func forEachEntry(
        of range: KeyRange, and pending: [KeyBytes], backwards: Bool, _ body: (RawSpan) throws -> Bool
    ) throws {
        let edits = transaction.overlay[try transaction.schema.collection(of: R.self).number]
        var merged = MergedWalk(pending, backwards: backwards)
        var shouldContinue = true
        try forEachPlacedEntry(of: range, backwards: backwards) { entry in
            shouldContinue =
                try merged.pass(before: entry) { try body($0.bytes) }
                && (edits.hidesEntry(entry, idWidth: R.ID.width) || body(entry))
            return shouldContinue
        }
        if shouldContinue { _ = try merged.pass(before: nil) { try body($0.bytes) } }
    }

    /// As `readPlaced`, with pending entries.
    func readMerged(
        _ range: KeyRange, and pending: [KeyBytes], backwards: Bool, isOneKeyEach: Bool, into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        let collection = try transaction.schema.collection(of: R.self)
        let table = try collection.bound(index).table
        let edits = transaction.overlay[collection.number]
        try transaction.withEngine { engine in
            try engine.withCursor(over: collection.records.table) { cursor in
                try forEachEntry(of: range, and: pending, backwards: backwards) { entry in
                    let id = entry.extracting(last: R.ID.width)
                    let hash = try collection.append(id, from: &cursor, or: edits, to: &records)
                    guard let hash, let record = records.last else { throw table.damage(entry) }
                    guard isOneKeyEach || isFirst(entry, of: record, in: range, backwards: backwards) else {
                        records.removeLast()
                        return true
                    }
                    return try shouldContinue(&records, entry, hash)
                }
            }
        }
    }
}

extension BoundPart {
    /// Refuses to leave out what is pending in a table that was not there when the store was opened for reading: another process
    /// has made it since. Cost: a look-up, unless the table is there.
    fileprivate func checkPendingList(_ meta: ChecksummedTable, in engine: borrowing RawReadTransaction) throws {
        guard hasPendingList, pendingList == nil else { return }
        let version = try meta.get(Meta.builtKey(table.number), in: engine) { value, _ in Meta.decodeNumber(value) }
        guard let version, version & PendingListRow.versionFlag != 0 else { return }
        throw RecordsError.engine(.tableMissing(name: PendingListRow.tableName(of: table.name)))
    }
}

extension KeyRange {
    /// False only if no entry that begins with a key is in the range.
    fileprivate func mayHave(entryBeginningWith key: RawSpan) -> Bool {
        if let lower {
            let count = min(key.byteCount, lower.count)
            if key.extracting(first: count).precedes(lower.bytes.extracting(first: count)) { return false }
        }
        if let upper {
            let count = min(key.byteCount, upper.count)
            if upper.bytes.extracting(first: count).precedes(key.extracting(first: count)) { return false }
        }
        return true
    }
}
