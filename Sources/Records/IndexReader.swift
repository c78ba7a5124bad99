import KeyValue

/// The records of a type, in the order of an index. Gotten from a transaction: `transaction[TaskItem.byDay]`.
public struct IndexReader<R: Record, Key: OrderedKey> {
    let transaction: ReadTransaction
    let index: Index<R, Key>

    /// The records whose keys lie in `from..<to` (either end may be open), in order. Cost: a step and a look-up for each
    /// record that is returned, and nothing for others.
    public func range(
        from lower: Key? = nil, to upper: Key? = nil, limit: Int = .max
    ) throws(RecordsError) -> [R] {
        try records(KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes), limit: limit)
    }

    /// The records whose keys begin with a part of the key, in order. Cost as for `range`.
    public func prefix(_ part: some OrderedKey, limit: Int = .max) throws(RecordsError) -> [R] {
        try records(KeyRange(prefix: part.keyBytes), limit: limit)
    }

    /// Calls a closure with each key and id in `from..<to`, in order or backwards, until it returns false. No record is
    /// read. Cost: a step for each.
    public func forEachKey(
        from lower: Key? = nil, to upper: Key? = nil, backwards: Bool = false,
        _ body: (Key, R.ID) throws -> Bool
    ) throws(RecordsError) {
        try forEachKey(KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes), backwards: backwards, body)
    }

    /// The same for the keys that begin with a part of the key.
    public func forEachKey(
        prefix part: some OrderedKey, backwards: Bool = false, _ body: (Key, R.ID) throws -> Bool
    ) throws(RecordsError) {
        try forEachKey(KeyRange(prefix: part.keyBytes), backwards: backwards, body)
    }

    /// The first key that begins with a part of the key, or the last one; nil when there is none. Cost: one step.
    public func edge(of part: some OrderedKey, last: Bool) throws(RecordsError) -> Key? {
        var found: Key?
        try forEachKey(prefix: part, backwards: last) { key, _ in
            found = key
            return false
        }
        return found
    }

    /// How many entries have keys in `from..<to`. Cost: a step for each.
    public func count(from lower: Key? = nil, to upper: Key? = nil) throws(RecordsError) -> Int {
        var count = 0
        try forEachKey(from: lower, to: upper) { _, _ in
            count += 1
            return true
        }
        return count
    }

    private func records(_ range: KeyRange, limit: Int) throws(RecordsError) -> [R] {
        let collection = try transaction.schema.collection(of: R.self)
        var records: [R] = []
        guard limit > 0 else { return records }
        try forEachEntry(range, backwards: false) { engine, key in
            let id = Self.identifier(in: key)
            guard let record = try collection.record(id, in: engine) else {
                throw RecordsError.damagedEntry(table: index.tableName, key: key.hexadecimal)
            }
            records.append(record)
            return records.count < limit
        }
        return records
    }

    private func forEachKey(
        _ range: KeyRange, backwards: Bool, _ body: (Key, R.ID) throws -> Bool
    ) throws(RecordsError) {
        try forEachEntry(range, backwards: backwards) { _, bytes in
            var decoder = KeyDecoder(bytes)
            let key = try Key(decoding: &decoder)
            return try body(key, R.ID(decoding: &decoder))
        }
    }

    private func forEachEntry(
        _ range: KeyRange, backwards: Bool,
        _ body: (borrowing KeyValue.ReadTransaction, KeyBytes) throws -> Bool
    ) throws(RecordsError) {
        let table = try transaction.schema.collection(of: R.self).index(named: index.tableName).table
        try transaction.withEngine { engine in
            try engine.withCursor(over: table.table) { cursor in
                var isOnEntry = backwards ? try range.seekLast(&cursor) : try range.seekFirst(&cursor)
                while isOnEntry {
                    let key: KeyBytes? = try cursor.withEntry { keySpan, sealed in
                        guard backwards ? range.isAtOrAfterLower(keySpan) : range.isBeforeUpper(keySpan) else {
                            return nil
                        }
                        return try table.open(key: keySpan, sealed: sealed) { _, _ in KeyBytes(copying: keySpan) }
                    }
                    guard let key, try body(engine, key) else { return }
                    isOnEntry = backwards ? try cursor.moveToPrevious() : try cursor.moveToNext()
                }
            }
        }
    }

    /// The id at the end of an index key: what is left after the key itself.
    private static func identifier(in key: KeyBytes) -> KeyBytes {
        KeyBytes(suffix: R.ID.width, of: key)
    }
}

/// A half-open range of keys.
struct KeyRange {
    let lower: KeyBytes?
    let upper: KeyBytes?

    init(lower: KeyBytes?, upper: KeyBytes?) {
        self.lower = lower
        self.upper = upper
    }

    init(prefix: KeyBytes) {
        lower = prefix
        upper = prefix.successorOfPrefix
    }

    func seekFirst(_ cursor: inout Cursor) throws(KeyValueError) -> Bool {
        guard let lower else { return try cursor.moveToFirst() }
        return try cursor.seek(lower.bytes)
    }

    func seekLast(_ cursor: inout Cursor) throws(KeyValueError) -> Bool {
        guard let upper else { return try cursor.moveToLast() }
        return try cursor.seekBefore(upper.bytes)
    }

    func isBeforeUpper(_ key: RawSpan) -> Bool {
        guard let upper else { return true }
        return key.precedes(upper.bytes)
    }

    func isAtOrAfterLower(_ key: RawSpan) -> Bool {
        guard let lower else { return true }
        return !key.precedes(lower.bytes)
    }
}
