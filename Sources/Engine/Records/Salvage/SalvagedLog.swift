import CivilTime
import KeyValue

/// The end of a damaged store's change log, as far back as it has no gap.
struct SalvagedLog {
    /// The rows that are kept, in order.
    private(set) var rows: [(sequence: UInt64, item: FoundEntries.Item)] = []
    /// What they did to each record.
    private(set) var trails = RecordTrails()
    /// How many rows were found and not kept.
    private(set) var rowsLost = 0
    /// The highest number that was given to a change, as far as anything shows it.
    private(set) var last: UInt64
    private let table: FoundEntries
    /// The last row that is kept, without its entries.
    private var lastRow: ChangeRow?

    init(_ changes: FoundEntries, _ source: EntrySource, _ notes: SalvagedNotes) {
        table = changes
        last = notes.highestPosition
        var found: [(sequence: UInt64, item: FoundEntries.Item, row: ChangeRow?)] = []
        changes.forEachKey { items in
            let item = items[items.startIndex]
            let key = changes.key(of: item).bytes
            guard item.status > .former, item.isLive || !changes.isWhole, key.byteCount == 8 else { return }
            let sequence: UInt64 = key.bigEndian(at: 0)
            guard sequence < 1 << 62 else { return }
            let row = source.value(of: item, in: changes).flatMap { unsafe ChangeRow(decoding: $0.span.bytes) }
            found.append((sequence, item, row))
        }
        let newest = found.last?.sequence ?? 0
        // The next change takes the number after the last row, and none in between may be missing.
        guard newest >= last else {
            rowsLost = found.count
            return
        }
        last = newest
        var first = found.endIndex
        while first > 0, found[first - 1].row != nil,
            first == found.endIndex || found[first - 1].sequence + 1 == found[first].sequence
        {
            first -= 1
        }
        rowsLost = first
        for (sequence, item, row) in found[first...] {
            rows.append((sequence, item))
            if let row { trails.follow(row.entries, of: sequence) }
        }
        lastRow = found.last?.row
        lastRow?.entries = []
    }

    /// Whether the log leaves a record there; nil when it has no change of it.
    func leaves(_ key: KeyBytes, in collection: String) -> Bool? {
        trails.leaves(.init(collection: Checksum.collectionNumber(of: collection), key: key.array))
    }

    /// Whether the last change of a record can have left some bytes; nil when the log has no change of it.
    func leaves(_ value: [UInt8], _ key: KeyBytes, in collection: String) -> Bool? {
        trails.leaves(value, of: .init(collection: Checksum.collectionNumber(of: collection), key: key.array))
    }

    /// Drops the rows up to one that does not agree with the records.
    mutating func drop(through sequence: UInt64) {
        let kept = rows.filter { $0.sequence > sequence }
        rowsLost += rows.count - kept.count
        rows = kept
    }

    /// Compares the rows with the records of the new store, and keeps those that agree with them.
    ///
    /// - Returns: a row that says which records are lost, to be written behind the others; nil when there is none.
    mutating func compare(
        with schema: BoundSchema, at now: Instant, in engine: borrowing RawReadTransaction
    ) throws -> ChangeRow? {
        let missing = try trails.missing(from: schema, in: engine)
        trails.follow(missing, of: .max)
        try trails.compareWithRecords(of: schema, in: engine)
        if let contradicted = trails.contradicted.max() { drop(through: contradicted) }
        guard !rows.isEmpty, !missing.isEmpty else { return nil }
        let history = ChangeRow.History(ofEdit: last + 1, after: lastRow, continuing: nil, isUndoable: false)
        return ChangeRow(instant: now, kind: .edit, label: ChangeLabel(), history: history, entries: missing)
    }

    /// The bytes of a row.
    func value(of item: FoundEntries.Item, from source: EntrySource) -> [UInt8]? { source.value(of: item, in: table) }
}
