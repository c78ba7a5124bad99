import KeyValue

/// What changes that are on no stack, such as those of sync, a rollover or an expiry, did since the operations that one undo or
/// redo visits. It visits them from the newest to the oldest, so each row of the change log is read once, however many it passes over.
struct ChangesOfOthers {
    /// What such changes have written of each record since the oldest operation that was visited.
    private var written: [PendingChanges.RecordKey: OthersPart] = [:]
    /// The rows from this one on are in `written`.
    private var writtenFrom: UInt64 = .max
    /// The bytes that records had before the oldest row since, by whomever.
    private var images: [PendingChanges.RecordKey: [UInt8]?] = [:]
    /// The rows from this one on are in `images`.
    private var imagesFrom: UInt64 = .max

    /// Reads the rows after an operation. Returns whether one of them is of others.
    mutating func visit(
        operationEndingAt last: UInt64, _ schema: BoundSchema, in engine: borrowing RawReadTransaction
    ) throws -> Bool {
        let log = ChangeLog(schema: schema)
        var others: [UInt64] = []
        var restorations: [(before: ChangeRow.History?, row: ChangeRow)] = []
        var before: ChangeRow.History?
        try log.forEach(after: last, headOnly: true, in: engine) { sequence, row in
            guard sequence < writtenFrom else { return false }
            if !row.label.origin.isUndoable {
                others.append(sequence)
            } else if row.kind != .edit {
                restorations.append((before, row))
            }
            before = row.history
            return true
        }
        writtenFrom = min(writtenFrom, last + 1)
        for sequence in others { try add(sequence, schema, in: engine) }
        for restoration in restorations {
            // The first one may follow the operation itself.
            guard let before = try restoration.before ?? log.row(last, headOnly: true, in: engine)?.history else {
                continue
            }
            for rows in try log.passedOver(by: restoration.row, after: before, in: engine) {
                try pass(over: rows, schema, in: engine)
            }
        }
        return !written.isEmpty
    }

    /// Counts an operation that is passed over as one of others: what it has left stays, and the operations before it did not find it
    /// so. Not what was purged of it, or moved to the quarantine: an older image may bring that back.
    mutating func pass(
        over rows: ClosedRange<UInt64>, _ schema: BoundSchema, in engine: borrowing RawReadTransaction
    ) throws {
        for sequence in rows { try add(sequence, schema, in: engine) { !$0.isPurged } }
    }

    private mutating func add(
        _ sequence: UInt64, _ schema: BoundSchema, in engine: borrowing RawReadTransaction,
        where counts: (ChangeRow.Entry) -> Bool = { _ in true }
    ) throws {
        for entry in try ChangeLog(schema: schema).row(sequence, in: engine)?.entries ?? [] where counts(entry) {
            let key = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
            var part = written[key] ?? OthersPart(fields: 0, existence: false)
            part.fields |= entry.changedFields
            part.existence = part.existence || entry.wasThere != entry.isPresent
            written[key] = part
        }
    }

    /// Whether others have touched a record since.
    func hasTouched(_ key: PendingChanges.RecordKey) -> Bool { written[key] != nil }

    /// What others have written since of a record that an operation has changed; nil if they have not touched it. Where the operation
    /// has changed a record and its tombstone, what others have written of either keeps both as they are.
    func part(
        of key: PendingChanges.RecordKey, among keys: Set<PendingChanges.RecordKey>, _ schema: BoundSchema
    ) -> OthersPart? {
        let part = written[key]
        guard let twin = schema.twins[key.collection].map({ PendingChanges.RecordKey(collection: $0, key: key.key) }),
            keys.contains(twin), part != nil || hasTouched(twin)
        else { return part }
        return OthersPart(fields: part?.fields ?? 0, existence: true)
    }

    /// Reads what records were after an operation, for those that have changed since.
    mutating func readImages(
        after last: UInt64, _ schema: BoundSchema, in engine: borrowing RawReadTransaction
    ) throws {
        var older: [PendingChanges.RecordKey: [UInt8]?] = [:]
        try ChangeLog(schema: schema).forEach(after: last, in: engine) { sequence, row in
            guard sequence < imagesFrom else { return false }
            for entry in row.entries {
                let key = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
                // What the first change since has found.
                if older[key] == nil { older[key] = .some(entry.image) }
            }
            return true
        }
        imagesFrom = min(imagesFrom, last + 1)
        images.merge(older) { _, older in older }
    }

    /// The bytes that a record had after the operation whose images were read last, nil inside if it was not there; nil if it
    /// has not changed since.
    func image(of key: PendingChanges.RecordKey) -> [UInt8]?? { images[key] }
}

extension ChangeLog {
    /// The rows of the operations that an undo or redo has passed over: those between the top of the stack before it and the
    /// operation that it has restored. Usually none. Cost: two look-ups for each of these operations.
    fileprivate func passedOver(
        by row: ChangeRow, after before: ChangeRow.History, in engine: borrowing RawReadTransaction
    ) throws -> [ClosedRange<UInt64>] {
        var operations: [ClosedRange<UInt64>] = []
        let isUndo = row.kind == .undo
        let end = isUndo ? row.history.undoTop : row.history.redoTop
        var next = isUndo ? before.undoTop : before.redoTop
        while next != end {
            // A log that has lost them has lost what they did as well.
            guard let top = try self.row(next, headOnly: true, in: engine),
                let start = try self.row(top.history.operationStart, headOnly: true, in: engine)
            else { return [] }
            operations.append(top.history.operationStart...next)
            next = isUndo ? start.history.undoNext : top.history.redoNext
        }
        return operations.dropLast()
    }
}

extension BoundCollection {
    /// The fields that undo and redo set by themselves when they restore a record, such as its time of change: that others have
    /// written them is no reason to keep anything.
    func fieldsOfRestoration(
        _ key: KeyBytes, to image: [UInt8], from current: [UInt8], in transaction: WriteTransaction
    ) throws -> UInt64 {
        var record = try decode(key.bytes, image.span.bytes)
        record.restored(
            replacing: try decode(key.bytes, current.span.bytes), at: transaction.context.clock.wall)
        var encoder = FieldEncoder()
        encoder.carryOver(from: image)
        record.encode(into: &encoder)
        encoder.finish()
        return FieldLayout.changedFields(from: image, to: encoder.bytes)
    }
}
