import KeyValue

/// The records of an index range, and every change of them, whichever process makes it: after the commit, in order, each
/// once; several changes may come as one update.
///
///     for try await update in store.observe(Reading.byTime, in: .keys(from: midnight)) {
///         show(update.records, changed: update.steps)
///     }
///
/// The first update holds all records. Cost of a later one: a look-up for each record that changed since, whatever the size
/// of the range; with a limit, reading what is shown. The range is read again only where the change log does not contain what
/// changed: after a purge, beyond its retention, and for untracked collections and shared indexes. Memory: the records.
public struct LiveRange<R: Record, Key: OrderedKey>: AsyncSequence, Sendable {
    /// A change of the records in the range.
    public typealias Element = RangeUpdate<R>

    let store: RecordStore
    var session: OptimisticSession?
    let index: Index<R, Key>
    let range: IndexRange<R, Key>
    let isBackwards: Bool
    let limit: Int?
    /// What the application shows already.
    private(set) var shown: RangeUpdate<R>?
    /// Which of the records in the range are shown; nil for all.
    package var filter: RecordFilter<R>?
    /// Called before and after each reading, whose result is not returned if it throws; nil for none.
    package var gate: (@Sendable () throws -> Void)?

    private var origin: RecordList<R>.Origin {
        RecordList<R>.Origin(
            table: index.tableName, lower: range.bytes.lower, upper: range.bytes.upper, isBackwards: isBackwards,
            limit: limit, filter: filter?.name)
    }

    /// Returns the range, to be continued from an update that the application has shown; unchanged for nil.
    public func resumed(after update: RangeUpdate<R>?) -> LiveRange {
        var range = self
        range.shown = update ?? shown
        return range
    }

    /// Starts to follow the range.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Holds the records of the range, and reads what changed after each commit.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let live: LiveRange
        /// What was reported last.
        private var records: RecordList<R>
        /// The number of the last change that was looked at; nil before the first update.
        private var sequence: UInt64?
        /// What a session showed in place of stored records.
        private var edits: [KeyBytes: RecordOverlay.Edit]

        init(_ live: LiveRange) {
            self.live = live
            records = live.shown?.records ?? RecordList(origin: live.origin)
            sequence = live.shown?.sequence
            edits = live.shown?.edits ?? [:]
        }

        /// The present state without the steps to it; nil before the first update.
        package var last: RangeUpdate<R>? {
            sequence.map { RangeUpdate(steps: [], records: records, sequence: $0, edits: edits) }
        }

