/// The positions of an order. Obtained from a transaction: `transaction[Step.order]`. Its functions throw `RecordsError`.
public struct OrderReader<R: Record, Key: PlacedKey> {
    let transaction: ReadTransaction
    let order: ManualOrder<R, Key>

    private var reader: IndexReader<R, Key> { transaction[order.index] }

    // MARK: Ends

    /// The position after every record of a lane and those that share its positions. Cost: a step for each lane.
    public func last(in lane: Key.Lane) throws -> Int64 {
        // Loops here and below: in generic code the standard library's functions look types up at run time, which took longer
        // than the search.
        var greatest: Int64?
        for key in try reader.edges(of: order.lanes(lane), last: true) {
            greatest = Swift.max(greatest ?? .min, key.position)
        }
        return greatest.map { $0 + ManualOrder<R, Key>.gap } ?? 0
    }

    /// The position before every record of a lane and those that share its positions. Cost: a step for each lane.
    public func first(in lane: Key.Lane) throws -> Int64 {
        var smallest: Int64?
        for key in try reader.edges(of: order.lanes(lane), last: false) {
            smallest = Swift.min(smallest ?? .max, key.position)
        }
        return smallest.map { $0 - ManualOrder<R, Key>.gap } ?? 0
    }

    /// How many records have a position before another one, over all lanes that share it. Cost: a step for each of them.
    public func rank(of position: Int64, in lane: Key.Lane) throws -> Int {
        var count = 0
        for lane in order.lanes(lane) {
            count += try reader.count(
                from: Key(lane: lane, position: .min), to: Key(lane: lane, position: position))
        }
        return count
    }

    // MARK: Preview

    /// The ids of a record's lane in the order that a move would lead to; writes nothing. Cost: two look-ups, and a step for
    /// each record of the lane.
    ///
    /// - Throws: `noSuchPlace`, where the move would.
    public func preview(_ id: R.ID, to place: OrderPosition<R.ID>) throws -> [R.ID] {
        let key = try key(of: id)
        let target = try target(of: id, key, place)
        var ids: [R.ID] = []
        var index = 0
        var present = 0
        try reader.forEachKey(prefix: key.lane) { other, otherID in
            if otherID == id {
                present = ids.count
                return true
            }
            switch target {
            case .beside(let neighbor, let isAfter):
                // Another lane's record has its place among the positions of this one.
                if isAfter ? other.position <= neighbor.position : other.position < neighbor.position { index += 1 }
            case .end(let isLast): if isLast { index += 1 }
            case .same: break
            }
            ids.append(otherID)
            return true
        }
        ids.insert(id, at: target == .same ? present : index)
        return ids
    }

    // MARK: What moves need

    /// Where a move leads to.
    enum Target: Equatable {
        case end(isLast: Bool)
        case beside(Neighbor, isAfter: Bool)
        /// Where the record is.
        case same
    }

    struct Neighbor: Equatable {
        let id: R.ID
        let position: Int64
    }

    func key(of id: R.ID) throws -> Key {
        guard let record = try transaction[R.self].get(id), let key = order.key(of: record) else { throw noSuchPlace }
        return key
    }

    func target(of id: R.ID, _ key: Key, _ place: OrderPosition<R.ID>) throws -> Target {
        switch place {
        case .first: return .end(isLast: false)
        case .last: return .end(isLast: true)
        case .before(let other): return try beside(other, isAfter: false, id, key)
        case .after(let other): return try beside(other, isAfter: true, id, key)
        case .index(let index):
            guard index >= 0 else { throw noSuchPlace }
            var last: Neighbor?
            var passed = 0
            try reader.forEachKey(prefix: key.lane) { other, otherID in
                guard otherID != id else { return true }
                last = Neighbor(id: otherID, position: other.position)
                passed += 1
                return passed <= index
            }
            guard let last else { return .same }
            return .beside(last, isAfter: passed <= index)
        }
    }

    private func beside(_ other: R.ID, isAfter: Bool, _ id: R.ID, _ key: Key) throws -> Target {
        guard other != id else { return .same }
        let neighbor = try self.key(of: other)
        guard
            neighbor.lane.keyBytes == key.lane.keyBytes
                || order.lanes(neighbor.lane).map(\.keyBytes) == order.lanes(key.lane).map(\.keyBytes)
        else { throw noSuchPlace }
        return .beside(Neighbor(id: other, position: neighbor.position), isAfter: isAfter)
    }

    /// Another record at the same position, as an undo can leave one. Cost: a step for each lane.
    package func other(than id: R.ID, at position: Int64, in lane: Key.Lane) throws -> R.ID? {
        let next = try neighbors(of: position - 1, before: false, excluding: id, limit: 1, in: lane).first
        return next?.position == position ? next?.id : nil
    }

    /// Whether two records have a position. Cost: two steps for each lane.
    func isTied(at position: Int64, excluding id: R.ID? = nil, in lane: Key.Lane) throws -> Bool {
        var count = 0
        for lane in order.lanes(lane) where count < 2 {
            let key = Key(lane: lane, position: position).keyBytes
            try reader.forEachKey(KeyRange(prefix: key), backwards: false) { _, other in
                if other != id { count += 1 }
                return count < 2
            }
        }
        return count > 1
    }

    private var noSuchPlace: RecordsError { .noSuchPlace(index: order.index.tableName) }

    /// The records nearest to a position on one side, over all lanes that share it, the nearest first. Cost: a step for each.
    func neighbors(
        of position: Int64, before: Bool, excluding id: R.ID, limit: Int, in lane: Key.Lane
    ) throws -> [Neighbor] {
        var found: [Neighbor] = []
        guard before || position < .max else { return [] }
        for lane in order.lanes(lane) {
            let start = lane.keyBytes
            let range =
                before
                ? KeyRange(lower: start, upper: Key(lane: lane, position: position).keyBytes)
                : KeyRange(lower: Key(lane: lane, position: position + 1).keyBytes, upper: start.successorOfPrefix)
            var count = 0
            try reader.forEachKey(range, backwards: before) { key, other in
                guard other != id else { return true }
                found.append(Neighbor(id: other, position: key.position))
                count += 1
                return count < limit
            }
        }
        found.sort { before ? $0.position > $1.position : $0.position < $1.position }
        return Array(found.prefix(limit))
    }
}

extension ReadTransaction {
    /// The positions of an order.
    public subscript<R: Record, Key: PlacedKey>(_ order: ManualOrder<R, Key>) -> OrderReader<R, Key> {
        OrderReader(transaction: self, order: order)
    }
}
