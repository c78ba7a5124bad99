import KeyValue

/// The records of a type, in the order of an index. Obtained from a transaction: `transaction[TaskItem.byDay]`. Its
/// functions throw `RecordsError`.
public struct IndexReader<R: Record, Key: OrderedKey> {
    let transaction: ReadTransaction
    let index: Index<R, Key>

    /// The records with keys in `from..<to` (either end may be open), in order. Cost: a step and a look-up for each
    /// record that is returned, and nothing for others.
    public func range(from lower: Key? = nil, to upper: Key? = nil, limit: Int = .max) throws -> [R] {
        try records(KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes), limit: limit)
    }

    /// The records whose keys begin with a part of the key, in order. Cost as for `range`.
    public func prefix(_ part: some OrderedKey, limit: Int = .max) throws -> [R] {
        try records(KeyRange(prefix: part.keyBytes), limit: limit)
    }

    /// The records of a range, in order or backwards. A record with several keys in the range is there once, at the first of
    /// them. Cost as for `range`.
    public func records(
        in range: IndexRange<R, Key>, backwards: Bool = false, limit: Int = .max
    ) throws -> [R] {
        try records(range.bytes, backwards: backwards, limit: limit)
    }

    /// The first record with a key; nil when there is none. Cost: a step and a look-up.
    public func first(_ key: Key) throws -> R? { try prefix(key, limit: 1).first }

    /// Up to `limit` records of a range, from the first on or after an earlier page. Cost: as for `range`, and one step;
    /// the thousandth page costs as much as the first.
    ///
    /// - Parameter isShown: leaves records out. Cost: a step and a look-up for each of those, too.
    /// - Throws: `foreignPageToken` for a token of another index, or of another range of this one.
    public func page(
        in range: IndexRange<R, Key> = .all, after token: PageToken? = nil, backwards: Bool = false, limit: Int = 20,
        where isShown: (R) throws -> Bool = { _ in true }
    ) throws -> Page<R> {
        let table = try transaction.schema.collection(of: R.self).bound(index).table
        var range = range
        if let token {
            guard token.table == PageToken(after: token.entry, in: table).table, range.contains(token.entry) else {
                throw RecordsError.foreignPageToken
            }
            range = backwards ? range.before(token.entry) : range.after(token.entry)
        }
        var records: [R] = []
        var last: KeyBytes?
        var hasMore = false
        guard limit > 0 else { return Page(records: [], next: token) }
        try forEach(range.bytes, backwards: backwards) { record, entry, _ in
            guard try isShown(record) else { return true }
            hasMore = records.count == limit
            guard !hasMore else { return false }
            records.append(record)
            last = entry
            return true
        }
        return Page(records: records, next: hasMore ? last.map { PageToken(after: $0, in: table) } : nil)
    }

    /// Calls a closure with each record whose key begins with a part of the key, in order, until it returns false. One
    /// record at a time is in memory. Errors of the closure are rethrown unchanged. Cost: a step and a look-up for
    /// each.
    public func forEach(prefix part: some OrderedKey, _ body: (R) throws -> Bool) throws {
        try forEach(KeyRange(prefix: part.keyBytes), backwards: false) { record, _, _ in try body(record) }
    }

    /// Calls a closure with each record of a range, in order or backwards, until it returns false.
    public func forEach(
        in range: IndexRange<R, Key>, backwards: Bool = false, _ body: (R) throws -> Bool
    ) throws {
        try forEach(range.bytes, backwards: backwards) { record, _, _ in try body(record) }
    }

    /// Calls a closure with each key and id in `from..<to`, in order or backwards, until it returns false. No record is
    /// read. Errors of the closure are rethrown unchanged. Cost: a step for each.
    public func forEachKey(
        from lower: Key? = nil, to upper: Key? = nil, backwards: Bool = false,
        _ body: (Key, R.ID) throws -> Bool
    ) throws {
        try forEachKey(KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes), backwards: backwards, body)
    }

    /// Calls a closure with each key and id that begins with a part of the key, until it returns false.
    public func forEachKey(
        prefix part: some OrderedKey, backwards: Bool = false, _ body: (Key, R.ID) throws -> Bool
    ) throws {
        try forEachKey(KeyRange(prefix: part.keyBytes), backwards: backwards, body)
    }

    /// The first key that begins with a part of the key, or the last one; nil when there is none. Cost: one step.
    public func edge(of part: some OrderedKey, last: Bool) throws -> Key? {
        try edges(of: [part], last: last).first
    }

    /// The first keys that begin with the parts, or the last ones, in the order of the parts, without parts that have none.
    /// Cost: a step for each, and one cursor for all.
    public func edges<Part: OrderedKey>(of parts: [Part], last: Bool) throws -> [Key] {
        let table = try transaction.schema.collection(of: R.self).bound(index).table
        guard hasOnlyPlacedEntries else {
            var found: [Key] = []
            for part in parts {
                try forEachKey(prefix: part, backwards: last) { key, _ in
                    found.append(key)
                    return false
                }
            }
            return found
        }
        return try transaction.withEngine { engine in
            var found: [Key] = []
            try engine.withCursor(over: table.table) { cursor in
                for part in parts {
                    try table.forEachKey(KeyRange(prefix: part.keyBytes), backwards: last, by: &cursor) { bytes in
                        var decoder = KeyDecoder(bytes)
                        found.append(try Key(decoding: &decoder))
                        return false
                    }
                }
            }
            return found
        }
    }

    /// How many entries have keys in `from..<to`. Cost: a step for each.
    public func count(from lower: Key? = nil, to upper: Key? = nil) throws -> Int {
        var count = 0
        let range = KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes)
        try forEachKey(range, backwards: false) { _, _ in
            count += 1
            return true
        }
        return count
    }

    private func records(_ range: KeyRange, backwards: Bool = false, limit: Int) throws -> [R] {
        var records: [R] = []
        guard limit > 0 else { return records }
        // Reserves room for a typical view, instead of growing repeatedly.
        records.reserveCapacity(min(limit, 64))
        try read(range, backwards: backwards, into: &records) { records, _, _ in records.count < limit }
        return records
    }

    /// Calls a closure with each record of a range, its entry and its hash, until it returns false.
    func forEachEntry(
        in range: IndexRange<R, Key>, backwards: Bool, _ body: (R, KeyBytes, _ hash: UInt64) throws -> Bool
    ) throws {
        try forEach(range.bytes, backwards: backwards, body)
    }

    private func forEach(
        _ range: KeyRange, backwards: Bool, _ body: (R, KeyBytes, _ hash: UInt64) throws -> Bool
    ) throws {
        var current: [R] = []
        try read(range, backwards: backwards, into: &current) { current, entry, hash in
            let shouldContinue = try body(current[0], KeyBytes(copying: entry), hash)
            current.removeAll(keepingCapacity: true)
            return shouldContinue
        }
    }

    /// Adds each record of a range to a list until the closure, which may remove records from the list, returns false.
    private func read(
        _ range: KeyRange, backwards: Bool = false, into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        let pending = try hasOnlyPlacedEntries ? [] : pendingEntries(of: range)
        try read(range, and: pending, backwards: backwards, into: &records, whileTrue: shouldContinue)
    }

    /// Adds the records of a range, and of the pending entries in it.
    ///
    /// - Parameter isOneKeyEach: whether the range has at most one key of each record.
    func read(
        _ range: KeyRange, and pending: [KeyBytes], backwards: Bool, isOneKeyEach: Bool = false,
        into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        if pending.isEmpty, transaction.overlay.isEmpty {
            try readPlaced(
                range, backwards: backwards, isOneKeyEach: isOneKeyEach, into: &records, whileTrue: shouldContinue)
        } else {
            try readMerged(
                range, and: pending, backwards: backwards, isOneKeyEach: isOneKeyEach, into: &records,
                whileTrue: shouldContinue)
        }
    }

    /// The loop of every view: each variable that a closure shares costs it a tenth. Without pending entries.
    private func readPlaced(
        _ range: KeyRange, backwards: Bool, isOneKeyEach: Bool, into records: inout [R],
        whileTrue shouldContinue: (inout [R], _ entry: RawSpan, _ hash: UInt64) throws -> Bool
    ) throws {
        let collection = try transaction.schema.collection(of: R.self)
        let table = try collection.bound(index).table
        let idWidth = R.ID.width
        let hasSeveralKeys = index.hasSeveralKeys && !isOneKeyEach
        try transaction.withEngine { engine in
            try engine.withCursor(over: collection.records.table) { cursor in
                try engine.withCursor(over: table.table) { keys in
                    try table.forEachKey(range, backwards: backwards, by: &keys) { key in
                        // The id is at the end of the key.
                        let id = key.extracting(last: idWidth)
                        let hash = try collection.append(id, from: &cursor, to: &records)
                        guard let hash else { throw table.damage(key) }
                        if hasSeveralKeys, removeIfRepeated(&records, key, in: range, backwards: backwards) {
                            return true
                        }
                        return try shouldContinue(&records, key, hash)
                    }
                }
            }
        }
    }

    /// Removes the record that was just read if an earlier entry of the range has led to it; returns whether it did.
    ///
    /// Not part of the loop: a variable whose type depends on a type parameter costs each round a look-up of that type, even
    /// where it is not used.
    @inline(never)
    private func removeIfRepeated(
        _ records: inout [R], _ entry: RawSpan, in range: KeyRange, backwards: Bool
    ) -> Bool {
        guard let record = records.last, !isFirst(entry, of: record, in: range, backwards: backwards) else {
            return false
        }
        records.removeLast()
        return true
    }

    /// Whether no other entry of the record comes before this one in the range: a record with several keys is there once.
    func isFirst(_ entry: RawSpan, of record: R, in range: KeyRange, backwards: Bool) -> Bool {
        guard case .several(let keys, _) = index.keys else { return true }
        let id = record.id.keyBytes
        for key in keys(record) {
            var other = key.keyBytes
            other.append(contentsOf: id)
            let isBefore = backwards ? entry.precedes(other.bytes) : other.bytes.precedes(entry)
            if isBefore, range.contains(other.bytes) { return false }
        }
        return true
    }

    func forEachKey(_ range: KeyRange, backwards: Bool, _ body: (Key, R.ID) throws -> Bool) throws {
        let pending = try hasOnlyPlacedEntries ? [] : pendingEntries(of: range)
        if pending.isEmpty, transaction.overlay.isEmpty {
            try forEachPlacedEntry(of: range, backwards: backwards) { try Self.pass($0, to: body) }
        } else {
            try forEachEntry(of: range, and: pending, backwards: backwards) { try Self.pass($0, to: body) }
        }
    }

    private static func pass(_ entry: RawSpan, to body: (Key, R.ID) throws -> Bool) throws -> Bool {
        var decoder = KeyDecoder(entry)
        let key = try Key(decoding: &decoder)
        return try body(key, R.ID(decoding: &decoder))
    }

    /// The entries that are at their places in the index.
    func forEachPlacedEntry(of range: KeyRange, backwards: Bool, _ body: (RawSpan) throws -> Bool) throws {
        let table = try transaction.schema.collection(of: R.self).bound(index).table
        try transaction.withEngine { engine in
            try engine.withCursor(over: table.table) { cursor in
                try table.forEachKey(range, backwards: backwards, by: &cursor, body)
            }
        }
    }
}

extension IndexReader where Key == TextKey {
    /// The records with a text that begins with another one, in the order of the texts. Cost: a step and a look-up for each;
    /// where the beginning is longer than 23 bytes, also for others that share these.
    public func prefix(_ part: TextPrefix, limit: Int = .max) throws -> [R] {
        if part.isDecidedByKey { return try records(in: .prefix(part), limit: limit) }
        var found: [R] = []
        guard limit > 0 else { return found }
        try forEach(KeyRange(prefix: part.keyBytes), backwards: false) { record, _, _ in
            if index.keys(of: record).contains(where: { $0.begins(with: part) }) { found.append(record) }
            return found.count < limit
        }
        return found
    }
}
