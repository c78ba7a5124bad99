import KeyValue

/// The records of an index range, and every change of them, whichever process makes it: after the commit, in order, each
/// once; several changes may come as one update.
///
///     for try await update in store.observe(Reading.byTime, in: .keys(from: midnight)) {
///         update.apply(to: &readings)
///     }
///
/// The first update holds all records. Cost of a later one: a look-up for each record that changed since, whatever the size
/// of the range; with a limit, reading what is shown. The range is read again only where the change log does not contain what
/// changed: after a purge, beyond its retention, and for untracked collections and shared indexes.
public struct LiveRange<R: Record, Key: OrderedKey>: AsyncSequence, Sendable {
    /// A change of the records in the range.
    public typealias Element = RangeUpdate<R>

    let store: RecordStore
    let index: Index<R, Key>
    let range: IndexRange<R, Key>
    let isBackwards: Bool
    let limit: Int?

    /// Starts to follow the range.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Holds the keys of the range, and reads what changed after each commit.
    public final class Iterator: AsyncIteratorProtocol {
        private let live: LiveRange
        private var entries: EntryList
        /// The number of the last change that was reported; nil before the first update.
        private var sequence: UInt64?

        init(_ live: LiveRange) {
            self.live = live
            entries = EntryList(isBackwards: live.isBackwards)
        }

        /// Waits for the next update and returns it.
        ///
        /// - Throws: `RecordsError` if the store fails or is closed, `CancellationError` when the task is cancelled.
        public func next() async throws -> RangeUpdate<R>? {
            let signal = try live.store.commitSignal()
            while true {
                let generation = signal.generation
                if let update = try live.store.read({ try update(in: $0) }) { return update }
                try await signal.wait(past: generation)
            }
        }

        /// What changed since the last update; nil for nothing.
        func update(in transaction: ReadTransaction) throws -> RangeUpdate<R>? {
            let now = try transaction.lastSequence()
            let isFirst = sequence == nil
            let collection = try transaction.schema.collection(of: R.self)
            var steps: [RangeUpdate<R>.Step]?
            if let sequence, collection.isTracked, !live.index.isShared {
                if now == sequence { return nil }
                steps =
                    try changes(after: sequence, in: transaction, of: collection).map { changes in
                        if changes.isEmpty { return [] }
                        return live.limit == nil ? follow(changes) : nil
                    } ?? nil
            }
            let result = try steps ?? reload(in: transaction, of: collection)
            sequence = now
            guard isFirst || !result.isEmpty else { return nil }
            return RangeUpdate(steps: result, count: entries.count, sequence: now)
        }

        // MARK: By the change log

        /// A record that changed: its entries in the range before and now.
        private struct RecordChange {
            let old: KeyBytes?
            let new: KeyBytes?
            let record: R?
            let hash: UInt64
        }

        /// The records whose entries in the range changed, or that changed in it; nil when the log cannot tell.
        private func changes(
            after sequence: UInt64, in transaction: ReadTransaction, of collection: BoundCollection<R>
        ) throws -> [RecordChange]? {
            try transaction.withEngine { engine in
                let log = ChangeLog(schema: transaction.schema)
                guard try log.firstSequence(in: engine) <= sequence + 1 else { return nil }
                var before: [KeyBytes: [UInt8]?] = [:]
                var isComplete = true
                var last = sequence
                try log.forEach(after: sequence, in: engine) { found, row in
                    last += 1
                    isComplete = isComplete && found == last
                    for entry in row.entries where entry.collection == collection.number {
                        if entry.isPurged { isComplete = false }
                        let key = KeyBytes(entry.key)
                        if before[key] == nil { before[key] = .some(entry.image) }
                    }
                    return isComplete
                }
                guard isComplete else { return nil }
                var changes: [RecordChange] = []
                for (key, image) in before {
                    let old = try image.flatMap { image in
                        try entry(of: collection.decode(key.bytes, image.span.bytes), key)
                    }
                    let stored = try collection.stored(key, in: engine)
                    let record = try stored.map { try collection.decode(key.bytes, $0.bytes.span.bytes) }
                    let new = record.flatMap { entry(of: $0, key) }
                    if old != nil || new != nil {
                        changes.append(RecordChange(old: old, new: new, record: record, hash: stored?.hash ?? 0))
                    }
                }
                return changes
            }
        }

        /// The entry by which a record is in the range; nil when it is not.
        private func entry(of record: R, _ id: KeyBytes) -> KeyBytes? {
            var found: KeyBytes?
            for key in live.index.keys(of: record) {
                var entry = key.keyBytes
                entry.append(contentsOf: id)
                let bytes = live.range.bytes
                guard bytes.isAtOrAfterLower(entry.bytes), bytes.isBeforeUpper(entry.bytes) else { continue }
                let isBetter = found.map { found in
                    live.isBackwards ? found.bytes.precedes(entry.bytes) : entry.bytes.precedes(found.bytes)
                }
                if isBetter ?? true { found = entry }
            }
            return found
        }

