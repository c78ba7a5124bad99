import CivilTime
import KeyValue

extension WriteTransaction {
    /// Undoes the last operation that has not been undone yet, and returns its label.
    ///
    /// What sync, a rollover or an expiry has written since stays as it is, field by field, and counts in `keptByUndo`. An
    /// operation of which nothing is left to take back is passed over: it is in `passedOverByUndo`, and the one before it is undone.
    ///
    /// - Throws: `nothingToUndo` when there is none, or when it has left the change log; `changedSince` when there are only
    ///   operations of which nothing is left to take back.
    @discardableResult
    public func undo() throws -> ChangeLabel {
        guard pending.isEmpty, let last = try lastRowOfCompleteLog() else { throw RecordsError.nothingToUndo }
        // A closure may catch an error and write something else, which is an edit then.
        let before = label
        var isDone = false
        defer { if !isDone { (restoration, label) = (nil, before) } }
        passedOverByUndo = []
        var others = ChangesOfOthers()
        var next = last.row.history.undoTop
        while let top = try row(next) {
            guard let start = try row(top.history.operationStart) else { throw nothingLeft(.nothingToUndo) }
            label = schema.label(of: top)
            restoration = (
                .undo, ChangeRow.History(undoTop: start.history.undoNext, redoNext: last.row.history.redoTop)
            )
            isDone = try restore(top.history.operationStart...next, with: &others, orThrow: .nothingToUndo)
            if isDone { return label }
            next = start.history.undoNext
        }
        throw nothingLeft(.nothingToUndo)
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
        passedOverByUndo = []
        var others = ChangesOfOthers()
        var next = last.row.history.redoTop
        while let undone = try row(next) {
            label = schema.label(of: undone)
            // A redone operation is undone from the row that redid it.
            restoration = (
                .redo, ChangeRow.History(undoNext: last.row.history.undoTop, redoTop: undone.history.redoNext)
            )
            isDone = try restore(undone.history.operationStart...next, with: &others, orThrow: .nothingToRedo)
            if isDone { return label }
            next = undone.history.redoNext
        }
        throw nothingLeft(.nothingToRedo)
    }

    private func nothingLeft(_ error: RecordsError) -> RecordsError {
        passedOverByUndo.isEmpty ? error : .changedSince
    }

    /// Undoes one change although others followed it. Cost: one step for each change since.
    ///
    /// - Throws: `changedSince` when a later change touched one of its records, or something that they need, such as a record that
    ///   they name; `nothingToUndo` when it has left the log.
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
        guard try forbiddenChanges().isEmpty else { throw RecordsError.changedSince }
    }

    /// Restores what an operation found, but for what others have written since. Returns false, and has changed nothing, if
    /// nothing of it is left to restore: all of its records were purged, or others have changed everything that it did.
    private func restore(
        _ rows: ClosedRange<UInt64>, with others: inout ChangesOfOthers, orThrow missing: RecordsError
    ) throws -> Bool {
        keptByUndo = 0
        let parts = try othersParts(since: rows, &others)
        for sequence in rows.reversed() {
            guard let row = try row(sequence) else { throw missing }
            try restore(row, keeping: parts)
        }
        if restoresUnderOtherChanges { try takeBackForbiddenChanges() }
        guard pending.isEmpty else { return true }
        if keptByUndo > 0 { passedOverByUndo.append(label) }
        try withEngine { try others.pass(over: rows, schema, in: $0) }
        return false
    }

    /// What changes that are not on the stack, such as those of sync, have made since of the records of an operation: restoring
    /// would take that back as well. Cost: one step for each change since that this undo has not read.
    private func othersParts(
        since rows: ClosedRange<UInt64>, _ others: inout ChangesOfOthers
    ) throws -> [PendingChanges.RecordKey: OthersPart] {
        let last = rows.upperBound
        let keys: Set<PendingChanges.RecordKey> = try withEngine { engine in
            guard try others.visit(operationEndingAt: last, schema, in: engine) else { return [] }
            restoresUnderOtherChanges = true
            let keys = try Set(rows.flatMap { try recordKeys(ofRow: $0, in: engine) })
            guard keys.contains(where: others.hasTouched) else { return [] }
            if !schema.followers.isEmpty { try others.readImages(after: last, schema, in: engine) }
            return keys
        }
        var left: [PendingChanges.RecordKey: [UInt8]?] = [:]
        for key in keys where !schema.followers.isEmpty {
            left[key] = .some(try others.image(of: key) ?? storedBytes(ofKey: key.key, in: key.collection))
        }
        var parts: [PendingChanges.RecordKey: OthersPart] = [:]
        // Of all records, since one can be two for a follower, such as a deleted task and its tombstone.
        for key in keys {
            let answers = try schema.followers.compactMap {
                try $0.othersPart(
                    ofKey: key.key, in: key.collection,
                    since: { left[PendingChanges.RecordKey(collection: $0, key: $1)] ?? nil }, self)
            }
            // Without a follower the change log has what others wrote.
            if let part = answers.first ?? others.part(of: key, among: keys, schema), !part.isNothing {
                parts[key] = part
            }
        }
        return parts
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
            let bySelf = try collection.fieldsOfRestoration(
                key, to: entry.image ?? [], from: current ?? [], in: self)
            if entry.changedFields & part.fields & ~bySelf != 0 { keptByUndo += 1 }
            let own = entry.changedFields & ~part.fields
            var isSame = true
            for number in 1...63 where own & 1 << UInt64(number) != 0 {
                let field = image.fields.first { $0.number == number }
                let found = fields.fields.first { $0.number == number }
                if bySelf & 1 << UInt64(number) == 0, field != found { isSame = false }
                fields.fields.removeAll { $0.number == number }
                guard let field else { continue }
                fields.fields.insert(field, at: fields.fields.firstIndex { $0.number > number } ?? fields.fields.count)
            }
            // A new time of change alone takes nothing back.
            if !isSame { try collection.restore(key, to: fields.value, in: self) }
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
