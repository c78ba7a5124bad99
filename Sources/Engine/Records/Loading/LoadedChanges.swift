import CivilTime
import KeyValue

/// The rows of the change log for records that are being loaded, which are one operation.
struct LoadedChanges {
    private let log: ChangeLog
    private let table: ChecksummedTable
    private let draft: DraftEnvironment
    private let label: ChangeLabel
    private let now: Instant
    /// Removes the rows that the log does not keep.
    private let trim: (borrowing RawWriteTransaction) throws -> Void
    private let filler: TableFiller
    private var entries: [ChangeRow.Entry] = []
    private var last: ChangeRow?
    /// The first row of the operation.
    private var start: UInt64?
    private var rowsSinceTrim = 0
    /// The number of the last row.
    private(set) var sequence: UInt64

    /// How many records share a row, and after how many rows the log is trimmed, which removes as many at most.
    private static let (recordsInRow, rowsBetweenTrims) = (1000, 256)
    /// How many rows need no trimming: later changes trim, too.
    private static let rowsWithoutTrim = 64

    init(
        _ schema: BoundSchema, in draft: DraftEnvironment, by filler: TableFiller, label: ChangeLabel, now: Instant,
        trim: @escaping (borrowing RawWriteTransaction) throws -> Void
    ) throws {
        let log = ChangeLog(schema: schema)
        (sequence, last) = try draft.read { engine in
            let sequence = try log.lastSequence(in: engine)
            // A damaged row ends the history for undo.
            return (sequence, try? log.row(sequence, headOnly: true, in: engine))
        }
        // No store has had so many changes: the key of the last row is damaged, and the numbers must not run out.
        guard sequence < 1 << 62 else { throw schema.changes.damage(sequence.keyBytes.bytes) }
        self.log = log
        table = schema.changes
        self.draft = draft
        self.label = label
        self.now = now
        self.trim = trim
        self.filler = filler
    }

    /// Notes a new record.
    mutating func add(_ key: RawSpan, _ value: RawSpan, in collection: UInt32) throws {
        entries.append(
            ChangeRow.Entry(
                collection: collection, key: key.copied, changedFields: FieldLayout.fields(of: value), image: nil,
                isPresent: true))
        if entries.count >= Self.recordsInRow { try writeRow() }
    }

    /// Writes what is left.
    mutating func finish() throws {
        if !entries.isEmpty { try writeRow() }
        if rowsSinceTrim >= Self.rowsWithoutTrim { try trimLog() }
    }

    private mutating func writeRow() throws {
        sequence += 1
        var row = ChangeRow(
            instant: now, kind: .edit, label: label,
            history: ChangeRow.History(
                ofEdit: sequence, after: last, continuing: start, isUndoable: label.origin.isUndoable),
            entries: entries)
        start = row.history.operationStart
        let (key, value) = (sequence.keyBytes, row.encoded)
        let hash = table.hash(key: key.bytes, value: value.span.bytes)
        try filler.append(key.bytes, value.span.bytes, checksum: UInt32(truncatingIfNeeded: hash), to: table.table)
        entries.removeAll(keepingCapacity: true)
        row.entries = []
        last = row
        rowsSinceTrim += 1
        if rowsSinceTrim >= Self.rowsBetweenTrims { try trimLog() }
    }

    private mutating func trimLog() throws {
        rowsSinceTrim = 0
        try filler.flush()
        try draft.write { try trim($0) }
        // To remove a row, LMDB looks at its pages.
        draft.releasePages()
    }
}
