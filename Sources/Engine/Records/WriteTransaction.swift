import CivilTime
import KeyValue

/// The right to change records, for the length of one closure. A throw leaves nothing of what the closure did.
///
/// Index entries that change, the roll-ups, the counts and one row of the change log are kept in the same transaction.
public final class WriteTransaction: ReadTransaction {
    /// What the change log will say of this transaction.
    public var label: ChangeLabel
    /// New ids, ascending in the order in which they are made.
    public let identifiers: IdentifierGenerator
    private var writer: RawWriteTransaction?
    private var pending = PendingChanges()
    private let retention: ChangeLogRetention
    private let oldestNeeded: UInt64
    /// Set by undo and redo, which write their own links.
    private var restoration: (kind: ChangeRow.Kind, history: ChangeRow.History)?
    /// The row that this transaction continues: an operation of several transactions is undone as one.
    private let continuedOperation: UInt64?
    /// Nil unless a fault injection point postpones writes.
    private let postponed: PostponedWrites?
    /// False only where a fault injection point says so.
    private let reversesCounts: Bool
    /// Set when the change log was mended: the last number that it had given, as far as is known. A row is then written
    /// though nothing else was changed.
    private var lastSequenceBeforeMending: UInt64?

    init(
        schema: BoundSchema, context: Context, identifiers: IdentifierGenerator, label: ChangeLabel,
        retention: ChangeLogRetention, oldestNeeded: UInt64, continuing operation: UInt64?,
        postponed: PostponedWrites? = nil, reversesCounts: Bool = true, engine: consuming RawWriteTransaction
    ) {
        self.label = label
        self.identifiers = identifiers
        self.retention = retention
        self.oldestNeeded = oldestNeeded
        self.continuedOperation = operation
        self.postponed = postponed
        self.reversesCounts = reversesCounts
        let reads = engine.reads
        self.writer = consume engine
        super.init(schema: schema, context: context, engine: reads)
    }

    // MARK: Records

    /// Writes a record, in place of an older one of its id. Nothing is written when nothing changed.
    public func put<R: Record>(_ record: R) throws(RecordsError) {
        let collection = try schema.collection(of: R.self)
        let key = record.id.keyBytes
        try rethrowing {
            let old = try withEngine { try collection.stored(key, in: $0) }
            var encoder = FieldEncoder()
            if let old { encoder.carryOver(from: old.bytes) }
            record.encode(into: &encoder)
            encoder.finish()
            try replace(key, old: old, with: encoder.bytes, as: record, in: collection)
        }
    }

    /// Writes a record whose id must be new. Throws `duplicate` when it is not.
    public func insert<R: Record>(_ record: R) throws(RecordsError) {
        let collection = try schema.collection(of: R.self)
        let key = record.id.keyBytes
        if try withEngine({ try $0.contains(key.bytes, in: collection.records.table) }) {
            throw .duplicate(collection: collection.name, key: key.hexadecimal)
        }
        try put(record)
    }

    /// Removes the record of an id; false when there was none.
    @discardableResult
    public func delete<R: Record>(_ type: R.Type, id: R.ID) throws(RecordsError) -> Bool {
        let collection = try schema.collection(of: type)
        let key = id.keyBytes
        return try rethrowing {
            guard let old = try withEngine({ try collection.stored(key, in: $0) }) else { return false }
            try replace(key, old: old, with: nil, as: nil, in: collection)
            return true
        }
    }

