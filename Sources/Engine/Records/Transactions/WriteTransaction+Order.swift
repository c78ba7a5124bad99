/// Moving records in an order that a person makes.
extension WriteTransaction {
    /// Moves a record to another place. Usually writes that record alone; where two neighbors have no number left between
    /// them, the records around them are spaced again.
    ///
    /// - Parameter preparing: is given each record whose position changes, before it is written: to note the time of the
    ///   change, for example.
    /// - Returns: the record as it is now.
    /// - Throws: `noSuchPlace` when the record is not in the order, or the other one not in the same part of it.
    @discardableResult
    public func move<R: Record, Key: PlacedKey>(
        _ id: R.ID, to place: OrderPosition<R.ID>, in order: ManualOrder<R, Key>,
        preparing prepare: (inout R) -> Void = { _ in }
    ) throws -> R {
        guard let record = try self[R.self].get(id) else {
            throw RecordsError.noSuchPlace(index: order.index.tableName)
        }
        return try move(record, to: place, in: order, preparing: prepare)
    }

    /// Moves a record, which is given as it is stored.
    package func move<R: Record, Key: PlacedKey>(
        _ record: R, to place: OrderPosition<R.ID>, in order: ManualOrder<R, Key>, preparing prepare: (inout R) -> Void
    ) throws -> R {
        let reader = self[order]
        var record = record
        let id = record.id
        guard let key = order.key(of: record) else {
            throw RecordsError.noSuchPlace(index: order.index.tableName)
        }
        let gap = ManualOrder<R, Key>.gap
        let position: Int64
        switch try reader.target(of: id, key, place) {
        case .same: return record
        case .end(isLast: false):
            let others = try reader.neighbors(of: .max, before: true, excluding: id, limit: 1, in: key.lane)
            let first = try reader.first(in: key.lane)
            guard try !others.isEmpty && (first + gap != key.position || reader.isTied(at: key.position, in: key.lane))
            else { return record }
            position = first
        case .end(isLast: true):
            let last = try reader.last(in: key.lane)
            guard try last - gap != key.position || reader.isTied(at: key.position, in: key.lane) else { return record }
            position = last
        case .beside(let neighbor, let isAfter):
            position = try freePosition(
                beside: neighbor.position, of: neighbor.id, after: isAfter, for: id, key.lane, in: order, prepare)
        }
        record[keyPath: order.position] = position
        prepare(&record)
        try put(record)
        return record
    }

    /// A position between a record and its neighbor on one side; makes room when there is none.
    private func freePosition<R: Record, Key: PlacedKey>(
        beside position: Int64, of other: R.ID, after: Bool, for id: R.ID, _ lane: Key.Lane,
        in order: ManualOrder<R, Key>, _ prepare: (inout R) -> Void
    ) throws -> Int64 {
        let reader = self[order]
        let gap = ManualOrder<R, Key>.gap
        // Records that were never placed, as those of an earlier version, share a position; the order of their ids counts
        // until one of them is moved.
        if try reader.isTied(at: position, excluding: id, in: lane) {
            try spread(around: position, excluding: id, lane, in: order, prepare)
            let moved = try reader.key(of: other).position
            return try freePosition(beside: moved, of: other, after: after, for: id, lane, in: order, prepare)
        }
        let next = try reader.neighbors(of: position, before: !after, excluding: id, limit: 1, in: lane).first?.position
        guard let next else { return after ? position + gap : position - gap }
        let low = min(next, position)
        let high = max(next, position)
        if high - low > 1 { return low + (high - low) / 2 }
        try spread(around: position, excluding: id, lane, in: order, prepare)
        let moved = try reader.key(of: other).position
        return try freePosition(beside: moved, of: other, after: after, for: id, lane, in: order, prepare)
    }

    /// Makes room around a position: spaces the smallest neighborhood evenly whose ends are far enough apart.
    private func spread<R: Record, Key: PlacedKey>(
        around position: Int64, excluding id: R.ID, _ lane: Key.Lane, in order: ManualOrder<R, Key>,
        _ prepare: (inout R) -> Void
    ) throws {
        let reader = self[order]
        let gap = ManualOrder<R, Key>.gap
        var width = 8
        while true {
            let before = try reader.neighbors(of: position, before: true, excluding: id, limit: width, in: lane)
            let after = try reader.neighbors(of: position - 1, before: false, excluding: id, limit: width, in: lane)
            let isWhole = before.count < width && after.count < width
            let records = before.reversed() + after
            guard let first = records.first, let last = records.last else { return }
            // The ends may move outwards only if these are all records of the line.
            let start = isWhole ? first.position - gap : first.position
            let step = isWhole ? gap : (last.position - first.position) / max(Int64(records.count) - 1, 1)
            if step >= 1 << 16 || isWhole {
                for (offset, entry) in records.enumerated() {
                    guard var record = try self[R.self].get(entry.id) else { continue }
                    record[keyPath: order.position] = start + Int64(offset) * step
                    prepare(&record)
                    try put(record)
                }
                return
            }
            width *= 4
        }
    }
}
