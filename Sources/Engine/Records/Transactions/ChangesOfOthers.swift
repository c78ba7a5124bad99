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
        try log.forEach(after: last, headOnly: true, in: engine) { sequence, row in
            guard sequence < writtenFrom else { return false }
            if !row.label.origin.isUndoable { others.append(sequence) }
            return true
        }
        writtenFrom = min(writtenFrom, last + 1)
        for sequence in others {
            for entry in try log.row(sequence, in: engine)?.entries ?? [] {
                let key = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
                var part = written[key] ?? OthersPart(fields: 0, existence: false)
                part.fields |= entry.changedFields
                part.existence = part.existence || entry.wasThere != entry.isPresent
                written[key] = part
            }
        }
        return !written.isEmpty
    }

    /// What others have written of a record since; nil if they have not touched it.
    func part(of key: PendingChanges.RecordKey) -> OthersPart? { written[key] }

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
