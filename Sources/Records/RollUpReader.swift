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
        let firstDay = quarters.lowerBound.flooringDivision(by: 96).quotient
        let lastDay = (quarters.upperBound - 1).flooringDivision(by: 96).quotient
        let start = Int32(clamping: firstDay).keyBytes
        let table = bound.table
        return try transaction.withEngine { engine in
            var sum = 0
            try engine.withCursor(over: table.table) { cursor in
                var isOnEntry = try cursor.seek(start.bytes)
                while isOnEntry {
                    let isInside = try cursor.withEntry { key, sealed in
                        var decoder = KeyDecoder(key)
                        let day = Int64(try Int32(decoding: &decoder))
                        guard day <= lastDay else { return false }
                        let start = day * 96
                        let inside = quarters.clamped(to: start..<(start + 96))
                        if inside.count == 96 {
                            sum += try RollUpRow.total(of: key, sealed: sealed, in: table)
                        } else {
                            let part = Int(inside.lowerBound - start)..<Int(inside.upperBound - start)
                            sum += try table.open(key: key, sealed: sealed) { value, _ in
                                RollUpRow.count(in: value, quarters: part)
                            }
                        }
                        return true
                    }
                    guard isInside else { return }
                    isOnEntry = try cursor.moveToNext()
                }
            }
            return sum
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
