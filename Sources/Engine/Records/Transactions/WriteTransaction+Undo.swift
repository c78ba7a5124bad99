import CivilTime
import KeyValue

extension WriteTransaction {
    /// Undoes the last operation that has not been undone yet, and returns its label.
    ///
    /// - Throws: `nothingToUndo` when there is none, or when it has left the change log.
    @discardableResult
    public func undo() throws -> ChangeLabel {
        guard pending.isEmpty, let last = try lastRowOfCompleteLog() else { throw RecordsError.nothingToUndo }
        // A closure may catch an error and write something else, which is an edit then.
        let before = label
        var isDone = false
        defer { if !isDone { (restoration, label) = (nil, before) } }
        var next = last.row.history.undoTop
        while let top = try row(next) {
            guard let start = try row(top.history.operationStart) else { throw RecordsError.nothingToUndo }
            label = schema.label(of: top)
            try checkUntouched(since: next, in: top.history.operationStart...next)
            restoration = (
                .undo, ChangeRow.History(undoTop: start.history.undoNext, redoNext: last.row.history.redoTop)
            )
            try restore(top.history.operationStart...next) { .nothingToUndo }
            next = start.history.undoNext
            // All of its records were purged, so nothing was restored: continue with the operation before it.
            if pending.isEmpty { continue }
            isDone = true
            return label
        }
        throw RecordsError.nothingToUndo
    }

    /// Redoes the last operation that was undone, and returns its label.
    ///
    /// - Throws: `nothingToRedo` when there is none. Every new change clears the stack for redo.
    @discardableResult
    public func redo() throws -> ChangeLabel {
        guard pending.isEmpty, let last = try lastRowOfCompleteLog() else { throw RecordsError.nothingToRedo }
        // A closure may catch an error and write something else, which is an edit then.
        let before = label
        var isDone = false
        defer { if !isDone { (restoration, label) = (nil, before) } }
        var next = last.row.history.redoTop
        while let undone = try row(next) {
            label = schema.label(of: undone)
            try checkUntouched(since: next, in: undone.history.operationStart...next)
            // A redone operation is undone from the row that redid it.
            restoration = (
                .redo, ChangeRow.History(undoNext: last.row.history.undoTop, redoTop: undone.history.redoNext)
            )
            try restore(undone.history.operationStart...next) { .nothingToRedo }
            next = undone.history.redoNext
            if pending.isEmpty { continue }
            isDone = true
            return label
        }
        throw RecordsError.nothingToRedo
    }

    /// Undoes one change although others followed it. Cost: one step for each change since.
    ///
    /// - Throws: `changedSince` when a later change touched one of its records, `nothingToUndo` when it has left the log.
    public func undo(_ sequence: UInt64) throws {
        // A missing row could concern a record of this change, so the log must be complete here as well.
        if let last = try lastRowOfCompleteLog(), last.row.history.undoTop == sequence {
            try undo()
            return
        }
        // Purged records cannot be restored, and a change without others must not count as undone.
        guard let row = try row(sequence), row.entries.contains(where: { !$0.isPurged }) else {
            throw RecordsError.nothingToUndo
        }
        try checkUntouched(since: sequence, in: sequence...sequence, by: { _ in true })
        try restore(row)
    }

    /// Refuses to undo or redo an operation when a change that is not on the stack, such as one of sync, has touched one of
    /// its records since: restoring would take that back as well. Cost: one step for each change since.
    private func checkUntouched(
        since last: UInt64, in rows: ClosedRange<UInt64>,
        by counts: (ChangeRow) -> Bool = { !$0.label.origin.isUndoable }
    ) throws {
        let log = ChangeLog(schema: schema)
        try withEngine { engine in
            guard try log.lastSequence(in: engine) > last else { return }
            var touched: [UInt64] = []
            try log.forEach(after: last, headOnly: true, in: engine) { sequence, later in
                if counts(later) { touched.append(sequence) }
                return true
            }
            guard !touched.isEmpty else { return }
            restoresUnderOtherChanges = true
            let keys = try Set(rows.flatMap { try recordKeys(ofRow: $0, in: engine) })
            for sequence in touched where try !keys.isDisjoint(with: recordKeys(ofRow: sequence, in: engine)) {
                throw RecordsError.changedSince
            }
        }
    }

