import KeyValue

/// Ranges of an index in a transaction that shows records in place of stored ones: those that a session has written.
extension IndexReader {
    /// As `readStored`, with the transaction's edits at their places.
    func readMerged(
        _ range: KeyRange, backwards: Bool, into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        let collection = try transaction.schema.collection(of: R.self)
        let edits = transaction.overlay[collection.number]
        var shown: [R] = []
        var hashes: [UInt64] = []
        var merge = try merge(edits, in: range, backwards: backwards, collection, records: &shown, hashes: &hashes)
        var isStopped = false
        func passEdits(before key: KeyBytes?) throws -> Bool {
            while let (entry, place) = merge.next(before: key) {
                guard isFirst(entry.bytes, of: shown[place], in: range, backwards: backwards) else { continue }
                records.append(shown[place])
                isStopped = try !shouldContinue(&records, entry.bytes, hashes[place])
                if isStopped { return false }
            }
            return true
        }
        var stored: [R] = []
        try readStored(range, backwards: backwards, into: &stored) { stored, entry, hash in
            let record = stored.removeLast()
            guard try passEdits(before: KeyBytes(copying: entry)) else { return false }
            if edits[record.id.keyBytes] != nil { return true }
            records.append(record)
            isStopped = try !shouldContinue(&records, entry, hash)
            return !isStopped
        }
        if !isStopped { _ = try passEdits(before: nil) }
    }

    /// As `forEachStoredEntry`, with the entries of the transaction's edits at their places.
    func forEachMergedEntry(of range: KeyRange, backwards: Bool, _ body: (RawSpan) throws -> Bool) throws {
        let collection = try transaction.schema.collection(of: R.self)
        let edits = transaction.overlay[collection.number]
        var (records, hashes): ([R], [UInt64]) = ([], [])
        var merge = try merge(edits, in: range, backwards: backwards, collection, records: &records, hashes: &hashes)
        var isStopped = false
        func passEdits(before key: KeyBytes?) throws -> Bool {
            while let (entry, _) = merge.next(before: key) {
                isStopped = try !body(entry.bytes)
                if isStopped { return false }
            }
            return true
        }
        try forEachStoredEntry(of: range, backwards: backwards) { entry in
            guard try passEdits(before: KeyBytes(copying: entry)) else { return false }
            if edits[KeyBytes(copying: entry.extracting(last: R.ID.width))] != nil { return true }
            isStopped = try !body(entry)
            return !isStopped
        }
        if !isStopped { _ = try passEdits(before: nil) }
    }

    /// The entries in a range of the records that the transaction shows in place of stored ones.
    private func merge(
        _ edits: [KeyBytes: RecordOverlay.Edit], in range: KeyRange, backwards: Bool, _ collection: BoundCollection<R>,
        records: inout [R], hashes: inout [UInt64]
    ) throws -> OverlayMerge {
        var found: [(entry: KeyBytes, place: Int)] = []
        for (id, edit) in edits {
            guard let bytes = edit.bytes else { continue }
            let record = try collection.decode(id.bytes, bytes.span.bytes)
            var entries: Set<KeyBytes> = []
            for key in index.keys(of: record) {
                var entry = key.keyBytes
                entry.append(contentsOf: id)
                if range.isAtOrAfterLower(entry.bytes), range.isBeforeUpper(entry.bytes) { entries.insert(entry) }
            }
            found += entries.map { ($0, records.count) }
            records.append(record)
            hashes.append(edit.hash)
        }
        return OverlayMerge(found, backwards: backwards)
    }
}