    fileprivate func replace<R: Record>(
        _ key: KeyBytes, old: (bytes: [UInt8], hash: UInt64)?, with bytes: [UInt8]?, as record: R?,
        in collection: BoundCollection<R>
    ) throws {
        if let old, let bytes, old.bytes == bytes { return }
        let oldRecord = try old.map { try collection.decode(key.bytes, $0.bytes.span.bytes) }
        try moveIndexEntries(key, from: oldRecord, to: record, in: collection)
        let instantsBefore = oldRecord.map(collection.instants)
        let instantsAfter = record.map(collection.instants)
        for (position, rollUp) in collection.rollUps.enumerated() {
            let before = instantsBefore?[position]
            let after = instantsAfter?[position]
            guard before != after else { continue }
            if let before, reversesCounts { pending.count(-1, at: before, in: rollUp.table.name) }
            if let after { pending.count(1, at: after, in: rollUp.table.name) }
        }
        var count = RecordCount()
        if let old {
            count.count -= 1
            count.digest &-= old.hash
        }
        if let bytes {
            count.count += 1
            count.digest &+= try withWriter { try collection.records.put(key, bytes, in: $0) }
        } else {
            try withWriter { _ = try $0.delete(key.bytes, in: collection.records.table) }
        }
        pending.count(count, in: collection.number)
        pending.note(
            ChangeRow.Entry(
                collection: collection.number, key: key.array,
                changedFields: FieldLayout.changedFields(from: old?.bytes ?? [0], to: bytes ?? [0]),
                image: old?.bytes, isPresent: bytes != nil))
    }

    /// Only entries whose key changed are written.
    private func moveIndexEntries<R: Record>(
        _ key: KeyBytes, from old: R?, to new: R?, in collection: BoundCollection<R>
    ) throws {
        // All keys of one record at a time: a record is large, and each look into an optional one copies it.
        var keysBefore: [KeyBytes?]?
        if let old { keysBefore = collection.keys(of: old) }
        var keysAfter: [KeyBytes?]?
        if let new { keysAfter = collection.keys(of: new) }
        for (position, index) in collection.indexes.enumerated() {
            let before = keysBefore?[position]
            let after = keysAfter?[position]
            if let before, let after, before.bytes.isEqual(to: after.bytes) { continue }
            if before == nil, after == nil { continue }
            let table = index.table
            if let postponed, postponed.takes(.indexOutsideTransaction) {
                postponed.add { try Self.moveEntry(of: key, from: before, to: after, in: table, engine: $0) }
            } else {
                try withWriter { try Self.moveEntry(of: key, from: before, to: after, in: table, engine: $0) }
            }
        }
    }

    private static func moveEntry(
        of key: KeyBytes, from before: KeyBytes?, to after: KeyBytes?, in table: SealedTable,
        engine: borrowing RawWriteTransaction
    ) throws {
        if var before {
            before.append(contentsOf: key)
            try engine.delete(before.bytes, in: table.table)
        }
        if var after {
            after.append(contentsOf: key)
            try table.put(after, in: engine)
        }
    }

    // MARK: Undo

    /// Takes back the last operation that has not been taken back, and returns its label.
    ///
    /// Throws `nothingToUndo` when there is none, or when the log no longer reaches back to it.
    @discardableResult
    public func undo() throws(RecordsError) -> ChangeLabel {
        try rethrowing {
            guard pending.isEmpty, let last = try wholeLogsLastRow() else { throw RecordsError.nothingToUndo }
            var next = last.row.history.undoTop
            while let top = try row(next) {
                guard let start = try row(top.history.operationStart) else { throw RecordsError.nothingToUndo }
                for sequence in (top.history.operationStart...next).reversed() {
                    guard let row = try row(sequence) else { throw RecordsError.nothingToUndo }
                    try restore(row)
                }
                next = start.history.undoNext
                // Nothing of it was left, since its records were forgotten: the one before is meant.
                if pending.isEmpty { continue }
                label = top.label
                restoration = (
                    .undo,
                    ChangeRow.History(
                        operationStart: last.sequence + 1, undoTop: next, undoNext: 0,
                        redoTop: last.sequence + 1, redoNext: last.row.history.redoTop)
                )
                return top.label
            }
            throw RecordsError.nothingToUndo
        }
    }

