import CivilTime
import KeyValue

/// The counts of a roll-up. Obtained from a transaction: `transaction[TaskItem.completions]`. Its functions throw
/// `RecordsError`.
public struct RollUpReader<R: Record> {
    let transaction: ReadTransaction
    let rollUp: RollUp<R>

    /// How many records fall into a range of instants. Cost: one step for each UTC day in the range, independent of
    /// what is stored.
    public func count(in range: Range<Instant>) throws -> Int {
        guard !range.isEmpty else { return 0 }
        let pending = try pendingChanges().reduce(0) { range.contains($1.instant) ? $0 + $1.change : $0 }
        return try countStored(in: range) + pending
    }

    private func countStored(in range: Range<Instant>) throws -> Int {
        let bound = try transaction.schema.collection(of: R.self).bound(rollUp)
        let quarter = RollUpRow.microsecondsPerQuarter
        let lower = range.lowerBound.microsecondsSince1970
        let upper = range.upperBound.microsecondsSince1970
        // The full quarters inside; the shorter remainders at both ends are counted in the index.
        let (lowerFloor, lowerRest) = lower.flooringDivision(by: quarter)
        let firstQuarter = lowerRest == 0 ? lowerFloor : lowerFloor + 1
        let (endQuarter, upperRest) = upper.flooringDivision(by: quarter)
        guard firstQuarter <= endQuarter else { return try countInIndex(lower..<upper, of: bound) }
        var sum = try countQuarters(firstQuarter..<endQuarter, of: bound)
        if lowerRest != 0 { sum += try countInIndex(lower..<(firstQuarter * quarter), of: bound) }
        if upperRest != 0 { sum += try countInIndex((endQuarter * quarter)..<upper, of: bound) }
        return sum
    }

    /// How many records fall between each boundary and the next; the boundaries ascend. Cost: one step a day of UTC between
    /// the first and the last, however many there are, if all lie on quarters of an hour.
    public func counts(between boundaries: [Instant]) throws -> [Int] {
        guard let first = boundaries.first, let last = boundaries.last else { return [] }
        let pending = try pendingChanges()
        let quarter = RollUpRow.microsecondsPerQuarter
        let quarters = boundaries.map { $0.microsecondsSince1970.flooringDivision(by: quarter) }
        guard quarters.allSatisfy({ $0.remainder == 0 }) else {
            var counts: [Int] = []
            for (start, end) in zip(boundaries, boundaries.dropFirst()) { counts.append(try count(in: start..<end)) }
            return counts
        }
        var counts = [Int](repeating: 0, count: boundaries.count - 1)
        guard first < last else { return counts }
        let bound = try transaction.schema.collection(of: R.self).bound(rollUp)
        var current = 0
        try forEachRow(of: quarters[0].quotient..<quarters[counts.count].quotient, in: bound) { row, key, checksummed in
            while quarters[current + 1].quotient <= row.lowerBound { current += 1 }
            var index = current
            while index < counts.count, quarters[index].quotient < row.upperBound {
                let range = quarters[index].quotient..<quarters[index + 1].quotient
                counts[index] += try Self.count(of: range, inRowOf: row, key, checksummed, bound.table)
                index += 1
            }
        }
        for (instant, change) in pending {
            if let end = boundaries.firstIndex(where: { instant < $0 }), end > 0 { counts[end - 1] += change }
        }
        return counts
    }

    /// How many records fall on a day in a zone.
    public func count(on day: Day, in zone: Zone) throws -> Int {
        try count(in: zone.start(of: day)..<zone.end(of: day))
    }

    /// Whether there is nothing to count. Cost: one step; with pending changes of a session, one for each UTC day that has any.
    public func isEmpty() throws -> Bool {
        let bound = try transaction.schema.collection(of: R.self).bound(rollUp)
        let pending = try pendingChanges()
        guard !pending.isEmpty else {
            return try transaction.withEngine { try $0.entryCount(of: bound.table.table) == 0 }
        }
        let all = Int64(Int32.min) * 96..<Int64(Int32.max) * 96
        return try countQuarters(all, of: bound) + pending.reduce(0) { $0 + $1.change } == 0
    }