    private func recordKeys(
        ofRow sequence: UInt64, in engine: borrowing RawReadTransaction
    ) throws -> [PendingChanges.RecordKey] {
        try (ChangeLog(schema: schema).row(sequence, in: engine)?.entries ?? []).map {
            PendingChanges.RecordKey(collection: $0.collection, key: $0.key)
        }
    }

    /// Restores what was before the rows of an operation, the last row first.
    private func restore(
        _ rows: ClosedRange<UInt64>, orThrow missing: () -> RecordsError
    ) throws {
        for sequence in rows.reversed() {
            guard let row = try row(sequence) else { throw missing() }
            try restore(row)
        }
    }

    private func restore(_ row: ChangeRow) throws {
        for entry in row.entries.reversed() where !entry.isPurged {
            guard let collection = schema.collection(number: entry.collection) else {
                throw RecordsError.unknownCollection(name: "number \(entry.collection)")
            }
            try collection.restore(KeyBytes(entry.key), to: entry.image, in: self)
        }
    }

    private func row(_ sequence: UInt64) throws -> ChangeRow? {
        guard sequence != 0 else { return nil }
        return try withEngine { try ChangeLog(schema: schema).row(sequence, in: $0) }
    }

    /// The last row, of a log that has as many rows as it should: a log that lost its end would undo the wrong operation.
    private func lastRowOfCompleteLog() throws -> (sequence: UInt64, row: ChangeRow)? {
        // Earlier writes of the session are not in the log yet.
        if draft != nil { throw NotInDraft() }
        try withEngine { engine in
            guard try ChangeLog(schema: schema).isComplete(in: engine) else {
                throw schema.changes.damage(KeyBytes().bytes)
            }
        }
        return try lastRow()
    }

    func lastRow() throws -> (sequence: UInt64, row: ChangeRow)? {
        try withEngine { engine in
            let log = ChangeLog(schema: schema)
            let sequence = try log.lastSequence(in: engine)
            return try log.row(sequence, headOnly: true, in: engine).map { (sequence, $0) }
        }
    }
}

extension BoundCollection: StoredCollection {
    var recordsTable: ChecksummedTable { records }

    var derivedTables: [DerivedTable] {
        (indexes + multiIndexes).map { DerivedTable(part: $0, kind: .index) }
            + rollUps.map { DerivedTable(part: $0, kind: .rollUp) }
            + tallies.map { DerivedTable(part: $0, kind: .tally) }
    }

    var referrers: [Referrer] {
        references.map { reference in
            Referrer(
                collection: self, index: indexes[reference.position], position: reference.position,
                target: reference.target, rule: reference.rule.rule)
        }
    }

    func put(_ key: KeyBytes, _ value: [UInt8], in transaction: WriteTransaction) throws {
        guard let record = validRecord(key.bytes, value.span.bytes) else {
            throw RecordsError.refusedRecord(collection: name, key: key.hexadecimal)
        }
        let old = try transaction.withEngine { try stored(key, in: $0) }
        try transaction.replace(key, old: old, with: value, as: record, in: self)
    }

    /// Puts the stored bytes of a record back, including fields that this version does not know.
    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws {
        let old = try transaction.withEngine { try stored(key, in: $0) }
        guard let image else {
            guard let old else { return }
            return try transaction.replace(key, old: old, with: nil, as: nil, in: self)
        }
        var record = try decode(key.bytes, image.span.bytes)
        var current: R?
        if let old { current = try decode(key.bytes, old.bytes.span.bytes) }
        record.restored(replacing: current, at: transaction.context.clock.wall)
        var encoder = FieldEncoder()
        encoder.carryOver(from: image)
        record.encode(into: &encoder)
        encoder.finish()
        try transaction.replace(key, old: old, with: encoder.bytes, as: record, in: self)
    }
}
