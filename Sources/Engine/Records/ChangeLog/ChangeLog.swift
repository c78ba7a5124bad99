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
        try transaction.withCursor(over: table.table) { cursor in
            var isOnEntry = try cursor.seek((sequence + 1).keyBytes.bytes)
            while isOnEntry {
                let shouldContinue = try cursor.withEntry { key, checksummed in
                    var decoder = KeyDecoder(key)
                    let found = try UInt64(decoding: &decoder)
                    return try table.open(key: key, checksummed: checksummed) { value, _ in
                        try body(found, decode(value, sequence: found, headOnly: headOnly))
                    }
                }
                guard shouldContinue else { return }
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

extension ChangeLog {
    /// A finding of a survey of every row, in the order of the pages.
    enum Finding {
        /// A row, with its value if values were asked for.
        case row(UInt64, [UInt8])
        /// Bytes that are not a row; the number if the key has it, otherwise the key.
        case damaged(String)
        /// A row that no search finds.
        case misplaced(UInt64)
        /// Rows that are missing although later ones exist.
        case missing(ClosedRange<UInt64>)
    }

    /// The rows after the last damage of the log.
    struct SalvagedRows {
        var rows: [(sequence: UInt64, value: [UInt8])] = []
        /// The highest sequence number that was used, as far as the log shows.
        var last: UInt64 = 0
        /// How many rows are damaged or precede damage.
        var rowsLost = 0
        var isDamaged = false
    }

    /// Surveys every row. Returns the number of entries of the table.
    func survey(
        withValues: Bool, in engine: borrowing RawReadTransaction, _ body: (Finding) -> Void
    ) throws -> Int {
        var next: UInt64?
        let table = schema.changes
        return try table.walk(searching: true, in: engine) { key, checksummed, state in
            let value = try state.hasValidChecksum ? rowValue(of: key, checksummed, isKept: withValues) : nil
            guard let value else {
                body(.damaged(Self.name(of: key)))
                // Counts as the row that is due.
                next = next.map { $0 &+ 1 }
                return
            }
            let sequence = try Self.sequence(of: key)
            guard state.isSound else { return body(.misplaced(sequence)) }
            if let next, next < sequence { body(.missing(next...(sequence - 1))) }
            body(.row(sequence, value))
            next = sequence &+ 1
        }
    }

    /// The rows that a rebuild keeps: those after the last damaged row or gap.
    func salvagedRows(in engine: borrowing RawReadTransaction) throws -> SalvagedRows {
        var salvagedRows = SalvagedRows()
        func lose() {
            salvagedRows.rowsLost += salvagedRows.rows.count
            salvagedRows.rows = []
            salvagedRows.isDamaged = true
        }
        let walked = try survey(withValues: true, in: engine) { finding in
            switch finding {
            case .row(let sequence, let value):
                salvagedRows.rows.append((sequence, value))
                salvagedRows.last = max(salvagedRows.last, sequence)
            case .damaged:
                lose()
                salvagedRows.rowsLost += 1
                salvagedRows.last += 1
            case .misplaced(let sequence):
                lose()
                salvagedRows.rowsLost += 1
                salvagedRows.last = max(salvagedRows.last + 1, sequence)
            case .missing:
                lose()
            }
        }
        // No number is used twice, even if only the value of the last row is damaged; unless its key is impossibly
        // high.
        let edge = try lastSequence(in: engine)
        if edge < 1 << 62 { salvagedRows.last = max(salvagedRows.last, edge) }
        // A registered consumer would skip new changes with numbers that it has read already.
        let read = try ConsumerRegistry(schema: schema).highestPosition(in: engine)
        if read > salvagedRows.last {
            salvagedRows.last = read
            salvagedRows.isDamaged = true
        }
        // The next row takes the number after the last one, and no row in between may be missing.
        if let last = salvagedRows.rows.last?.sequence, last != salvagedRows.last { lose() }
        if try walked != engine.entryCount(of: schema.changes.table) { salvagedRows.isDamaged = true }
        return salvagedRows
    }

    private func rowValue(of key: RawSpan, _ checksummed: RawSpan, isKept: Bool) throws -> [UInt8]? {
        guard key.byteCount == 8 else { return nil }
        return try schema.changes.open(key: key, checksummed: checksummed) { value, _ in
            ChangeRow(decoding: value) == nil ? nil : isKept ? value.copied : []
        }
    }

    private static func sequence(of key: RawSpan) throws -> UInt64 {
        var decoder = KeyDecoder(key)
        return try UInt64(decoding: &decoder)
    }

    private static func name(of key: RawSpan) -> String {
        key.byteCount == 8 ? "\(key.bigEndian(at: 0, as: UInt64.self))" : KeyBytes(copying: key).hexadecimal
    }
}