        /// Waits for the next update and returns it.
        ///
        /// - Throws: `RecordsError` if the store fails or is closed, `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> RangeUpdate<R>? {
            let signal = try live.store.commitSignal()
            while true {
                let generation = signal.generation
                try live.gate?()
                let update = try update()
                try live.gate?()
                if let update { return update }
                try await signal.wait(past: generation)
            }
        }

        /// What changed since the last update; nil for nothing.
        package mutating func update() throws -> RangeUpdate<R>? {
            guard let session = live.session else { return try live.store.read { try update(in: $0) } }
            return try session.read { try update(in: $0) }
        }

        package mutating func update(in transaction: ReadTransaction) throws -> RangeUpdate<R>? {
            let now = try transaction.lastSequence()
            let collection = try transaction.schema.collection(of: R.self)
            let isFirst = sequence == nil
            var steps: [RangeUpdate<R>.Step] = []
            if let changes = try changes(until: now, in: transaction, of: collection),
                changes.isEmpty || live.limit == nil
            {
                if !changes.isEmpty { steps = records.apply(changes) }
            } else {
                let new = try read(in: transaction)
                steps = records.steps(to: new)
                records = new
            }
            sequence = now
            edits = transaction.overlay[collection.number]
            if live.store.injectionPoint(.missesMoves) { steps.removeAll(where: \.isMove) }
            guard isFirst || !steps.isEmpty else { return nil }
            return RangeUpdate(steps: steps, records: records, sequence: now, edits: edits)
        }

        /// Reads the range.
        private func read(in transaction: ReadTransaction) throws -> RecordList<R> {
            var entries: [RecordList<R>.Entry] = []
            guard live.limit != 0 else { return RecordList(origin: live.origin) }
            try transaction[live.index].forEachEntry(in: live.range, backwards: live.isBackwards) {
                record, entry, hash in
                // Who has cancelled a long reading does not wait for its end, and neither does the space that its transaction keeps.
                try Task.checkCancellation()
                if let filter = live.filter, !filter.includes(record) { return true }
                entries.append(RecordList.Entry(key: entry, hash: hash, record: record))
                return live.limit.map { entries.count < $0 } ?? true
            }
            return RecordList(origin: live.origin, entries)
        }

        // MARK: By the change log

        /// The records whose entries in the range changed since the last update, or that changed in it; nil when the log
        /// cannot tell.
        private func changes(
            until last: UInt64, in transaction: ReadTransaction, of collection: BoundCollection<R>
        ) throws -> [RecordList<R>.RecordChange]? {
            // A number that is higher belongs to another store, such as one that was restored since.
            guard let sequence, sequence <= last, records.origin == live.origin, collection.isTracked,
                !live.index.isShared
            else { return nil }
            let now = transaction.overlay[collection.number]
            var before: [KeyBytes: [UInt8]?] = [:]
            if sequence < last {
                let found = try transaction.withEngine { engine in
                    try images(after: sequence, of: collection.number, transaction.schema, in: engine)
                }
                guard let found else { return nil }
                before = found
            }
            // What a session shows and showed hides what is stored.
            let edited = now.isEmpty && edits.isEmpty ? [] : Set(now.keys).union(edits.keys)
            for key in edited {
                if let edit = edits[key] {
                    before[key] = .some(edit.bytes)
                } else if before[key] == nil {
                    before[key] = try .some(transaction.withEngine { try collection.stored(key, in: $0)?.bytes })
                }
            }
            var changes: [RecordList<R>.RecordChange] = []
            for (key, image) in before {
                var old: KeyBytes?
                if let image { old = entry(of: try collection.decode(key.bytes, image.span.bytes), key) }
                var new: RecordList<R>.Entry?
                if let stored = try transaction.stored(key, in: collection) {
                    let record = try collection.decode(key.bytes, stored.bytes.span.bytes)
                    if let entry = entry(of: record, key) {
                        new = RecordList.Entry(key: entry, hash: stored.hash, record: record)
                    }
                }
                if old != nil || new != nil { changes.append(RecordList.RecordChange(old: old, new: new)) }
            }
            return changes
        }

        /// For each record that changed since a sequence number its bytes at that time; nil when the log does not have them.
        private func images(
            after sequence: UInt64, of collection: UInt32, _ schema: BoundSchema,
            in engine: borrowing RawReadTransaction
        ) throws -> [KeyBytes: [UInt8]?]? {
            let log = ChangeLog(schema: schema)
            guard try log.firstSequence(in: engine) <= sequence + 1 else { return nil }
            var before: [KeyBytes: [UInt8]?] = [:]
            var isComplete = true
            var last = sequence
            try log.forEach(after: sequence, in: engine) { found, row in
                last += 1
                isComplete = isComplete && found == last
                for entry in row.entries where entry.collection == collection {
                    if entry.isPurged { isComplete = false }
                    let key = KeyBytes(entry.key)
                    if before[key] == nil { before[key] = .some(entry.image) }
                }
                return isComplete
            }
            return isComplete ? before : nil
        }

        /// The entry by which a record is in the range; nil when it is not.
        private func entry(of record: R, _ id: KeyBytes) -> KeyBytes? {
            if let filter = live.filter, !filter.includes(record) { return nil }
            switch live.index.keys {
            case .one(let key):
                return key(record).flatMap { entryInRange($0.keyBytes, id) }
            case .several(let keys, _):
                return keys(record).compactMap { entryInRange($0.keyBytes, id) }.min { records.isBefore($0, $1) }
            }
        }

        private func entryInRange(_ key: KeyBytes, _ id: KeyBytes) -> KeyBytes? {
            var entry = key
            entry.append(contentsOf: id)
            let bytes = live.range.bytes
            return bytes.isAtOrAfterLower(entry.bytes) && bytes.isBeforeUpper(entry.bytes) ? entry : nil
        }
    }
}

/// A condition by which records of a range are shown.
package struct RecordFilter<R: Record>: Sendable {
    /// Tells conditions apart: what was shown under another name is compared record by record.
    let name: String
    let includes: @Sendable (R) -> Bool

    package init(_ name: String, _ includes: @escaping @Sendable (R) -> Bool) {
        self.name = name
        self.includes = includes
    }
}

extension RecordStore {
    /// Follows the records of an index range.
    ///
    /// - Parameters:
    ///   - backwards: whether the greatest key comes first.
    ///   - limit: how many records are shown; nil for all.
    ///   - shown: the update that the application has shown last, also of another range, to continue from it; nil to begin
    ///     with all records.
    public func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key> = .all, backwards: Bool = false, limit: Int? = nil,
        after shown: RangeUpdate<R>? = nil
    ) -> LiveRange<R, Key> {
        LiveRange(store: self, index: index, range: range, isBackwards: backwards, limit: limit, shown: shown)
    }
}
