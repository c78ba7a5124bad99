import KeyValue

/// What a step over a table says of one entry.
struct EntryState {
    /// Whether its seal is that of its table, key and value.
    var hasValidChecksum: Bool
    /// Whether its key comes after the one before it.
    var isInOrder: Bool
    /// Whether a search for its key finds this very entry; true when nobody searched.
    var isFound: Bool

    var isSound: Bool { hasValidChecksum && isInOrder && isFound }
}

extension ChecksummedTable {
    /// Lends every entry in the order of the pages, sound or not, and returns how many there were.
    ///
    /// A flipped bit in a branch of LMDB's tree leaves entries that a cursor passes over and no search finds, so with
    /// `searching` each key is searched for from the root as well.
    func walk(
        searching: Bool, in engine: borrowing RawReadTransaction,
        _ body: (_ key: RawSpan, _ checksummed: RawSpan, EntryState) throws -> Void
    ) throws -> Int {
        var count = 0
        var previous = KeyBytes()
        try engine.withCursor(over: table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                try cursor.withEntry { key, checksummed in
                    // No key of ours is empty or longer than this, and LMDB refuses to search for some such.
                    let isKey = 1...64 ~= key.byteCount
                    let state = EntryState(
                        hasValidChecksum: hasValidChecksum(key: key, checksummed: checksummed),
                        isInOrder: isKey && previous.bytes.precedes(key),
                        isFound: try !searching
                            || isKey && engine.get(key, in: table) { $0.isEqual(to: checksummed) } ?? false)
                    try body(key, checksummed, state)
                    previous = KeyBytes(copying: key)
                }
                count += 1
                isOnEntry = try cursor.moveToNext()
            }
        }
        return count
    }

    /// Whether a stored value ends in the seal that it must have under this key.
    func hasValidChecksum(key: RawSpan, checksummed: RawSpan) -> Bool {
        let count = checksummed.byteCount - Checksum.byteCount
        guard count >= 0 else { return false }
        return isChecksum(checksummed.littleEndian(at: count), of: checksummed.extracting(0..<count), for: key)
    }
}

extension ChecksummedTable {
    /// Walks over the whole table once: every seal, the order of the keys, whether a search finds what is there, and
    /// whether its head counts as many entries.
    ///
    /// A search is made for the first and the last entry of each page. Within a page the order tells that a search finds
    /// what lies between, and above it two keys that are led to the same page were led the same way everywhere, and all
    /// keys between them with them.
    ///
    /// - Returns: how many entries there are, and the sum of their hashes; nil when something is wrong.
    func checkedCount(
        in engine: borrowing RawReadTransaction, _ body: (_ key: RawSpan, _ checksummed: RawSpan) throws -> Void
    ) throws -> RecordCount? {
        var count = RecordCount()
        var previous: (key: KeyBytes, place: EntryPlace)?
        let isSound = try engine.withCursor(over: table) { cursor in
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
                isOnEntry = try cursor.moveToNext()
            }
            guard let previous else { return true }
            return try engine.finds(previous.key.bytes, at: previous.place, in: table)
        }
        guard isSound, try Int64(engine.entryCount(of: table)) == count.count else { return nil }
        return count
    }
}
