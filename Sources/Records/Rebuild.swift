import KeyValue

/// Derives indexes, roll-ups and counts again from the records.
struct Rebuild {
    let schema: BoundSchema

    /// Empties and fills the given tables, and notes the version that they were built by. Returns the records that could
    /// not be read, by collection; they stay as they are.
    func derive(_ tables: Set<String>, in transaction: WriteTransaction) throws -> [(collection: String, key: KeyBytes)]
    {
        guard !tables.isEmpty else { return [] }
        for (table, version) in schema.collections.flatMap(\.derivedTables) where tables.contains(table.name) {
            try transaction.withWriter { engine in
                try engine.removeAll(in: table.table)
                try schema.meta.put(Meta.builtKey(table.name), Meta.encode(version), in: engine)
            }
        }
        var unreadable: [(collection: String, key: KeyBytes)] = []
        for collection in schema.collections {
            for key in try collection.derive(into: tables, in: transaction) {
                unreadable.append((collection.name, key))
            }
        }
        return unreadable
    }
}

/// What a rebuild found.
public struct RebuildReport: Sendable, Equatable {
    /// How many index entries and counters were written.
    public let entriesWritten: Int
    /// The records that are damaged, as "collection key". They were left as they are.
    public let unreadableRecords: [String]
}

extension Store {
    /// Derives every index, roll-up and count again from the records, in one transaction. What the records themselves
    /// lost cannot be brought back by it; damaged ones are named.
    public func rebuild() async throws -> RebuildReport {
        try await write(reclaims: true) { try self.rebuild(in: $0) }
    }

    /// The same for programs that do not use concurrency: on the calling thread, without `await`.
    @discardableResult
    public func rebuild() throws -> RebuildReport {
        try write(reclaims: true) { try rebuild(in: $0) }
    }

    private func rebuild(in transaction: WriteTransaction) throws -> RebuildReport {
        let tables = Set(schema.collections.flatMap(\.derivedTables).map(\.table.name))
        let unreadable = try Rebuild(schema: schema).derive(tables, in: transaction)
        return RebuildReport(
            entriesWritten: transaction.counters.puts,
            unreadableRecords: unreadable.map { "\($0.collection) \($0.key.hexadecimal)" })
    }

    /// A transaction outside the writer's thread, for the work of opening.
    func maintenanceTransaction(_ engine: consuming KeyValue.WriteTransaction) -> WriteTransaction {
        WriteTransaction(
            schema: schema, context: context, identifiers: identifiers, label: ChangeLabel(), retention: retention,
            oldestNeeded: 0, continuing: nil, engine: engine)
    }
}

extension BoundCollection {
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws -> [KeyBytes] {
        var unreadable: [KeyBytes] = []
        var rows: [String: [Int32: RollUpRow]] = [:]
        var count = RecordCount()
        let derivedIndexes = indexes.filter { tables.contains($0.table.name) }
        let derivedRollUps = rollUps.filter { tables.contains($0.table.name) }
        var next: KeyBytes?
        // A page at a time: a cursor's bytes must not be lent while entries are written.
        while true {
            var page: [(key: KeyBytes, record: R)] = []
            var last: KeyBytes?
            try transaction.withEngine { engine in
                try engine.withCursor(over: records.table) { cursor in
                    var isOnEntry = try next.map { try cursor.seek($0.bytes) } ?? cursor.moveToFirst()
                    while isOnEntry, page.count < 1024 {
                        try cursor.withEntry { keySpan, sealed in
                            let key = KeyBytes(copying: keySpan)
                            last = key
                            do {
                                let record = try records.open(key: keySpan, sealed: sealed) { value, hash in
                                    count += RecordCount(count: 1, digest: hash)
                                    return try decode(keySpan, value)
                                }
                                page.append((key, record))
                            } catch is RecordsError {
                                unreadable.append(key)
                            }
                        }
                        isOnEntry = try cursor.moveToNext()
                    }
                }
            }
            try transaction.withWriter { engine in
                for (key, record) in page {
                    for index in derivedIndexes {
                        guard var entry = index.key(record) else { continue }
                        entry.append(contentsOf: key)
                        try index.table.put(entry, in: engine)
                    }
                    for rollUp in derivedRollUps {
                        guard let instant = rollUp.instant(record) else { continue }
                        let (day, quarter) = RollUpRow.cell(of: instant)
                        _ = rows[rollUp.table.name, default: [:]][day, default: RollUpRow()].add(1, toQuarter: quarter)
                    }
                }
            }
            guard let last, let after = last.successorOfPrefix else { break }
            next = after
        }
        try transaction.withWriter { engine in
            for rollUp in derivedRollUps {
                for (day, row) in (rows[rollUp.table.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
                    // Another collection may have written its part of a shared row already.
                    var sum =
                        try rollUp.table.get(day.keyBytes, in: engine.reads) { value, _ in
                            RollUpRow(decoding: value)
                        } ?? RollUpRow()
                    for (quarter, count) in row.quarters { _ = sum.add(Int(count), toQuarter: quarter) }
                    let key = day.keyBytes
                    try rollUp.table.put(key, sum.encoded(for: key, in: rollUp.table), in: engine)
                }
            }
            try transaction.schema.meta.put(Meta.countKey(number), count.encoded, in: engine)
        }
        return unreadable
    }
}
