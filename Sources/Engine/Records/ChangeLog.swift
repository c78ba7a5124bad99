import CivilTime
import KeyValue

/// The table of change rows, by sequence number: the spine that undo, observation and incremental backups read.
struct ChangeLog {
    static let tableName = "changes"

    let schema: BoundSchema

    private var table: SealedTable { schema.changes }

    func lastSequence(in transaction: borrowing RawReadTransaction) throws -> UInt64 {
        try edge(last: true, in: transaction)
    }

    func firstSequence(in transaction: borrowing RawReadTransaction) throws -> UInt64 {
        try edge(last: false, in: transaction)
    }

    /// Whether there are as many rows as there are numbers from the first to the last. Cost: two steps.
    func isWhole(in transaction: borrowing RawReadTransaction) throws -> Bool {
        let (first, last) = try (firstSequence(in: transaction), lastSequence(in: transaction))
        let count = UInt64(try transaction.entryCount(of: table.table))
        return first == 0 ? count == 0 : last >= first && last - first == count &- 1
    }

    func row(
        _ sequence: UInt64, headOnly: Bool = false, in transaction: borrowing RawReadTransaction
    ) throws -> ChangeRow? {
        try table.get(sequence.keyBytes, in: transaction) { value, _ in
            try decode(value, sequence: sequence, headOnly: headOnly)
        }
    }

    func append(_ row: ChangeRow, as sequence: UInt64, in transaction: borrowing RawWriteTransaction) throws {
        try table.put(sequence.keyBytes, row.encoded, in: transaction)
    }

    /// Calls a closure with each row after a sequence number, in order, until it returns false.
    func forEach(
        after sequence: UInt64, in transaction: borrowing RawReadTransaction,
        _ body: (UInt64, ChangeRow) throws -> Bool
    ) throws {
        guard sequence < .max else { return }
        try transaction.withCursor(over: table.table) { cursor in
            var isOnEntry = try cursor.seek((sequence + 1).keyBytes.bytes)
            while isOnEntry {
                let goesOn = try cursor.withEntry { key, sealed in
                    var decoder = KeyDecoder(key)
                    let found = try UInt64(decoding: &decoder)
                    return try table.open(key: key, sealed: sealed) { value, _ in
                        try body(found, decode(value, sequence: found, headOnly: false))
                    }
                }
                guard goesOn else { return }
                isOnEntry = try cursor.moveToNext()
            }
        }
    }

    /// Removes every row but one and those after it, whatever undo still needs: for fault injection.
    func removeAll(before kept: UInt64, in transaction: borrowing RawWriteTransaction) throws {
        var oldest = try firstSequence(in: transaction.reads)
        while oldest < kept {
            try transaction.delete(oldest.keyBytes.bytes, in: table.table)
            oldest += 1
        }
    }

    /// Removes up to 256 of the oldest rows while the log is larger or older than it may be: more than came since the last
    /// time, so that a log which had to be kept for a while shrinks again. Never the last 64, and none
    /// from `kept` on, which an unfinished consumer still needs.
    func trim(
        _ retention: ChangeLogRetention, now: Instant, keepingFrom kept: UInt64,
        in transaction: borrowing RawWriteTransaction
    ) throws {
        let reads = transaction.reads
        let last = try lastSequence(in: reads)
        var oldest = try firstSequence(in: reads)
        let end = min(kept, last > 64 ? last - 64 : 0, oldest + 256)
        while oldest < end {
            let isTooLarge = try reads.pageCount(of: table.table) * 4096 > retention.maximumBytes
            guard try isTooLarge || isTooOld(oldest, retention, now: now, in: reads) else { return }
            try transaction.delete(oldest.keyBytes.bytes, in: table.table)
            oldest += 1
        }
    }

    /// A row that is missing or damaged says nothing any more: it may go.
    private func isTooOld(
        _ sequence: UInt64, _ retention: ChangeLogRetention, now: Instant,
        in transaction: borrowing RawReadTransaction
    ) throws -> Bool {
        let age = Int64(retention.maximumAgeInDays).multipliedReportingOverflow(by: 86_400)
        do {
            guard let row = try row(sequence, headOnly: true, in: transaction) else { return true }
            return !age.overflow && row.instant.advanced(bySeconds: age.partialValue) < now
        } catch RecordsError.damagedEntry {
            return true
        }
    }

    private func decode(_ value: RawSpan, sequence: UInt64, headOnly: Bool) throws -> ChangeRow {
        guard let row = ChangeRow(decoding: value, headOnly: headOnly) else {
            throw RecordsError.damagedEntry(table: Self.tableName, key: sequence.keyBytes.hexadecimal)
        }
        return row
    }

    private func edge(last: Bool, in transaction: borrowing RawReadTransaction) throws -> UInt64 {
        try transaction.withCursor(over: table.table) { cursor in
            guard last ? try cursor.moveToLast() : try cursor.moveToFirst() else { return 0 }
            return try cursor.withEntry { key, _ in
                var decoder = KeyDecoder(key)
                return try UInt64(decoding: &decoder)
            }
        }
    }
}
