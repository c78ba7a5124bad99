import KeyValue

extension BoundCollection {
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws {
        let isWanted = derivedTables.map { tables.contains($0.table.name) }
        var counts = DerivedCounts()
        var next: KeyBytes?
        // One page at a time: bytes of a cursor must not be in use while entries are written.
        while true {
            let page = try readPage(from: next, in: transaction)
            try transaction.withWriter { engine in
                for (key, record) in page.records {
                    try forEachContribution(of: record, key, where: { isWanted[$0] }) { place, contribution in
                        let table = derivedTables[place].table
                        switch contribution {
                        case .entry(let entry): try table.put(entry, in: engine)
                        case .entries(let entries): for entry in entries { try table.put(entry, in: engine) }
                        case .instant(let instant): counts.add(instant, in: table.name)
                        case .share(let share): counts.add(share, in: table.name)
                        }
                    }
                }
            }
            guard let after = page.last?.successorOfPrefix else { break }
            next = after
        }
        try transaction.withWriter { engine in
            for tally in tallies {
                // In order of the keys, so that equal records make equal files.
                let found = (counts.tallies[tally.table.name] ?? [:]).sorted { $0.key.bytes.precedes($1.key.bytes) }
                for (key, value) in found where !value.isZero {
                    try tally.table.put(key, value.encoded, in: engine)
                }
            }
            for rollUp in rollUps {
                for (day, row) in (counts.rollUps[rollUp.table.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
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
        }
    }

    /// Up to 1,024 records from a key on, without those that cannot be read, and the last key of them all.
    private func readPage(
        from start: KeyBytes?, in transaction: WriteTransaction
    ) throws -> (records: [(key: KeyBytes, record: R)], last: KeyBytes?) {
        var page: [(key: KeyBytes, record: R)] = []
        var last: KeyBytes?
        try transaction.withEngine { engine in
            _ = try records.forEachEntry(KeyRange(lower: start, upper: nil), in: engine) { keySpan, checksummed in
                let key = KeyBytes(copying: keySpan)
                last = key
                if let (record, _) = try readable(keySpan, checksummed) { page.append((key, record)) }
                return page.count < 1024
            }
        }
        return (page, last)
    }

    /// A stored record and its hash, nil when it cannot be read.
    private func readable(_ key: RawSpan, _ checksummed: RawSpan) throws -> (record: R, hash: UInt64)? {
        do {
            return try records.open(key: key, checksummed: checksummed) { value, hash in (try decode(key, value), hash)
            }
        } catch let error as RecordsError where error.isDamage {
            return nil
        }
    }

    func quarantineDamaged(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> (keys: [KeyBytes], left: RecordCount) {
        var left = RecordCount()
        var isIntact = true
        let walked = try records.walk(searching: true, in: before) { key, checksummed, state in
            if state.isValid, let (_, hash) = try readable(key, checksummed) {
                left += RecordCount(count: 1, digest: hash)
            } else {
                isIntact = false
            }
        }
        if try walked != before.entryCount(of: records.table) { isIntact = false }
        return isIntact ? ([], left) : try rewriteIntact(as: before, in: transaction)
    }

    /// Empties the table, writes every readable record again, and moves the others to the quarantine. Deleting single
    /// entries is not safe: LMDB would use the damaged lengths on the page and remove the wrong bytes. All records are
    /// held in memory for this.
    private func rewriteIntact(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> (keys: [KeyBytes], left: RecordCount) {
        var intact: [(key: KeyBytes, found: [UInt8], hash: UInt64)] = []
        // Of two records with one key, the one that a search finds is kept.
        var hidden: [(key: KeyBytes, found: [UInt8], hash: UInt64)] = []
        var damaged: [(key: KeyBytes, found: [UInt8])] = []
        _ = try records.walk(searching: true, in: before) { keySpan, checksummed, state in
            let (key, found) = (KeyBytes(copying: keySpan), checksummed.copied)
            if let (_, hash) = try readable(keySpan, checksummed) {
                if state.isFound { intact.append((key, found, hash)) } else { hidden.append((key, found, hash)) }
            } else {
                damaged.append((key, found))
            }
        }
        var left = RecordCount()
        try transaction.withWriter { engine in
            try engine.removeAll(in: records.table)
            for (key, found, hash) in intact + hidden {
                if let other = try engine.reads.get(key.bytes, in: records.table, { $0.copied }) {
                    if other != found { damaged.append((key, found)) }
                    continue
                }
                try engine.put(key.bytes, found.span.bytes, in: records.table)
                left += RecordCount(count: 1, digest: hash)
            }
            for (key, found) in damaged { try transaction.schema.quarantine?.put(key, found, in: number, engine) }
        }
        return (damaged.map(\.key), left)
    }
}