    /// What the records add that the transaction shows in place of stored ones: in all collections that share the roll-up.
    private func pendingChanges() throws -> [(instant: Instant, change: Int)] {
        guard !transaction.overlay.isEmpty else { return [] }
        let table = try transaction.schema.collection(of: R.self).bound(rollUp).table.name
        return try transaction.schema.collections.flatMap { try $0.shownInstants(inRollUp: table, in: transaction) }
    }

    private func countQuarters(_ quarters: Range<Int64>, of bound: BoundPart) throws -> Int {
        guard !quarters.isEmpty else { return 0 }
        var sum = 0
        try forEachRow(of: quarters, in: bound) { row, key, checksummed in
            sum += try Self.count(of: quarters, inRowOf: row, key, checksummed, bound.table)
        }
        return sum
    }

    /// The count of those quarters of a range that are in a row.
    private static func count(
        of quarters: Range<Int64>, inRowOf row: Range<Int64>, _ key: RawSpan, _ checksummed: RawSpan,
        _ table: ChecksummedTable
    ) throws -> Int {
        let inside = quarters.clamped(to: row)
        if inside.isEmpty { return 0 }
        if inside.count == row.count { return try RollUpRow.total(of: key, checksummed: checksummed, in: table) }
        let part = Int(inside.lowerBound - row.lowerBound)..<Int(inside.upperBound - row.lowerBound)
        return try table.open(key: key, checksummed: checksummed) { value, _ in
            RollUpRow.count(in: value, quarters: part)
        }
    }

    /// Calls a closure with each row that has any of the quarters: the quarters of its day, its key and its value.
    private func forEachRow(
        of quarters: Range<Int64>, in bound: BoundPart,
        _ body: (_ row: Range<Int64>, _ key: RawSpan, _ checksummed: RawSpan) throws -> Void
    ) throws {
        let firstDay = quarters.lowerBound.flooringDivision(by: 96).quotient
        let lastDay = (quarters.upperBound - 1).flooringDivision(by: 96).quotient
        let start = Int32(clamping: firstDay).keyBytes
        try transaction.withEngine { engine in
            _ = try bound.table.forEachEntry(KeyRange(lower: start, upper: nil), in: engine) { key, checksummed in
                var decoder = KeyDecoder(key)
                let day = Int64(try Int32(decoding: &decoder))
                guard day <= lastDay else { return false }
                try body(day * 96..<(day + 1) * 96, key, checksummed)
                return true
            }
        }
    }

    private func countInIndex(_ range: Range<Int64>, of bound: BoundPart) throws -> Int {
        let keys = KeyRange(
            lower: Instant(microsecondsSince1970: range.lowerBound).keyBytes,
            upper: Instant(microsecondsSince1970: range.upperBound).keyBytes)
        var count = 0
        // Such an index has one key for a record, and so no pending list.
        try transaction[rollUp.index].forEachPlacedEntry(of: keys, backwards: false) { _ in
            count += 1
            return true
        }
        return count
    }
}

/// The counts of one day of UTC: the total, then each quarter of an hour that has any.
///
/// Bytes: total (8, little-endian), a checksum of key and total (4), then for each quarter its number (0 to 95, one byte)
/// and count (4, little-endian), ascending, then the checksum of the whole entry. One row serves both grains, so a change
/// writes one row; a whole day is counted by its total alone, whose own checksum makes that as cheap for a day of a
/// thousand as for a day of one.
struct RollUpRow: Equatable {
    static let microsecondsPerQuarter: Int64 = 900_000_000
    static let microsecondsPerDay: Int64 = 96 * microsecondsPerQuarter

    private(set) var quarters: [UInt8: UInt32] = [:]

