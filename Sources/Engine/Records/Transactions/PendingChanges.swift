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

    private(set) var counts: [UInt32: RecordCount] = [:]
    private(set) var cells: [Cell: Int] = [:]
    private(set) var entries: [ChangeRow.Entry] = []
    private var entryPositions: [RecordKey: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    mutating func count(_ change: RecordCount, in collection: UInt32) {
        counts[collection, default: .none] += change
    }

    mutating func count(_ change: Int, at instant: Instant, in table: String) {
        let (day, quarter) = RollUpRow.cell(of: instant)
        cells[Cell(table: table, day: day, quarter: quarter), default: 0] += change
    }

    /// Removes the image of a record, so that its content does not outlive it in the change log.
    mutating func purge(_ record: RecordKey) {
        guard let position = entryPositions[record], entries[position].image != nil else { return }
        entries[position].image = nil
        entries[position].isPurged = true
    }

    /// Drops the records that were created and deleted within the transaction: outside of it nothing happened to them.
    mutating func settle() {
        entries.removeAll { !$0.wasThere && !$0.isPresent }
        entryPositions = [:]
    }

    /// Notes a change of a record. Of several changes in one transaction the first image counts.
    mutating func note(_ entry: ChangeRow.Entry) {
        let record = RecordKey(collection: entry.collection, key: entry.key)
        if let position = entryPositions.updateValue(entries.count, forKey: record) {
            entryPositions[record] = position
            entries[position].changedFields |= entry.changedFields
            entries[position].isPresent = entry.isPresent
        } else {
            entries.append(entry)
        }
    }
}
