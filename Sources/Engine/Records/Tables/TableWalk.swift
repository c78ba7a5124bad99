import KeyValue

/// The findings about one entry during a walk over a table.
struct EntryState {
    /// Whether its checksum matches its table, key and value.
    var hasValidChecksum: Bool
    /// Whether its key comes after the one before it.
    var isInOrder: Bool
    /// Whether a search for its key finds this entry; true when no search was made.
    var isFound: Bool

    var isValid: Bool { hasValidChecksum && isInOrder && isFound }
}

extension ChecksummedTable {
    /// Passes every entry, valid or not, to a closure in the order of the pages, and returns their number.
    ///
    /// A flipped bit in a branch page of LMDB's tree leaves entries that a cursor visits and no search finds, so with
    /// `searching` each key is also searched for from the root.
    func walk(
        searching: Bool, in engine: borrowing RawReadTransaction,
        _ body: (_ key: RawSpan, _ checksummed: RawSpan, EntryState) throws -> Void
    ) throws -> Int {
        var count = 0
        _ = try walk(after: nil, searching: searching, in: engine) { key, checksummed, state in
            count += 1
            try body(key, checksummed, state)
            return true
        }
        return count
    }

    /// Passes the entries behind a key to a closure until it returns false. Returns whether the end of the table was reached.
    func walk(
        after start: KeyBytes?, searching: Bool, in engine: borrowing RawReadTransaction,
        _ body: (_ key: RawSpan, _ checksummed: RawSpan, EntryState) throws -> Bool
    ) throws -> Bool {
        var previous = start ?? KeyBytes()
        return try engine.withCursor(over: table) { cursor in
            var isOnEntry = try start.map { try cursor.seek($0.bytes) } ?? cursor.moveToFirst()
            if isOnEntry, let start, try cursor.withEntry({ key, _ in key.isEqual(to: start.bytes) }) {
                isOnEntry = try cursor.moveToNext()
            }
            while isOnEntry {
                let shouldContinue = try cursor.withEntry { key, checksummed in
                    // Daybook's keys are never empty or longer than this, and LMDB refuses some such searches.
                    let isKey = 1...64 ~= key.byteCount
                    let state = EntryState(
                        hasValidChecksum: hasValidChecksum(key: key, checksummed: checksummed),
                        isInOrder: isKey && previous.bytes.precedes(key),
                        isFound: try !searching || isKey && searchFinds(key, checksummed, in: engine))
                    previous = KeyBytes(copying: key)
                    return try body(key, checksummed, state)
                }
                isOnEntry = try cursor.moveToNext()
                if !shouldContinue { return !isOnEntry }
            }
            return true
        }
    }

    /// Whether a search finds an entry of the walk. A damaged node that the search comes across hides it.
    private func searchFinds(
        _ key: RawSpan, _ checksummed: RawSpan, in engine: borrowing RawReadTransaction
    ) throws -> Bool {
        do {
            return try engine.get(key, in: table) { $0.isEqual(to: checksummed) } ?? false
        } catch KeyValueError.damaged {
            return false
        }
    }

    /// Whether a stored value ends in the right checksum for its key.
    func hasValidChecksum(key: RawSpan, checksummed: RawSpan) -> Bool {
        let count = checksummed.byteCount - Checksum.byteCount
        guard count >= 0 else { return false }
        return isChecksum(checksummed.littleEndian(at: count), of: checksummed.extracting(0..<count), for: key)
    }
}

extension ChecksummedTable {
    /// Checks the table in one walk: every checksum, the order of the keys, whether a search finds each entry, and the
    /// number of entries in the table's head.
    ///
    /// Searches only for the first and last entry of each page. Within a page the order of the keys implies that a
    /// search finds the entries between them; above it, two keys that lead to the same page take the same path through
    /// the tree, and so do all keys between them.
    ///
    /// - Returns: the number of entries and the sum of their hashes; nil when something is wrong.
    func checkedCount(
        in engine: borrowing RawReadTransaction, _ body: (_ key: RawSpan, _ checksummed: RawSpan) throws -> Void
    ) throws -> RecordCount? {
        var count = RecordCount()
        var previous: (key: KeyBytes, place: EntryPlace)?
        var passed = PassedPages(of: engine)
        let isIntact = try engine.withCursor(over: table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                let place = cursor.place
                let key = try cursor.withEntry { key, checksummed -> KeyBytes? in
                    guard 1...64 ~= key.byteCount, let hash = hash(key: key, checksummed: checksummed) else {
                        return nil
                    }
                    count += RecordCount(count: 1, digest: hash)
                    try body(key, checksummed)
                    return KeyBytes(copying: key)
                }
                guard let key else { return false }
                if let previous {
                    guard previous.key.bytes.precedes(key.bytes) else { return false }
                    if !previous.place.isOnPage(of: place) {
                        guard try engine.finds(previous.key.bytes, at: previous.place, in: table),
                            try engine.finds(key.bytes, at: place, in: table)
                        else { return false }
                    }
                } else if try !engine.finds(key.bytes, at: place, in: table) {
                    return false
                }
                previous = (key, place)
                passed.note(place)
                isOnEntry = try cursor.moveToNext()
            }
            guard let previous else { return true }
            return try engine.finds(previous.key.bytes, at: previous.place, in: table)
        }
        passed.release()
        guard isIntact, try Int64(engine.entryCount(of: table)) == count.count else { return nil }
        return count
    }
}