    /// Brings back the last operation that was taken back, and returns its label.
    ///
    /// Throws `nothingToRedo` when there is none; every new change ends the chance to redo.
    @discardableResult
    public func redo() throws(RecordsError) -> ChangeLabel {
        try rethrowing {
            guard pending.isEmpty, let last = try wholeLogsLastRow() else { throw RecordsError.nothingToRedo }
            var next = last.row.history.redoTop
            while let undone = try row(next) {
                try restore(undone)
                next = undone.history.redoNext
                if pending.isEmpty { continue }
                label = undone.label
                // What undo comes to after this is the latest row of it: an operation that was brought back, too, is taken
                // back from the row that brought it back.
                restoration = (
                    .redo,
                    ChangeRow.History(
                        operationStart: last.sequence + 1, undoTop: last.sequence + 1,
                        undoNext: last.row.history.undoTop, redoTop: next, redoNext: 0)
                )
                return undone.label
            }
            throw RecordsError.nothingToRedo
        }
    }

    /// Takes back one change though others came after it. Throws `changedSince` when one of those touched a record of
    /// it. Cost: one step for each change since.
    public func undo(_ sequence: UInt64) throws(RecordsError) {
        try rethrowing {
            // A row that is missing could be of a record that the change is about, so the log must be whole here as well.
            if let last = try wholeLogsLastRow(), last.row.history.undoTop == sequence {
                try undo()
                return
            }
            // What was forgotten since cannot come back, and nothing that was done must not pass for something.
            guard let row = try row(sequence), row.entries.contains(where: { !$0.isForgotten }) else {
                throw RecordsError.nothingToUndo
            }
            let keys = Set(row.entries.map { PendingChanges.RecordKey(collection: $0.collection, key: $0.key) })
            try withEngine { engine in
                try ChangeLog(schema: schema).forEach(after: sequence, in: engine) { _, later in
                    for entry in later.entries
                    where keys.contains(PendingChanges.RecordKey(collection: entry.collection, key: entry.key)) {
                        throw RecordsError.changedSince
                    }
                    return true
                }
            }
            try restore(row)
        }
    }

    private func restore(_ row: ChangeRow) throws {
        for entry in row.entries.reversed() where !entry.isForgotten {
            guard let collection = schema.collection(number: entry.collection) else {
                throw RecordsError.unknownCollection(name: "number \(entry.collection)")
            }
            try collection.restore(KeyBytes(entry.key), to: entry.image, in: self)
        }
    }

    private func row(_ sequence: UInt64) throws(RecordsError) -> ChangeRow? {
        guard sequence != 0 else { return nil }
        return try withEngine { try ChangeLog(schema: schema).row(sequence, in: $0) }
    }

    /// The last row of a log that has as many rows as it should: one that has lost its end would undo the wrong operation.
    private func wholeLogsLastRow() throws(RecordsError) -> (sequence: UInt64, row: ChangeRow)? {
        try withEngine { engine in
            guard try ChangeLog(schema: schema).isWhole(in: engine) else {
                throw schema.changes.damage(KeyBytes().bytes)
            }
        }
        return try lastRow()
    }

    private func lastRow() throws(RecordsError) -> (sequence: UInt64, row: ChangeRow)? {
        try withEngine { engine in
            let log = ChangeLog(schema: schema)
            let sequence = try log.lastSequence(in: engine)
            return try log.row(sequence, headOnly: true, in: engine).map { (sequence, $0) }
        }
    }

    /// The ids of the records of a type that this transaction has changed so far.
    package func changedIDs<R: Record>(of type: R.Type) throws(RecordsError) -> [R.ID] {
        let number = try schema.collection(of: type).number
        var ids: [R.ID] = []
        for entry in pending.entries where entry.collection == number {
            let key = KeyBytes(entry.key)
            var decoder = KeyDecoder(key.bytes)
            ids.append(try R.ID(decoding: &decoder))
        }
        return ids
    }

    // MARK: Forgetting