        private func follow(_ changes: [RecordChange]) -> [RangeUpdate<R>.Step] {
            var removals: [(id: KeyBytes, at: Int)] = []
            var origins: [KeyBytes: Int] = [:]
            for change in changes where change.old != change.new {
                guard let old = change.old, let position = entries.position(of: old) else { continue }
                if let new = change.new { origins[new] = position } else { removals.append((old, position)) }
            }
            for change in changes where change.old != change.new {
                if let old = change.old { entries.remove(old) }
            }
            var steps: [RangeUpdate<R>.Step] = removals.sorted { $0.at > $1.at }.compactMap { removal in
                id(of: removal.id).map { .removed($0, at: removal.at) }
            }
            let arrivals = changes.filter { $0.old != $0.new && $0.new != nil }.sorted { left, right in
                guard let left = left.new, let right = right.new else { return false }
                return live.isBackwards ? right.bytes.precedes(left.bytes) : left.bytes.precedes(right.bytes)
            }
            for change in arrivals {
                guard let new = change.new, let record = change.record else { continue }
                let position = entries.insert(EntryList.Entry(key: new, hash: change.hash))
                guard let origin = origins[new] else {
                    steps.append(.inserted(record, at: position))
                    continue
                }
                // Alone, a record that comes out where it was has only changed.
                steps.append(
                    changes.count == 1 && origin == position
                        ? .updated(record, at: position) : .moved(record, from: origin, to: position))
            }
            var updates: [(record: R, at: Int)] = []
            for change in changes where change.old == change.new {
                guard let key = change.new, let record = change.record else { continue }
                if let position = entries.update(key, hash: change.hash) { updates.append((record, position)) }
            }
            return steps + updates.sorted { $0.at < $1.at }.map { .updated($0.record, at: $0.at) }
        }

        private func id(of entry: KeyBytes) -> R.ID? {
            let bytes = KeyBytes(copying: entry.bytes.extracting(last: R.ID.width))
            var decoder = KeyDecoder(bytes.bytes)
            return try? R.ID(decoding: &decoder)
        }

        // MARK: By reading the range

        private func reload(
            in transaction: ReadTransaction, of collection: BoundCollection<R>
        ) throws -> [RangeUpdate<R>.Step] {
            var records: [R] = []
            var new = EntryList(isBackwards: live.isBackwards)
            if live.limit != 0 {
                let reader = transaction[live.index]
                try reader.forEachEntry(in: live.range, backwards: live.isBackwards) { record, entry, hash in
                    records.append(record)
                    new.append(EntryList.Entry(key: entry, hash: hash))
                    return live.limit.map { records.count < $0 } ?? true
                }
            }
            let steps = steps(from: entries.all, to: new.all, records)
            entries = new
            return steps
        }

        private func steps(
            from old: [EntryList.Entry], to new: [EntryList.Entry], _ records: [R]
        ) -> [RangeUpdate<R>.Step] {
            let width = R.ID.width
            func idBytes(_ entry: EntryList.Entry) -> KeyBytes {
                KeyBytes(copying: entry.key.bytes.extracting(last: width))
            }
            let places = Dictionary(new.enumerated().map { (idBytes($0.element), $0.offset) }) { first, _ in first }
            var steps: [RangeUpdate<R>.Step] = []
            var kept: [(from: Int, to: Int)] = []
            for (position, entry) in old.enumerated() {
                if let place = places[idBytes(entry)] { kept.append((position, place)) }
            }
            let survivors = Set(kept.map(\.from))
            for position in old.indices.reversed() where !survivors.contains(position) {
                if let id = id(of: old[position].key) { steps.append(.removed(id, at: position)) }
            }
            let unmoved = OrderedDifference.unmoved(kept.map(\.to))
            var origins: [Int: Int] = [:]
            var updates: [Int] = []
            var stays: Set<Int> = []
            for (number, pair) in kept.enumerated() {
                if unmoved.contains(number) {
                    stays.insert(pair.to)
                    if old[pair.from].hash != new[pair.to].hash { updates.append(pair.to) }
                } else {
                    origins[pair.to] = pair.from
                }
            }
            for position in new.indices where !stays.contains(position) {
                if let origin = origins[position] {
                    steps.append(.moved(records[position], from: origin, to: position))
                } else {
                    steps.append(.inserted(records[position], at: position))
                }
            }
            return steps + updates.sorted().map { .updated(records[$0], at: $0) }
        }
    }
}

extension RecordStore {
    /// Follows the records of an index range.
    ///
    /// - Parameters:
    ///   - backwards: whether the greatest key comes first.
    ///   - limit: how many records are shown; nil for all.
    public func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key> = .all, backwards: Bool = false, limit: Int? = nil
    ) -> LiveRange<R, Key> {
        LiveRange(store: self, index: index, range: range, isBackwards: backwards, limit: limit)
    }
}
