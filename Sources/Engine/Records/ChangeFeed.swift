import CivilTime

/// The changes of a store after a sequence number: after commit, in order, each exactly once, whichever process made
/// them. To go on after a restart, remember the sequence number of the last change and ask for those after it.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// What the feed tells: one committed transaction.
    public typealias Element = Change

    let store: RecordStore
    let after: UInt64

    /// Begins to follow the changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, after: after)
    }

    /// Reads changes a page at a time, and sleeps while there are none.
    public final class Iterator: AsyncIteratorProtocol {
        private let store: RecordStore
        private let consumer: UInt64
        private var last: UInt64
        private var page: ArraySlice<Change> = []
        private static let pageSize = 256

        init(store: RecordStore, after sequence: UInt64) {
            self.store = store
            last = sequence
            consumer = store.consumers.register(at: sequence)
        }

        deinit {
            store.consumers.remove(consumer)
        }

        /// The next change; waits for one. Throws when the task is cancelled or the log was trimmed too far.
        public func next() async throws -> Change? {
            let signal = try store.commitSignal()
            while page.isEmpty {
                let generation = signal.generation
                page = try readPage()[...]
                if page.isEmpty { try await signal.wait(past: generation) }
            }
            let change = page.removeFirst()
            last = change.sequence
            store.consumers.advance(consumer, to: last)
            return change
        }

        private func readPage() throws -> [Change] {
            try store.read { transaction in
                let log = ChangeLog(schema: store.schema)
                var changes: [Change] = []
                try transaction.withEngine { engine in
                    let oldest = try log.firstSequence(in: engine)
                    if oldest > last, oldest - last > 1 { throw RecordsError.changesTrimmed(oldest: oldest) }
                    do {
                        try log.forEach(after: last, in: engine) { sequence, row in
                            // A row that is missing in between must not be passed over in silence.
                            if let before = changes.last?.sequence ?? (oldest <= last ? last : nil),
                                before + 1 < sequence
                            {
                                throw store.schema.changes.damage((before + 1).keyBytes.bytes)
                            }
                            changes.append(Change(sequence: sequence, row: row, schema: store.schema))
                            return changes.count < Self.pageSize
                        }
                    } catch RecordsError.damagedEntry where !changes.isEmpty {
                        // What came before the damage is right; the next page begins with the damage, and throws.
                        return
                    }
                }
                return changes
            }
        }
    }
}
