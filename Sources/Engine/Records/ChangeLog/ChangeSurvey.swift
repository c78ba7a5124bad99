import KeyValue

extension ChangeLog {
    /// A finding of a survey of every row, in the order of the pages.
    enum Finding {
        /// A row, and its bytes if they were asked for.
        case row(UInt64, ChangeRow, [UInt8])
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
        /// What these rows did to each record.
        var trails = RecordTrails()
        /// The highest sequence number that was used, as far as the log shows.
        var last: UInt64 = 0
        /// How many rows are damaged or precede damage.
        var rowsLost = 0
        var isDamaged = false

        /// Drops the rows up to one that does not agree with later rows or with the records: undo would restore what
        /// never was.
        mutating func drop(through sequence: UInt64) {
            let kept = rows.filter { $0.sequence > sequence }
            rowsLost += rows.count - kept.count
            rows = kept
            isDamaged = true
        }
    }

    /// Surveys every row. Returns the number of entries of the table.
    ///
    /// - Parameter withBytes: whether the rows come with their bytes.
    func survey(
        withBytes: Bool, in engine: borrowing RawReadTransaction, _ body: (Finding) -> Void
    ) throws -> Int {
        var next: UInt64?
        let table = schema.changes
        return try table.walk(searching: true, in: engine) { key, checksummed, state in
            let found = try state.hasValidChecksum ? row(of: key, checksummed, withBytes: withBytes) : nil
            guard let (row, bytes) = found else {
                body(.damaged(Self.name(of: key)))
                // Counts as the row that is due.
                next = next.map { $0 &+ 1 }
                return
            }
            let sequence = try Self.sequence(of: key)
            guard state.isValid else { return body(.misplaced(sequence)) }
            if let next, next < sequence { body(.missing(next...(sequence - 1))) }
            body(.row(sequence, row, bytes))
            next = sequence &+ 1
        }
    }

    /// The rows that a rebuild keeps: those after the last damaged row or gap.
    func salvagedRows(in engine: borrowing RawReadTransaction) throws -> SalvagedRows {
        var salvagedRows = SalvagedRows()
        func lose() {
            salvagedRows.rowsLost += salvagedRows.rows.count
            salvagedRows.rows = []
            salvagedRows.trails.forget()
            salvagedRows.isDamaged = true
        }
        let walked = try survey(withBytes: true, in: engine) { finding in
            switch finding {
            case .row(let sequence, let row, let bytes):
                salvagedRows.rows.append((sequence, bytes))
                salvagedRows.trails.follow(row.entries, of: sequence)
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

    /// Nil when the bytes are not a row.
    private func row(
        of key: RawSpan, _ checksummed: RawSpan, withBytes: Bool
    ) throws -> (row: ChangeRow, bytes: [UInt8])? {
        guard key.byteCount == 8 else { return nil }
        return try schema.changes.open(key: key, checksummed: checksummed) { value, _ in
            ChangeRow(decoding: value).map { ($0, withBytes ? value.copied : []) }
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
