import CivilTime
import KeyValue

/// The index entries and roll-ups of records that are being loaded, buffered in memory and written in the order of the
/// keys: far cheaper than one entry at a time, since the tables then grow at their ends.
///
/// Several collections may feed one table. The buffer is bounded: when it is full it is written and a new run begins,
/// whose entries are merged with the earlier ones.
struct Derivation {
    private struct IndexPart {
        let table: ChecksummedTable
        var run = KeyRun()
        /// The last key that was written to the table.
        var last = KeyBytes()
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

    /// The approximate size of the buffer, in bytes.
    private let byteLimit: Int
    /// How many entries one transaction writes at a table's end, and how many between others, where each may change a
    /// page.
    private static let (entriesAtEnd, entriesBetween) = (50_000, 2_000)

    init(_ collections: [any StoredCollection], byteLimit: Int) {
        self.byteLimit = byteLimit
        for derived in collections.flatMap(\.derivedTables) where numbers[derived.table.name] == nil {
            numbers[derived.table.name] = places.count
            switch derived.kind {
            case .index:
                places.append(.index(indexes.count))
                indexes.append(IndexPart(table: derived.table))
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

    /// Whether the buffer is full.
    var isFull: Bool { byteCount >= byteLimit }

    mutating func add(_ entry: KeyBytes, at place: Int) {
        guard case .index(let number) = places[place] else { return }
        indexes[number].run.add(entry)
        indexes[number].expected += RecordCount(count: 1, digest: Self.hash(of: entry, in: indexes[number].table))
        byteCount += entry.count + 16
    }

    mutating func add(_ instant: Instant, at place: Int) {
        guard case .rollUp(let number) = places[place] else { return }
        let (day, quarter) = RollUpRow.cell(of: instant)
        let known = rollUps[number].cells.count
        rollUps[number].cells[Cell(day: day, quarter: quarter), default: 0] += 1
        byteCount += (rollUps[number].cells.count - known) * 32
    }

    mutating func add(_ share: TallyShare, at place: Int) {
        guard case .tally(let number) = places[place] else { return }
        let known = tallies[number].rows.count
        tallies[number].rows[share.key, default: TallyValue()] += share.value
        tallies[number].expected += share.value
        byteCount += (tallies[number].rows.count - known) * 128
    }

    // MARK: Writing

    mutating func write(to draft: DraftEnvironment) throws {
        for number in indexes.indices { try writeIndex(number, to: draft) }
        for number in rollUps.indices { try writeRollUp(number, to: draft) }
        for number in tallies.indices { try writeTally(number, to: draft) }
        byteCount = 0
    }

    private mutating func writeIndex(_ number: Int, to draft: DraftEnvironment) throws {
        var run = KeyRun()
        swap(&run, &indexes[number].run)
        run.sort()
        let table = indexes[number].table
        var next = 0
        while next < run.count {
            // The closure runs again when the map had to grow: nothing outside of it may change before its end.
            let start = (next: next, last: indexes[number].last)
            let done = try draft.write { transaction in
                try Self.write(run, from: start.next, after: start.last, to: table, in: transaction)
            }
            next = done.next
            indexes[number].last = done.last
            indexes[number].expected.count -= done.repeated.count
            indexes[number].expected.digest &-= done.repeated.digest
        }
    }

    /// Writes as many entries as one transaction takes. Two collections that share an index can have the same entry.
    private static func write(
        _ run: KeyRun, from start: Int, after end: KeyBytes, to table: ChecksummedTable,
        in transaction: borrowing RawWriteTransaction
    ) throws -> (next: Int, last: KeyBytes, repeated: RecordCount) {
        var (next, last, repeated, between) = (start, end, RecordCount(), 0)
        while next < run.count, next - start < entriesAtEnd, between < entriesBetween {
            let key = run[next]
            next += 1
            let hash = hash(of: key, in: table)
            let isLast = last.bytes.precedes(key.bytes)
            if !isLast {
                between += 1
                if try transaction.reads.contains(key.bytes, in: table.table) {
                    repeated += RecordCount(count: 1, digest: hash)
                    continue
                }
            } else {
                last = key
            }
            try transaction.fill(
                key.bytes, KeyBytes().bytes, checksum: UInt32(truncatingIfNeeded: hash), isLast: isLast,
                in: table.table)
        }
        return (next, last, repeated)
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
        for part in indexes {
            guard try part.table.checkedCount(in: engine, { _, _ in }) == part.expected else { return part.table.name }
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
    func derive(_ key: RawSpan, _ value: RawSpan, at places: [Int], into derivation: inout Derivation) throws {
        guard let record = validRecord(key, value) else {
            throw RecordsError.refusedRecord(collection: name, key: KeyBytes(copying: key).hexadecimal)
        }
        let id = KeyBytes(copying: key)
        // Counted by hand: `enumerated()` over closures of a generic type would instantiate its type for each record.
        var number = 0
        for indexKey in indexKeys {
            if var entry = indexKey(record) {
                entry.append(contentsOf: id)
                derivation.add(entry, at: places[number])
            }
            number += 1
        }
        if !multiIndexes.isEmpty {
            for entries in multiEntries(of: record, id) {
                for entry in entries { derivation.add(entry, at: places[number]) }
                number += 1
            }
        }
        for instant in rollUpInstants {
            if let instant = instant(record) { derivation.add(instant, at: places[number]) }
            number += 1
        }
        for share in tallyShares {
            if let share = share(record) { derivation.add(share, at: places[number]) }
            number += 1
        }
    }

    /// The record of untrusted bytes; nil when they are not what this program would have written or carried over, or
    /// violate an invariant of the record.
    func validRecord(_ key: RawSpan, _ value: RawSpan) -> R? {
        guard key.byteCount == R.ID.width, FieldLayout.isValid(value), let record = try? decode(key, value),
            record.id.keyBytes.bytes.isEqual(to: key), record.brokenInvariants.isEmpty
        else { return nil }
        return record
    }
}
