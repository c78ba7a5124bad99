import CivilTime
import KeyValue

extension WriteTransaction {
    /// Undoes the last operation that has not been undone yet, and returns its label.
    ///
    /// What another device has changed since stays as it is, and counts in `keptByUndo`.
    ///
    /// - Throws: `nothingToUndo` when there is none, or when it has left the change log; `changedSince` when another device has
    ///   changed everything since that it did.
    @discardableResult
    public func undo() throws -> ChangeLabel {
        guard pending.isEmpty, let last = try lastRowOfCompleteLog() else { throw RecordsError.nothingToUndo }
        // A closure may catch an error and write something else, which is an edit then.
        let before = label
        var isDone = false
        defer { if !isDone { (restoration, label) = (nil, before) } }
        keptByUndo = 0
        var next = last.row.history.undoTop
        while let top = try row(next) {
            guard let start = try row(top.history.operationStart) else { throw RecordsError.nothingToUndo }
            label = schema.label(of: top)
            let others = try othersParts(since: next, in: top.history.operationStart...next)
            restoration = (
                .undo, ChangeRow.History(undoTop: start.history.undoNext, redoNext: last.row.history.redoTop)
            )
            try restore(top.history.operationStart...next, keeping: others) { .nothingToUndo }
            if pending.isEmpty, keptByUndo > 0 { throw RecordsError.changedSince }
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
    /// - Throws: `nothingToRedo` when there is none; `changedSince` as undo. Every new change clears the stack for redo.
    @discardableResult
    public func redo() throws -> ChangeLabel {
        guard pending.isEmpty, let last = try lastRowOfCompleteLog() else { throw RecordsError.nothingToRedo }
        // A closure may catch an error and write something else, which is an edit then.
        let before = label
        var isDone = false
        defer { if !isDone { (restoration, label) = (nil, before) } }
        keptByUndo = 0
        var next = last.row.history.redoTop
        while let undone = try row(next) {
            label = schema.label(of: undone)
            let others = try othersParts(since: next, in: undone.history.operationStart...next)
            // A redone operation is undone from the row that redid it.
            restoration = (
                .redo, ChangeRow.History(undoNext: last.row.history.undoTop, redoTop: undone.history.redoNext)
            )
            try restore(undone.history.operationStart...next, keeping: others) { .nothingToRedo }
            if pending.isEmpty, keptByUndo > 0 { throw RecordsError.changedSince }
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
        guard try keysTouched(since: sequence, in: sequence...sequence, by: { _ in true }).isEmpty else {
            throw RecordsError.changedSince
        }
        try restore(row)
    }

    /// What changes that are not on the stack, such as those of sync, have made since of the records of an operation: restoring
    /// would take that back as well. Cost: one step for each change since.
    ///
    /// - Throws: `changedSince` if no follower knows what of it is theirs.
    private func othersParts(
        since last: UInt64, in rows: ClosedRange<UInt64>
    ) throws -> [PendingChanges.RecordKey: OthersPart] {
        let touched = try keysTouched(since: last, in: rows) { !$0.label.origin.isUndoable }
        guard !touched.isEmpty else { return [:] }
        let keys = try withEngine { engine in try Set(rows.flatMap { try recordKeys(ofRow: $0, in: engine) }) }
        let left = try images(of: keys, after: last)
        var parts: [PendingChanges.RecordKey: OthersPart] = [:]
        // Of all records, since one can be two for the engine, such as a deleted task and its tombstone.
        for key in keys {
            let answers = try schema.followers.compactMap {
                try $0.othersPart(
                    ofKey: key.key, in: key.collection,
                    since: { left[PendingChanges.RecordKey(collection: $0, key: $1)] ?? nil }, self)
            }
            guard let part = answers.first else {
                guard !touched.contains(key) else { throw RecordsError.changedSince }
                continue
            }
            if !part.isNothing { parts[key] = part }
        }
        return parts
    }

    /// The bytes that some records had after a row. Cost: one step for each row since.
    private func images(
        of keys: Set<PendingChanges.RecordKey>, after sequence: UInt64
    ) throws -> [PendingChanges.RecordKey: [UInt8]?] {
        var images: [PendingChanges.RecordKey: [UInt8]?] = [:]
        try withEngine { engine in
            try ChangeLog(schema: schema).forEach(after: sequence, in: engine) { _, row in
                for entry in row.entries {
                    let key = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
                    // What the first change since has found.
                    if keys.contains(key), images[key] == nil { images[key] = .some(entry.image) }
                }
                return true
            }
        }
        for key in keys where images[key] == nil {
            images[key] = .some(try storedBytes(ofKey: key.key, in: key.collection))
        }
        return images
    }

    /// The records of an operation that some later changes have touched.
    private func keysTouched(
        since last: UInt64, in rows: ClosedRange<UInt64>, by counts: (ChangeRow) -> Bool
    ) throws -> Set<PendingChanges.RecordKey> {
        let log = ChangeLog(schema: schema)
        return try withEngine { engine in
            guard try log.lastSequence(in: engine) > last else { return [] }
            var touched: [UInt64] = []
            try log.forEach(after: last, headOnly: true, in: engine) { sequence, later in
                if counts(later) { touched.append(sequence) }
                return true
            }
            guard !touched.isEmpty else { return [] }
            restoresUnderOtherChanges = true
            let keys = try Set(rows.flatMap { try recordKeys(ofRow: $0, in: engine) })
            var found: Set<PendingChanges.RecordKey> = []
            for sequence in touched { found.formUnion(keys.intersection(try recordKeys(ofRow: sequence, in: engine))) }
            return found
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
        _ rows: ClosedRange<UInt64>, keeping others: [PendingChanges.RecordKey: OthersPart],
        orThrow missing: () -> RecordsError
    ) throws {
        for sequence in rows.reversed() {
            guard let row = try row(sequence) else { throw missing() }
            try restore(row, keeping: others)
        }
    }

    private func restore(_ row: ChangeRow, keeping others: [PendingChanges.RecordKey: OthersPart] = [:]) throws {
        for entry in row.entries.reversed() where !entry.isPurged {
            if let part = others[.init(collection: entry.collection, key: entry.key)] {
                try restore(entry, keeping: part)
                continue
            }
            guard let collection = schema.collection(number: entry.collection) else {
                throw RecordsError.unknownCollection(name: "number \(entry.collection)")
            }
            try collection.restore(KeyBytes(entry.key), to: entry.image, in: self)
        }
    }

    /// Restores what is left of a change when what others have decided since stays.
    private func restore(_ entry: ChangeRow.Entry, keeping part: OthersPart) throws {
        guard let collection = schema.collection(number: entry.collection) else {
            throw RecordsError.unknownCollection(name: "number \(entry.collection)")
        }
        let key = KeyBytes(entry.key)
        let current = try storedBytes(ofKey: entry.key, in: entry.collection)
        switch (entry.image.flatMap { StoredFields($0) }, current.flatMap { StoredFields($0) }) {
        case (let image?, var fields?):
            let changed = (1...63).filter { entry.changedFields & 1 << UInt64($0) != 0 }
            let own = changed.filter { part.fields & 1 << UInt64($0) == 0 }
            if own.count < changed.count { keptByUndo += 1 }
            for number in own {
                fields.fields.removeAll { $0.number == number }
                guard let field = image.fields.first(where: { $0.number == number }) else { continue }
                fields.fields.insert(field, at: fields.fields.firstIndex { $0.number > number } ?? fields.fields.count)
            }
            try collection.restore(key, to: fields.value, in: self)
        case (let image?, nil) where !part.existence: try collection.restore(key, to: image.value, in: self)
        // Others have changed what was created here, or have deleted it.
        case (nil, nil): break
        case (nil, _?), (_?, nil): keptByUndo += 1
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
