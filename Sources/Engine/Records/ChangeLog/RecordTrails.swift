import KeyValue

/// What the rows of the change log did to each record, and where they do not agree: each change must find the record as
/// the change before it left it, and the store must have it as the last one left it.
///
/// A row of another store, or of another time, has a valid checksum. Only this shows that it does not belong here.
struct RecordTrails {
    /// The last change of a record.
    private struct Step {
        let sequence: UInt64
        let entry: ChangeRow.Entry

        /// Whether the record can be what the change left: only the fields that it changed differ.
        func canLeave(_ found: [UInt8]) -> Bool {
            guard entry.isPresent else { return false }
            if entry.isPurged { return true }
            let changed = FieldLayout.changedFields(from: entry.image ?? [0], to: found)
            return entry.hasExactFields ? changed == entry.changedFields : changed & ~entry.changedFields == 0
        }
    }

    private var steps: [PendingChanges.RecordKey: Step] = [:]
    /// The changes after which a record is not as they left it.
    private(set) var contradicted: Set<UInt64> = []

    /// Takes what the next row did to the records.
    mutating func follow(_ entries: [ChangeRow.Entry], of sequence: UInt64) {
        for entry in entries {
            let step = Step(sequence: sequence, entry: entry)
            let before = steps.updateValue(step, forKey: .init(collection: entry.collection, key: entry.key))
            // Of a purged record nothing is left that could be compared: a rebuild also moves records to the quarantine
            // that the log does not know.
            guard let before, !entry.isPurged else { continue }
            let agrees = entry.image.map(before.canLeave) ?? !before.entry.isPresent
            if !agrees { contradicted.insert(before.sequence) }
        }
    }

    /// Whether the last change of a record leaves it there; nil when no change of it is known.
    func leaves(_ record: PendingChanges.RecordKey) -> Bool? { steps[record]?.entry.isPresent }

    /// Whether the last change of a record can have left it as it was found; nil when no change of it is known.
    func leaves(_ found: [UInt8], of record: PendingChanges.RecordKey) -> Bool? { steps[record]?.canLeave(found) }

    /// The records that should be there after the last change of them and are not, as changes that purged them. In the order of
    /// their keys. Cost: a search for each record.
    func missing(from schema: BoundSchema, in engine: borrowing RawReadTransaction) throws -> [ChangeRow.Entry] {
        var entries: [ChangeRow.Entry] = []
        for (record, step) in steps where step.entry.isPresent {
            guard let collection = schema.collection(number: record.collection),
                try !engine.contains(KeyBytes(record.key).bytes, in: collection.recordsTable.table)
            else { continue }
            entries.append(
                ChangeRow.Entry(
                    collection: record.collection, key: record.key, changedFields: .max << 1, image: nil,
                    isPresent: false, isPurged: true, hasExactFields: false))
        }
        return entries.sorted { left, right in
            left.collection == right.collection
                ? left.key.lexicographicallyPrecedes(right.key) : left.collection < right.collection
        }
    }

    /// Forgets all records where rows are missing.
    mutating func forget() { steps = [:] }

    /// Compares the last change of each record with the record. Records of collections that are not tracked, or that this
    /// program does not know, are left out. Cost: a search for each record.
    mutating func compareWithRecords(of schema: BoundSchema, in engine: borrowing RawReadTransaction) throws {
        for (record, step) in steps {
            guard let collection = schema.collection(number: record.collection), collection.isTracked else { continue }
            let table = collection.recordsTable
            let key = KeyBytes(record.key)
            let agrees =
                try engine.get(key.bytes, in: table.table) { checksummed in
                    // A damaged record is reported as such.
                    guard table.hasValidChecksum(key: key.bytes, checksummed: checksummed) else { return true }
                    return try table.open(key: key.bytes, checksummed: checksummed) { value, _ in
                        step.canLeave(value.copied)
                    }
                } ?? !step.entry.isPresent
            if !agrees { contradicted.insert(step.sequence) }
        }
    }
}
