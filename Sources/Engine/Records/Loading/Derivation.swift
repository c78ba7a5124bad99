import CivilTime
import KeyValue
import Threading

/// The index entries, roll-ups and tallies of records that are being loaded, sorted and written in the order of the keys:
/// far cheaper than one entry at a time, since the tables then grow at their ends.
///
/// Several collections may feed one table. Memory is bounded: entries that do not fit are in files, and counts are written
/// to their tables.
struct Derivation {
    private struct IndexPart {
        let part: BoundPart
        let entries: SortedEntries
        var expected = RecordCount()
    }

    private struct RollUpPart {
        let table: ChecksummedTable
        var cells: [Cell: Int] = [:]
        var expected = RecordCount()
    }

    private struct TallyPart {
        let table: ChecksummedTable
        var rows: [KeyBytes: TallyValue] = [:]
        /// The sums of what was added, to be compared with the sums of the rows.
        var expected = TallyValue()
    }

    private struct Cell: Hashable {
        let day: Int32
        let quarter: UInt8
    }

    private enum Place {
        case index(Int)
        case rollUp(Int)
        case tally(Int)
    }

    private var indexes: [IndexPart] = []
    private var rollUps: [RollUpPart] = []
    private var tallies: [TallyPart] = []
    private var places: [Place] = []
    private var numbers: [String: Int] = [:]
    private var byteCount = 0
    private let memory: EntryMemory
    /// Derives. One thread: two would count the references of the same closures, and take longer together.
    private let thread = WorkThread()
    /// What is being derived from the last batches.
    private var deriving: [BackgroundResult<DerivedEntries>] = []

    /// How many batches wait, so that the thread has work while entries are added here.
    private static let batchesAhead = 2

    /// The approximate size of the counts in memory, in bytes.
    private let byteLimit: Int

    /// - Parameters:
    ///   - folder: where entries go that do not fit into memory.
    ///   - byteLimit: the size of all buffers for the entries, and of the one for counts.
    init(_ collections: [any StoredCollection], in folder: String, byteLimit: Int) {
        self.byteLimit = byteLimit
        memory = EntryMemory(byteLimit: byteLimit)
        for derived in collections.flatMap(\.derivedTables) where numbers[derived.table.name] == nil {
            numbers[derived.table.name] = places.count
            switch derived.kind {
            case .index:
                places.append(.index(indexes.count))
                indexes.append(IndexPart(part: derived.part, entries: memory.makeEntries(in: folder)))
            case .rollUp:
                places.append(.rollUp(rollUps.count))
                rollUps.append(RollUpPart(table: derived.table))
            case .tally:
                places.append(.tally(tallies.count))
                tallies.append(TallyPart(table: derived.table))
            }
        }
    }

    /// The places of a collection's tables here, in the order in which it lists them.
    func places(of collection: any StoredCollection) -> [Int] {
        collection.derivedTables.compactMap { numbers[$0.table.name] }
    }

    /// Adds what is derived from a batch of records, on another thread. Nobody else uses the batch from here on.
    mutating func add(_ batch: any RecordBatch) throws {
        nonisolated(unsafe) let full = batch
        deriving.append(thread.start { full.derived() })
        if deriving.count > Self.batchesAhead { try takeFirst() }
    }

    private mutating func takeFirst() throws {
        try add(deriving.removeFirst().wait())
    }

    private mutating func add(_ derived: DerivedEntries) throws {
        for (place, contribution) in derived {
            switch contribution {
            case .entry(let entry): try add(entry, at: place)
            // All are sorted in the end, and equal ones are written once.
            case .entries(let entries): for entry in entries { try add(entry, at: place) }
            case .instant(let instant): add(instant, at: place)
            case .share(let share): add(share, at: place)
            }
        }
    }

    private mutating func add(_ entry: KeyBytes, at place: Int) throws {
        guard case .index(let number) = places[place] else { return }
        try memory.add(entry.bytes, RawSpan(), to: indexes[number].entries)
        indexes[number].expected += RecordCount(count: 1, digest: Self.hash(of: entry, in: indexes[number].part.table))
    }

    private mutating func add(_ instant: Instant, at place: Int) {
        guard case .rollUp(let number) = places[place] else { return }
        let (day, quarter) = RollUpRow.cell(of: instant)
        let known = rollUps[number].cells.count
        rollUps[number].cells[Cell(day: day, quarter: quarter), default: 0] += 1
        byteCount += (rollUps[number].cells.count - known) * 32
    }

    private mutating func add(_ share: TallyShare, at place: Int) {
        guard case .tally(let number) = places[place] else { return }
        let known = tallies[number].rows.count
        tallies[number].rows[share.key, default: TallyValue()] += share.value
        tallies[number].expected += share.value
        byteCount += (tallies[number].rows.count - known) * 128
    }

    // MARK: Writing

    /// Writes the entries of every index, in the order of the keys. After the last record.
    ///
    /// - Parameter checksRules: whether a key of a unique index may be there only once.
    mutating func writeIndexes(by filler: TableFiller, checksRules: Bool) throws {
        while !deriving.isEmpty { try takeFirst() }
        for number in indexes.indices {
            let table = indexes[number].part.table
            let uniqueWidth = checksRules && indexes[number].part.isUnique ? indexes[number].part.idWidth : 0
            var repeated = RecordCount()
            var last = KeyBytes()
            try indexes[number].entries.drain { key, value in
                let hash = table.hash(key: key, value: value)
                // Two collections that share an index can have the same entry.
                if last.bytes.isEqual(to: key) {
                    repeated += RecordCount(count: 1, digest: hash)
                    return
                }
                if uniqueWidth > 0, last.count == key.byteCount,
                    key.starts(with: last.bytes.extracting(0..<(last.count - uniqueWidth)))
                {
                    throw RecordsError.duplicateKey(index: table.name)
                }
                last = KeyBytes(copying: key)
                try filler.append(key, value, checksum: UInt32(truncatingIfNeeded: hash), to: table.table)
            }
            indexes[number].expected.count -= repeated.count
            indexes[number].expected.digest &-= repeated.digest
        }
    }

