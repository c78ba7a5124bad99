import KeyValue

/// The counts of a tally, with what the transaction itself and the writes of its session have changed so far. Obtained from a
/// transaction: `transaction[Reading.perSensor]`.
public struct TallyReader<R: Record, Key: OrderedKey> {
    let transaction: ReadTransaction
    let tally: Tally<R, Key>

    /// How many records have a key. Cost: one look-up.
    public func count(of key: Key) throws -> Int { Int(try value(of: key).count) }

    /// The sum of the amounts of the records with a key. Cost: one look-up.
    public func sum(of key: Key) throws -> Int64 { try value(of: key).sum }

    /// How many records have a key that begins with a part of the key. Cost: a step for each such key.
    public func count(prefix part: some OrderedKey) throws -> Int {
        var count = 0
        try forEach(KeyRange(prefix: part.keyBytes)) { _, value in
            count += Int(value.count)
            return true
        }
        return count
    }

    /// Calls a closure with each key that any record has, in order, with the count and the sum, until it returns false.
    /// Errors of the closure are passed through unchanged. Cost: a step for each key.
    public func forEach(
        from lower: Key? = nil, to upper: Key? = nil, _ body: (Key, _ count: Int, _ sum: Int64) throws -> Bool
    ) throws {
        try forEach(KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes)) { key, value in
            var decoder = KeyDecoder(key.bytes)
            return try body(Key(decoding: &decoder), Int(value.count), value.sum)
        }
    }

    /// Calls a closure with each key that begins with a part of the key, until it returns false.
    public func forEach(
        prefix part: some OrderedKey, _ body: (Key, _ count: Int, _ sum: Int64) throws -> Bool
    ) throws {
        try forEach(KeyRange(prefix: part.keyBytes)) { key, value in
            var decoder = KeyDecoder(key.bytes)
            return try body(Key(decoding: &decoder), Int(value.count), value.sum)
        }
    }

    /// The keys of which this transaction has raised the count so far, with their counts now. Cost: a look-up for each.
    package func raisedCounts() throws -> [(key: Key, count: Int)] {
        try changes().filter { $0.value.count > 0 }.map { entry in
            var decoder = KeyDecoder(entry.key.bytes)
            let key = try Key(decoding: &decoder)
            return (key, try count(of: key))
        }
    }

    private func value(of key: Key) throws -> TallyValue {
        let table = try transaction.schema.collection(of: R.self).bound(tally).table
        let key = key.keyBytes
        var value = try transaction.withEngine { try TallyValue.stored(under: key, in: table, $0) }
        if let change = try changes()[key] { value += change }
        return value
    }

    /// What is not in the table yet: the changes of this transaction, or those of the records that it shows in place of
    /// stored ones.
    private func changes() throws -> [KeyBytes: TallyValue] {
        let collection = try transaction.schema.collection(of: R.self)
        var changes = transaction.tallyChanges(in: tally.tableName)
        for (id, edit) in transaction.overlay[collection.number] {
            let old = try transaction.withEngine { try collection.record(id, in: $0) }
            let new = try edit.bytes.map { try collection.decode(id.bytes, $0.span.bytes) }
            if let share = old.flatMap(tally.share) { changes[share.key, default: TallyValue()] += -share.value }
            if let share = new.flatMap(tally.share) { changes[share.key, default: TallyValue()] += share.value }
        }
        return changes
    }

    private func forEach(_ range: KeyRange, _ body: (KeyBytes, TallyValue) throws -> Bool) throws {
        let table = try transaction.schema.collection(of: R.self).bound(tally).table
        var changes = try changes().filter { range.contains($0.key.bytes) }
        try transaction.withEngine { engine in
            var merged = MergedWalk(changes.keys.sorted())
            func passChange(_ key: KeyBytes) throws -> Bool {
                guard let change = changes[key], !change.isZero else { return true }
                return try body(key, change)
            }
            let isAtEnd = try table.forEachEntry(range, in: engine) { bytes, checksummed in
                guard try merged.pass(before: bytes, to: passChange) else { return false }
                let key = KeyBytes(copying: bytes)
                var value = try table.open(key: bytes, checksummed: checksummed) { value, _ in
                    guard let value = TallyValue(value) else { throw table.damage(bytes) }
                    return value
                }
                if let change = changes.removeValue(forKey: key) { value += change }
                return try value.isZero || body(key, value)
            }
            if isAtEnd { _ = try merged.pass(before: nil, to: passChange) }
        }
    }
}
