import CivilTime
import KeyValue

/// The table of change rows, by sequence number: the spine that undo, observation and incremental backups read.
struct ChangeLog {
    static let tableName = "changes"

    let schema: BoundSchema

    private var table: ChecksummedTable { schema.changes }

    func lastSequence(in transaction: borrowing RawReadTransaction) throws -> UInt64 {
        try edge(last: true, in: transaction)
    }

    func firstSequence(in transaction: borrowing RawReadTransaction) throws -> UInt64 {
        try edge(last: false, in: transaction)
    }

    /// Whether there are as many rows as there are numbers from the first to the last. Cost: two steps.
    func isComplete(in transaction: borrowing RawReadTransaction) throws -> Bool {
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
    ///
    /// - Parameter headOnly: whether the rows come without their entries.
    func forEach(
        after sequence: UInt64, headOnly: Bool = false, in transaction: borrowing RawReadTransaction,
        _ body: (UInt64, ChangeRow) throws -> Bool
    ) throws {
        guard sequence < .max else { return }
        let range = KeyRange(lower: (sequence + 1).keyBytes, upper: nil)
        try table.forEachEntry(range, in: transaction) { key, checksummed in
            var decoder = KeyDecoder(key)
            let found = try UInt64(decoding: &decoder)
            return try table.open(key: key, checksummed: checksummed) { value, _ in
                try body(found, decode(value, sequence: found, headOnly: headOnly))
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
    /// time, so that a log which had to be kept for a while shrinks again. Never the last 64, none from `kept` on, which
    /// a feed of this process still needs, and none that a registered consumer needs, up to the limits for consumers.
    ///
    /// Reads the positions of the registered consumers only if there is something to remove.
    func trim(
        _ retention: ChangeLogRetention, now: Instant, keepingFrom kept: UInt64,
        in transaction: borrowing RawWriteTransaction
    ) throws {
        let reads = transaction.reads
        let last = try lastSequence(in: reads)
        var oldest = try firstSequence(in: reads)
        let end = min(kept, last > 64 ? last - 64 : 0, oldest + 256)
        var needed: UInt64?
        while oldest < end {
            let size = try reads.pageCount(of: table.table) * 4096
            guard
                try size > retention.maximumBytes
                    || isOlder(oldest, thanDays: retention.maximumAgeInDays, now: now, in: reads)
            else { return }
            let first = try needed ?? oldestNeededByConsumers(from: oldest, retention, now: now, in: reads)
            needed = first
            if oldest >= first, size <= retention.maximumBytesForConsumers { return }
            try transaction.delete(oldest.keyBytes.bytes, in: table.table)
            oldest += 1
        }
    }

    /// The first change that a registered consumer needs; the highest number if none needs any. Consumers that have
    /// missed changes or are abandoned need none.
    private func oldestNeededByConsumers(
        from oldest: UInt64, _ retention: ChangeLogRetention, now: Instant, in transaction: borrowing RawReadTransaction
    ) throws -> UInt64 {
        if schema.injectionPoint(.ignoresConsumers) { return .max }
        let days = retention.maximumAgeOfConsumersInDays
        var needed = UInt64.max
        try ConsumerRegistry(schema: schema).forEach(in: transaction) { _, registration in
            let next = registration.next
            guard oldest <= next, next < needed else { return }
            // One that has read everything is not abandoned, however long nothing has changed.
            let isAbandoned =
                try registration.movedAt.isOlder(thanDays: days, at: now)
                && isOlder(next, thanDays: days, now: now, in: transaction)
            if !isAbandoned { needed = next }
        }
        return needed
    }

    /// A missing or damaged row may be removed.
    private func isOlder(
        _ sequence: UInt64, thanDays days: Int, now: Instant, in transaction: borrowing RawReadTransaction
    ) throws -> Bool {
        do {
            return try row(sequence, headOnly: true, in: transaction)?.instant.isOlder(thanDays: days, at: now) ?? true
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

/// How much of the change log is retained. The last 64 changes always stay.
public struct ChangeLogRetention: Sendable, Equatable {
    /// Bytes that the log may take.
    public var maximumBytes: Int
    /// Days after which a change is trimmed.
    public var maximumAgeInDays: Int
    /// Bytes that the log may take while a registered consumer has not read what it has. A log that is larger is trimmed
    /// all the same.
    public var maximumBytesForConsumers: Int
    /// Days after which a registered consumer that does not move is considered abandoned, if a change has waited for it
    /// as long. The log is then trimmed as if it were not registered.
    public var maximumAgeOfConsumersInDays: Int

    /// 4 MiB and 400 days: some ten thousand changes of a task list. For registered consumers 64 MiB and 90 days.
    public init(
        maximumBytes: Int = 4 << 20, maximumAgeInDays: Int = 400, maximumBytesForConsumers: Int = 64 << 20,
        maximumAgeOfConsumersInDays: Int = 90
    ) {
        self.maximumBytes = maximumBytes
        self.maximumAgeInDays = maximumAgeInDays
        self.maximumBytesForConsumers = maximumBytesForConsumers
        self.maximumAgeOfConsumersInDays = maximumAgeOfConsumersInDays
    }
}

extension Instant {
    fileprivate func isOlder(thanDays days: Int, at now: Instant) -> Bool {
        let age = Int64(days).multipliedReportingOverflow(by: 86_400)
        return !age.overflow && advanced(bySeconds: age.partialValue) < now
    }
}
