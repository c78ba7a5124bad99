import CivilTime
import KeyValue

extension ChangeLog {
    /// What a look at every row finds, in the order of the pages.
    enum Finding {
        /// A row, with its value if values were asked for.
        case row(UInt64, [UInt8])
        /// Bytes that are no row; the number if the key tells it, else the key.
        case damaged(String)
        /// A row that stands where no search looks for it.
        case misplaced(UInt64)
        /// Rows that are not there though later ones are.
        case missing(ClosedRange<UInt64>)
    }

    /// What is left of the log behind its last damage.
    struct Remains {
        var rows: [(sequence: UInt64, value: [UInt8])] = []
        /// The highest number that was given, as far as the log tells.
        var last: UInt64 = 0
        /// How many rows are damaged, or lie before damage.
        var rowsLost = 0
        var isDamaged = false
    }

    /// Looks at every row. Returns how many entries the table has.
    func survey(
        withValues: Bool, in engine: borrowing RawReadTransaction, _ body: (Finding) -> Void
    ) throws -> Int {
        var next: UInt64?
        let table = schema.changes
        return try table.walk(searching: true, in: engine) { key, sealed, state in
            let value = try state.isSealed ? rowValue(of: key, sealed, isKept: withValues) : nil
            guard let value else {
                body(.damaged(Self.name(of: key)))
                // It was the row that is due, or at least it stands for it.
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

    /// What a rebuild keeps: the rows behind the last damage, be it a damaged row or a gap.
    func remains(in engine: borrowing RawReadTransaction) throws -> Remains {
        var remains = Remains()
        func lose() {
            remains.rowsLost += remains.rows.count
            remains.rows = []
            remains.isDamaged = true
        }
        let walked = try survey(withValues: true, in: engine) { finding in
            switch finding {
            case .row(let sequence, let value):
                remains.rows.append((sequence, value))
                remains.last = max(remains.last, sequence)
            case .damaged:
                lose()
                remains.rowsLost += 1
                remains.last += 1
            case .misplaced(let sequence):
                lose()
                remains.rowsLost += 1
                remains.last = max(remains.last + 1, sequence)
            case .missing:
                lose()
            }
        }
        // Never a number twice, even if the last row's value alone is damaged and its key is right; unless the key is
        // beyond all that can have been given.
        let edge = try lastSequence(in: engine)
        if edge < 1 << 62 { remains.last = max(remains.last, edge) }
        // The next row takes the number after the last one that was given, and between it and the rest nothing may lack.
        if let last = remains.rows.last?.sequence, last != remains.last { lose() }
        if try walked != engine.entryCount(of: schema.changes.table) { remains.isDamaged = true }
        return remains
    }

    private func rowValue(of key: RawSpan, _ sealed: RawSpan, isKept: Bool) throws -> [UInt8]? {
        guard key.byteCount == 8 else { return nil }
        return try schema.changes.open(key: key, sealed: sealed) { value, _ in
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
