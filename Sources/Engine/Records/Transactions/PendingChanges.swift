import CivilTime

/// The changes of a transaction to counters and history, collected until its closure ends, so that each row is written
/// once.
struct PendingChanges {
    struct Cell: Hashable, Comparable {
        let table: String
        let day: Int32
        let quarter: UInt8

        static func < (left: Cell, right: Cell) -> Bool {
            (left.table, left.day, left.quarter) < (right.table, right.day, right.quarter)
        }
    }

    struct RecordKey: Hashable {
        let collection: UInt32
        let key: [UInt8]
    }

    /// A key of a unique index that was written, so that it may be there twice.
    struct UniqueKey: Hashable {
        let collection: UInt32
        let table: String
        let key: KeyBytes
    }

    /// A record that a changed record refers to, with the name of the reference.
    struct NamedTarget: Hashable {
        let target: RecordKey
        let reference: String
    }

    private(set) var counts: [UInt32: RecordCount] = [:]
    private(set) var cells: [Cell: Int] = [:]
    private(set) var tallies: [String: [KeyBytes: TallyValue]] = [:]
    private(set) var entries: [ChangeRow.Entry] = []
    private var entryPositions: [RecordKey: Int] = [:]
    private var entryBytes = 0
    /// The records whose changes are already in rows of this transaction.
    private(set) var spilled: [RecordKey] = []
    /// What has to be checked before the transaction can commit.
    var uniqueKeys: [UniqueKey: BoundPart] = [:]
    /// Records that others may refer to, and that were removed.
    var removedTargets: [RecordKey] = []
    /// How many of them the rules were applied to already, so that many deletions do not look at each other.
    var appliedTargets = 0
    /// What changed records refer to.
    var namedTargets: Set<NamedTarget> = []

    /// Records whose changes the followers are not given.
    var followed: Set<RecordKey> = []
    /// Records whose bytes were moved to the quarantine.
    private var quarantined: Set<RecordKey> = []

    func isFollowed(_ entry: ChangeRow.Entry) -> Bool {
        !followed.isEmpty && followed.contains(RecordKey(collection: entry.collection, key: entry.key))
    }

    func isQuarantined(_ entry: ChangeRow.Entry) -> Bool {
        !quarantined.isEmpty && quarantined.contains(RecordKey(collection: entry.collection, key: entry.key))
    }

    /// Whether there is nothing to log.
    var isEmpty: Bool { entries.isEmpty && spilled.isEmpty }

    /// Whether nothing at all was changed.
    var isNothing: Bool { isEmpty && counts.isEmpty }

    /// Whether the changes so far are enough for a row of the change log: an operation on many records is written as
    /// several rows, so that it takes bounded memory, and is undone as one.
    var isRowFull: Bool { entries.count >= 8192 || entryBytes >= 4 << 20 }

    mutating func count(_ change: RecordCount, in collection: UInt32) {
        counts[collection, default: .none] += change
    }

    mutating func count(_ change: Int, at instant: Instant, in table: String) {
        let (day, quarter) = RollUpRow.cell(of: instant)
        cells[Cell(table: table, day: day, quarter: quarter), default: 0] += change
    }

    mutating func count(_ share: TallyShare, in table: String) {
        tallies[table, default: [:]][share.key, default: TallyValue()] += share.value
    }

    /// Returns the changes so far, for a row of their own.
    mutating func spill() -> [ChangeRow.Entry] {
        settle()
        let row = entries
        spilled += row.map { RecordKey(collection: $0.collection, key: $0.key) }
        (entries, entryBytes) = ([], 0)
        return row
    }

    /// Removes the image of a record, so that its content does not outlive it in the change log.
    mutating func purge(_ record: RecordKey) {
        guard let position = entryPositions[record], entries[position].image != nil else { return }
        entries[position].image = nil
        entries[position].isPurged = true
    }

    /// Forgets records that are again what they were before the transaction.
    mutating func forget(_ records: Set<RecordKey>) {
        if records.isEmpty { return }
        entries.removeAll { records.contains(RecordKey(collection: $0.collection, key: $0.key)) }
        entryPositions = [:]
        for (position, entry) in entries.enumerated() {
            entryPositions[RecordKey(collection: entry.collection, key: entry.key)] = position
        }
    }

    /// Drops the records that were created and deleted within the transaction: outside of it nothing happened to them.
    mutating func settle() {
        entries.removeAll { !$0.wasThere && !$0.isPresent }
        entryPositions = [:]
    }

    /// Notes that a record's bytes were replaced; nil where there are none. Of several changes in one transaction the
    /// first image counts.
    mutating func note(_ record: RecordKey, from old: [UInt8]?, to new: [UInt8]?) {
        guard let position = entryPositions[record] else {
            return add(
                ChangeRow.Entry(
                    collection: record.collection, key: record.key,
                    changedFields: FieldLayout.changedFields(from: old ?? [0], to: new ?? [0]), image: old,
                    isPresent: new != nil))
        }
        entries[position].isPresent = new != nil
        if entries[position].isPurged {
            entries[position].changedFields |= FieldLayout.changedFields(from: old ?? [0], to: new ?? [0])
            entries[position].hasExactFields = false
        } else {
            let first = entries[position].image
            entries[position].changedFields = FieldLayout.changedFields(from: first ?? [0], to: new ?? [0])
        }
    }

    /// Notes that bytes of a record were moved to the quarantine: the log cannot bring back its last state.
    ///
    /// - Parameter isPresent: whether the table had another record with this key, which stays.
    mutating func noteQuarantine(of record: RecordKey, isPresent: Bool) {
        quarantined.insert(record)
        add(
            ChangeRow.Entry(
                collection: record.collection, key: record.key, changedFields: .max << 1, image: nil,
                isPresent: isPresent,
                isPurged: true, hasExactFields: false))
    }

    private mutating func add(_ entry: ChangeRow.Entry) {
        entryPositions[RecordKey(collection: entry.collection, key: entry.key)] = entries.count
        entries.append(entry)
        entryBytes += 64 + (entry.image?.count ?? 0)
    }
}
