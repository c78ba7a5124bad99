import KeyValue

/// The counts of a tally. Obtained from a transaction: `transaction[Reading.perSensor]`.
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

    private func value(of key: Key) throws -> TallyValue {
        let table = try transaction.schema.collection(of: R.self).bound(tally).table
        return try transaction.withEngine { try TallyValue.stored(under: key.keyBytes, in: table, $0) }
    }

    private func forEach(_ range: KeyRange, _ body: (KeyBytes, TallyValue) throws -> Bool) throws {
        let table = try transaction.schema.collection(of: R.self).bound(tally).table
        try transaction.withEngine { engine in
            try engine.withCursor(over: table.table) { cursor in
                var isOnEntry = try range.seekFirst(&cursor)
                while isOnEntry {
                    let shouldContinue = try cursor.withEntry { key, checksummed in
                        guard range.isBeforeUpper(key) else { return false }
                        return try table.open(key: key, checksummed: checksummed) { value, _ in
                            guard let value = TallyValue(value) else { throw table.damage(key) }
                            return try body(KeyBytes(copying: key), value)
                        }
                    }
                    guard shouldContinue else { return }
                    isOnEntry = try cursor.moveToNext()
                }
            }
        }
    }
}