    /// Writes the counts so far, if they fill the buffer or if it is the end.
    ///
    /// - Parameter filler: what else writes to the draft.
    mutating func writeCounts(to draft: DraftEnvironment, beside filler: TableFiller?, isEnd: Bool) throws {
        guard isEnd || byteCount >= byteLimit else { return }
        try filler?.settle()
        for number in rollUps.indices { try writeRollUp(number, to: draft) }
        for number in tallies.indices { try writeTally(number, to: draft) }
        byteCount = 0
    }

    private mutating func writeRollUp(_ number: Int, to draft: DraftEnvironment) throws {
        let table = rollUps[number].table
        let cells = rollUps[number].cells.sorted { ($0.key.day, $0.key.quarter) < ($1.key.day, $1.key.quarter) }
        rollUps[number].cells = [:]
        try draft.write { transaction in
            var position = 0
            while position < cells.count {
                let day = cells[position].key.day
                let key = day.keyBytes
                var row =
                    try table.get(key, in: transaction.reads) { value, _ in RollUpRow(decoding: value) } ?? RollUpRow()
                while position < cells.count, cells[position].key.day == day {
                    guard row.add(cells[position].value, toQuarter: cells[position].key.quarter) else {
                        throw table.damage(key.bytes)
                    }
                    position += 1
                }
                try table.put(key, row.encoded(for: key, in: table), in: transaction)
            }
        }
        for (cell, count) in cells {
            rollUps[number].expected += Self.sum(of: count, on: cell.day, cell.quarter, in: table)
        }
    }

    private mutating func writeTally(_ number: Int, to draft: DraftEnvironment) throws {
        let table = tallies[number].table
        let rows = tallies[number].rows.sorted { $0.key.bytes.precedes($1.key.bytes) }
        tallies[number].rows = [:]
        guard !rows.isEmpty else { return }
        try draft.write { transaction in
            for (key, value) in rows {
                // A buffer that was full before has written a part of the row.
                var row = try TallyValue.stored(under: key, in: table, transaction.reads)
                row += value
                if row.isZero {
                    try transaction.delete(key.bytes, in: table.table)
                } else {
                    try table.put(key, row.encoded, in: transaction)
                }
            }
        }
    }

    // MARK: Checking

    /// Compares every table with the expected contents, in one walk over each.
    ///
    /// - Returns: the name of the first that is wrong.
    func firstWrongTable(in engine: borrowing RawReadTransaction) throws -> String? {
        for index in indexes {
            let table = index.part.table
            guard try table.checkedCount(in: engine, { _, _ in }) == index.expected else { return table.name }
        }
        for part in rollUps {
            var sum = RecordCount()
            let table = part.table
            let rows = try table.checkedCount(in: engine) { key, checksummed in
                var decoder = KeyDecoder(key)
                let day = try Int32(decoding: &decoder)
                _ = try RollUpRow.total(of: key, checksummed: checksummed, in: table)
                guard
                    RollUpRow.isTotalRight(
                        in: checksummed.extracting(first: checksummed.byteCount - Checksum.byteCount))
                else { throw table.damage(key) }
                for (quarter, count) in RollUpRow(decoding: checksummed.extracting(first: checksummed.byteCount - 4))
                    .quarters
                {
                    sum += Self.sum(of: Int(count), on: day, quarter, in: table)
                }
            }
            guard rows != nil, sum == part.expected else { return table.name }
        }
        for part in tallies {
            var sum = TallyValue()
            let rows = try part.table.checkedCount(in: engine) { key, checksummed in
                let row = TallyValue(checksummed.extracting(first: checksummed.byteCount - Checksum.byteCount))
                guard let row else { throw part.table.damage(key) }
                sum += row
            }
            guard rows != nil, sum == part.expected else { return part.table.name }
        }
        return nil
    }

    private static func hash(of entry: KeyBytes, in table: ChecksummedTable) -> UInt64 {
        table.hash(key: entry.bytes, value: KeyBytes().bytes)
    }

    /// What a number of records in a quarter of an hour adds to the checksum of a roll-up.
    private static func sum(of count: Int, on day: Int32, _ quarter: UInt8, in table: ChecksummedTable) -> RecordCount {
        var cell = day.keyBytes
        cell.append(quarter)
        return RecordCount(
            count: Int64(count), digest: UInt64(count) &* hash(of: cell, in: table))
    }
}

extension BoundCollection {
    /// The record of untrusted bytes; nil when they are not what this program would have written or carried over, or
    /// violate an invariant of the record.
    func validRecord(_ key: RawSpan, _ value: RawSpan) -> R? {
        guard key.byteCount == R.ID.width, FieldLayout.isValid(value), let record = try? decode(key, value),
            record.id.keyBytes.bytes.isEqual(to: key), record.brokenInvariants.isEmpty
        else { return nil }
        return record
    }
}
