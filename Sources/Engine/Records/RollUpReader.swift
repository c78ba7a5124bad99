import CivilTime
import KeyValue

/// The counts of a roll-up. Gotten from a transaction: `transaction[TaskItem.completions]`.
public struct RollUpReader<R: Record> {
    let transaction: ReadTransaction
    let rollUp: RollUp<R>

    /// How many records fall into a range of instants. Cost: one step a day of UTC in the range, whatever is stored.
    public func count(in range: Range<Instant>) throws(RecordsError) -> Int {
        guard !range.isEmpty else { return 0 }
        let bound = try transaction.schema.collection(of: R.self).bound(rollUp)
        let quarter = RollUpRow.microsecondsPerQuarter
        let lower = range.lowerBound.microsecondsSince1970
        let upper = range.upperBound.microsecondsSince1970
        // The whole quarters inside, and at either end a rest shorter than a quarter, which the index settles.
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
    public func counts(between boundaries: [Instant]) throws(RecordsError) -> [Int] {
        guard let first = boundaries.first, let last = boundaries.last else { return [] }
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
        try forEachRow(of: quarters[0].quotient..<quarters[counts.count].quotient, in: bound) { row, key, sealed in
            while quarters[current + 1].quotient <= row.lowerBound { current += 1 }
            var index = current
            while index < counts.count, quarters[index].quotient < row.upperBound {
                let range = quarters[index].quotient..<quarters[index + 1].quotient
                counts[index] += try Self.count(of: range, inRowOf: row, key, sealed, bound.table)
                index += 1
            }
        }
        return counts
    }

    /// How many records fall on a day in a zone.
    public func count(on day: Day, in zone: Zone) throws(RecordsError) -> Int {
        try count(in: zone.start(of: day)..<zone.end(of: day))
    }

    /// Whether there is nothing to count. Cost: one step.
    public func isEmpty() throws(RecordsError) -> Bool {
        let bound = try transaction.schema.collection(of: R.self).bound(rollUp)
        return try transaction.withEngine { try $0.entryCount(of: bound.table.table) == 0 }
    }

    private func countQuarters(
        _ quarters: Range<Int64>, of bound: BoundPart
    ) throws(RecordsError) -> Int {
        guard !quarters.isEmpty else { return 0 }
        var sum = 0
        try forEachRow(of: quarters, in: bound) { row, key, sealed in
            sum += try Self.count(of: quarters, inRowOf: row, key, sealed, bound.table)
        }
        return sum
    }

    /// The count of those quarters of a range that are in a row.
    private static func count(
        of quarters: Range<Int64>, inRowOf row: Range<Int64>, _ key: RawSpan, _ sealed: RawSpan, _ table: SealedTable
    ) throws -> Int {
        let inside = quarters.clamped(to: row)
        if inside.isEmpty { return 0 }
        if inside.count == row.count { return try RollUpRow.total(of: key, sealed: sealed, in: table) }
        let part = Int(inside.lowerBound - row.lowerBound)..<Int(inside.upperBound - row.lowerBound)
        return try table.open(key: key, sealed: sealed) { value, _ in RollUpRow.count(in: value, quarters: part) }
    }

    /// Calls a closure with each row that has any of the quarters: the quarters of its day, its key and its value.
    private func forEachRow(
        of quarters: Range<Int64>, in bound: BoundPart,
        _ body: (_ row: Range<Int64>, _ key: RawSpan, _ sealed: RawSpan) throws -> Void
    ) throws(RecordsError) {
        let firstDay = quarters.lowerBound.flooringDivision(by: 96).quotient
        let lastDay = (quarters.upperBound - 1).flooringDivision(by: 96).quotient
        let start = Int32(clamping: firstDay).keyBytes
        try transaction.withEngine { engine in
            try engine.withCursor(over: bound.table.table) { cursor in
                var isOnEntry = try cursor.seek(start.bytes)
                while isOnEntry {
                    let isInside = try cursor.withEntry { key, sealed in
                        var decoder = KeyDecoder(key)
                        let day = Int64(try Int32(decoding: &decoder))
                        guard day <= lastDay else { return false }
                        try body(day * 96..<(day + 1) * 96, key, sealed)
                        return true
                    }
                    guard isInside else { return }
                    isOnEntry = try cursor.moveToNext()
                }
            }
        }
    }

    private func countInIndex(
        _ range: Range<Int64>, of bound: BoundPart
    ) throws(RecordsError) -> Int {
        try transaction[rollUp.index].count(
            from: Instant(microsecondsSince1970: range.lowerBound),
            to: Instant(microsecondsSince1970: range.upperBound))
    }
}