    /// Removes every image of a record from the change log, and what a rebuild has set aside of it, so that nothing of
    /// its content is left. Cost: one step for each change that is kept.
    ///
    /// - Returns: whether something of it had been set aside.
    @discardableResult
    public func forgetHistory<R: Record>(of type: R.Type, id: R.ID) throws(RecordsError) -> Bool {
        let collection = try schema.collection(of: type)
        let key = id.keyBytes.array
        pending.forget(PendingChanges.RecordKey(collection: collection.number, key: key))
        try rethrowing {
            let log = ChangeLog(schema: schema)
            var rewritten: [(sequence: UInt64, row: ChangeRow)] = []
            try withEngine { engine in
                try log.forEach(after: 0, in: engine) { sequence, row in
                    var shorter = row
                    shorter.entries.removeAll { $0.collection == collection.number && $0.key == key }
                    if shorter.entries.count < row.entries.count { rewritten.append((sequence, shorter)) }
                    return true
                }
            }
            try withWriter { engine in
                for (sequence, row) in rewritten { try log.append(row, as: sequence, in: engine) }
            }
        }
        return try withWriter { try schema.lost?.remove(id.keyBytes, in: collection.number, $0) ?? false }
    }

    // MARK: Mending

    /// Notes that a record was set aside: it is gone, and nothing in the log can bring back what it was last.
    func noteLoss(of key: KeyBytes, in collection: UInt32) {
        pending.note(
            ChangeRow.Entry(
                collection: collection, key: key.array, changedFields: .max << 1, image: nil, isPresent: false,
                isForgotten: true))
    }

    /// Removes what is damaged from the change log, and all before it, since nothing may be missing in between. Returns
    /// how many rows that were. The log goes on with a row of its own, so that numbers rise and feeds notice.
    func mendChanges(as before: borrowing RawReadTransaction) throws -> Int {
        let remains = try ChangeLog(schema: schema).remains(in: before)
        let hasRecords = try schema.collections.contains {
            try before.entryCount(of: $0.recordsTable.table) > 0
        }
        guard remains.isDamaged || remains.rows.isEmpty && hasRecords else { return 0 }
        try withWriter { engine in
            try engine.removeAll(in: schema.changes.table)
            for (sequence, value) in remains.rows {
                try schema.changes.put(sequence.keyBytes, value, in: engine)
            }
        }
        lastSequenceBeforeMending = remains.last
        return remains.rowsLost
    }

    // MARK: The end of the closure

    /// Writes the counters and the change log's row. Returns the row's sequence number, 0 when nothing changed.
    func finish() throws -> UInt64 {
        pending.settle()
        guard !pending.isEmpty || lastSequenceBeforeMending != nil else { return 0 }
        try writeRollUps()
        for (collection, change) in pending.counts.sorted(by: { $0.key < $1.key }) where change != .none {
            let key = Meta.countKey(collection)
            var count = try withEngine { engine in
                try schema.meta.get(key, in: engine) { value, _ in RecordCount(value) } ?? .none
            }
            count += change
            try withWriter { _ = try schema.meta.put(key, count.encoded, in: $0) }
        }
        return try appendRow()
    }

    private func writeRollUps() throws {
        let cells = pending.cells.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        if cells.isEmpty { return }
        let tables = Dictionary(
            schema.collections.flatMap(\.derivedTables).map { ($0.table.name, $0.table) },
            uniquingKeysWith: { first, _ in first })
        if let postponed, postponed.takes(.rollUpInSecondTransaction) {
            postponed.add { try Self.writeRollUps(cells, in: tables, engine: $0) }
        } else {
            try withWriter { try Self.writeRollUps(cells, in: tables, engine: $0) }
        }
    }

    /// Takes changes of cells in the order of their rows, so that each row is written once.
    private static func writeRollUps(
        _ cells: [(key: PendingChanges.Cell, value: Int)], in tables: [String: SealedTable],
        engine: borrowing RawWriteTransaction
    ) throws {
        var position = 0
        while position < cells.count {
            let first = cells[position].key
            guard let table = tables[first.table] else { throw RecordsError.unknownCollection(name: first.table) }
            let key = first.day.keyBytes
            var row = try table.get(key, in: engine.reads) { value, _ in RollUpRow(decoding: value) } ?? RollUpRow()
            while position < cells.count, cells[position].key.table == first.table, cells[position].key.day == first.day
            {
                guard row.add(cells[position].value, toQuarter: cells[position].key.quarter) else {
                    throw RecordsError.damagedEntry(table: table.name, key: key.hexadecimal)
                }
                position += 1
            }
            if row.quarters.isEmpty {
                try engine.delete(key.bytes, in: table.table)
            } else {
                try table.put(key, row.encoded(for: key, in: table), in: engine)
            }
        }
    }

