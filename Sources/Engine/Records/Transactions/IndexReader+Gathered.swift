import KeyValue

/// Ranges of an index some of whose entries wait to be put into it: see `PendingListRow`.
extension IndexReader {
    /// The entries of a range that wait, in order. Cost: a step for each row.
    func gatheredEntries(of range: KeyRange) throws -> [KeyBytes] {
        try gatheredEntries { range.mayHave(entryBeginningWith: $0) }
            .filter { range.isAtOrAfterLower($0.bytes) && range.isBeforeUpper($0.bytes) }
    }

    /// The entries that wait and whose keys fulfill a condition, in order.
    func gatheredEntries(where isIncluded: (RawSpan) -> Bool) throws -> [KeyBytes] {
        let part = try transaction.schema.collection(of: R.self).bound(index)
        guard part.gathered != nil else {
            try checkThatNoneWait(for: part)
            return []
        }
        var entries: [KeyBytes] = []
        try transaction.withEngine { engine in
            try part.forEachGatheredEntry(in: engine, where: isIncluded) { entries.append($0) }
        }
        entries.sort { $0.bytes.precedes($1.bytes) }
        return entries
    }

    /// Refuses to leave out what waits in a table that was not there when the store was opened for reading: another process has
    /// made it since. Cost: a look-up.
    private func checkThatNoneWait(for part: BoundPart) throws {
        guard part.isGathered else { return }
        let version = try transaction.withEngine { engine in
            try transaction.schema.meta.get(Meta.builtKey(part.table.name), in: engine) { value, _ in
                Meta.decodeNumber(value)
            }
        }
        guard let version, version & PendingListRow.versionFlag != 0 else { return }
        throw RecordsError.engine(.tableMissing(name: PendingListRow.tableName(of: part.table.name)))
    }

    /// Passes the entries at their places and those that wait to a closure, in order or backwards, until it returns false.
    func forEachEntry(
        of range: KeyRange, and waiting: [KeyBytes], backwards: Bool, _ body: (RawSpan) throws -> Bool
    ) throws {
        var next = backwards ? waiting.count - 1 : 0
        var isStopped = false
        func passWaiting(before key: RawSpan?) throws -> Bool {
            while waiting.indices.contains(next) {
                let entry = waiting[next]
                if let key, backwards ? !key.precedes(entry.bytes) : !entry.bytes.precedes(key) { return true }
                next += backwards ? -1 : 1
                isStopped = try !body(entry.bytes)
                if isStopped { return false }
            }
            return true
        }
        try forEachPlacedEntry(of: range, backwards: backwards) { entry in
            guard try passWaiting(before: entry) else { return false }
            isStopped = try !body(entry)
            return !isStopped
        }
        if !isStopped { _ = try passWaiting(before: nil) }
    }

    /// As `readStored`, with entries that wait.
    func readGathered(
        _ waiting: [KeyBytes], _ range: KeyRange, backwards: Bool, isOneKeyEach: Bool, into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        let collection = try transaction.schema.collection(of: R.self)
        let table = try collection.bound(index).table
        try transaction.withEngine { engine in
            try engine.withCursor(over: collection.records.table) { cursor in
                try forEachEntry(of: range, and: waiting, backwards: backwards) { entry in
                    let id = entry.extracting(last: R.ID.width)
                    let hash = try collection.append(id, from: &cursor, to: &records)
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