    var total: UInt64 { quarters.values.reduce(0) { $0 + UInt64($1) } }

    /// Adds to a quarter's count; false when the count would fall below zero.
    mutating func add(_ change: Int, toQuarter quarter: UInt8) -> Bool {
        let count = Int(quarters[quarter] ?? 0) + change
        guard count >= 0, count <= Int(UInt32.max) else { return false }
        quarters[quarter] = count == 0 ? nil : UInt32(count)
        return true
    }

    /// Bytes before the quarters: the total and its checksum.
    private static let headCount = 12
    /// Bytes of one quarter: its number and its count.
    private static let entryCount = 5

    func encoded(for key: KeyBytes, in table: ChecksummedTable) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: total)
        bytes.append(littleEndian: table.checksum(of: bytes.span.bytes, for: key.bytes))
        for (quarter, count) in quarters.sorted(by: { $0.key < $1.key }) {
            bytes.append(quarter)
            bytes.append(littleEndian: count)
        }
        return bytes
    }

    init() {}

    init(decoding bytes: RawSpan) {
        RollUpRow.forEachQuarter(in: bytes) { quarters[$0] = $1 }
    }

    /// The total of a row as it is stored. Only its own checksum is looked at.
    static func total(of key: RawSpan, checksummed: RawSpan, in table: ChecksummedTable) throws -> Int {
        guard checksummed.byteCount >= headCount,
            table.isChecksum(checksummed.littleEndian(at: 8), of: checksummed.extracting(first: 8), for: key)
        else { throw table.damage(key) }
        return Int(clamping: checksummed.littleEndian(at: 0, as: UInt64.self))
    }

    /// Whether the total in a row's value is that of its quarters.
    static func isTotalRight(in value: RawSpan) -> Bool {
        value.byteCount >= headCount && value.littleEndian(at: 0, as: UInt64.self) == RollUpRow(decoding: value).total
    }

    /// The count of the quarters in a range, without building anything. What is added up is the smaller part of the day.
    static func count(in bytes: RawSpan, quarters: Range<Int>) -> Int {
        guard bytes.byteCount >= headCount else { return 0 }
        guard quarters.count > 48 else { return sum(in: bytes, quarters: quarters) }
        let total = Int(clamping: bytes.littleEndian(at: 0, as: UInt64.self))
        return total - sum(in: bytes, quarters: 0..<quarters.lowerBound)
            - sum(in: bytes, quarters: quarters.upperBound..<96)
    }

    private static func sum(in bytes: RawSpan, quarters: Range<Int>) -> Int {
        // The first that is not before the range, by halving: the quarters ascend.
        var first = 0
        var end = (bytes.byteCount - headCount) / entryCount
        while first < end {
            let middle = (first + end) / 2
            if Int(bytes[byteAt: headCount + middle * entryCount]) < quarters.lowerBound {
                first = middle + 1
            } else {
                end = middle
            }
        }
        var sum = 0
        var offset = headCount + first * entryCount
        while offset + entryCount <= bytes.byteCount, Int(bytes[byteAt: offset]) < quarters.upperBound {
            sum += Int(bytes.littleEndian(at: offset + 1, as: UInt32.self))
            offset += entryCount
        }
        return sum
    }

    private static func forEachQuarter(in bytes: RawSpan, _ body: (UInt8, UInt32) -> Void) {
        var offset = headCount
        while offset + entryCount <= bytes.byteCount {
            body(bytes[byteAt: offset], bytes.littleEndian(at: offset + 1, as: UInt32.self))
            offset += entryCount
        }
    }

    /// The day of UTC and the quarter that an instant falls into.
    static func cell(of instant: Instant) -> (day: Int32, quarter: UInt8) {
        let (day, rest) = instant.microsecondsSince1970.flooringDivision(by: microsecondsPerDay)
        return (Int32(clamping: day), UInt8(rest / microsecondsPerQuarter))
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity, so that instants before 1970 fall into the right day.
    func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