    private func appendRow() throws -> UInt64 {
        let log = ChangeLog(schema: schema)
        // A damaged row ends the history that undo can reach, not the writing.
        let last = try? lastRow()
        let before = try last?.sequence ?? withEngine { try log.lastSequence(in: $0) }
        // Nobody has made so many changes: the key of the last row is damaged, and numbers must not run out.
        guard before < 1 << 62 else { throw schema.changes.damage(before.keyBytes.bytes) }
        let sequence = max(before, lastSequenceBeforeMending ?? 0) + 1
        var history = ChangeRow.History(
            operationStart: sequence, undoTop: sequence, undoNext: last?.row.history.undoTop ?? 0)
        if let last, let continuedOperation, last.row.kind == .edit,
            last.row.history.operationStart == continuedOperation
        {
            history.operationStart = continuedOperation
            history.undoNext = last.row.history.undoNext
        }
        let row = ChangeRow(
            instant: context.clock.wall, kind: restoration?.kind ?? .edit, label: label,
            history: restoration?.history ?? history, entries: pending.entries)
        try withWriter { engine in
            try log.append(row, as: sequence, in: engine)
            // Every 64th change looks back; a look at each would cost every write a page at the log's other end.
            if sequence % 64 == 0 {
                try log.trim(retention, now: row.instant, keepingFrom: oldestNeeded, in: engine)
            }
            if schema.injectionPoint(.trimsLogTooEarly) { try log.removeAll(before: sequence, in: engine) }
        }
        return sequence
    }

    func withWriter<Result>(
        _ body: (borrowing RawWriteTransaction) throws -> Result
    ) throws(RecordsError) -> Result {
        switch writer {
        case .some(let writer): return try rethrowing { try body(writer) }
        case .none: throw .transactionEnded
        }
    }

    override func end() {
        super.end()
        writer = nil
    }
}

extension BoundCollection: StoredCollection {
    var recordsTable: SealedTable { records }

    var derivedTables: [DerivedTable] {
        indexes.map { DerivedTable(table: $0.table, kind: .index, version: $0.version) }
            + rollUps.map { DerivedTable(table: $0.table, kind: .rollUp, version: $0.version) }
    }

    func put(_ key: KeyBytes, _ value: [UInt8], in transaction: WriteTransaction) throws {
        guard let record = soundRecord(key.bytes, value.span.bytes) else {
            throw RecordsError.refusedRecord(collection: name, key: key.hexadecimal)
        }
        let old = try transaction.withEngine { try stored(key, in: $0) }
        try transaction.replace(key, old: old, with: value, as: record, in: self)
    }

    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws {
        try transaction.restore(key, to: image, in: self)
    }
}

extension WriteTransaction {
    /// Puts the stored bytes of a record back, including fields that this version does not know.
    fileprivate func restore<R: Record>(
        _ key: KeyBytes, to image: [UInt8]?, in collection: BoundCollection<R>
    ) throws {
        let old = try withEngine { try collection.stored(key, in: $0) }
        guard let image else {
            guard let old else { return }
            return try replace(key, old: old, with: nil, as: nil, in: collection)
        }
        var record = try collection.decode(key.bytes, image.span.bytes)
        let current = try old.map { try collection.decode(key.bytes, $0.bytes.span.bytes) }
        record.restored(replacing: current, at: context.clock.wall)
        var encoder = FieldEncoder()
        encoder.carryOver(from: image)
        record.encode(into: &encoder)
        encoder.finish()
        try replace(key, old: old, with: encoder.bytes, as: record, in: collection)
    }
}
