import CivilTime
import KeyValue
import Threading

/// One committed transaction, as the change feed reports it.
public struct Change: Sendable, Equatable {
    /// What happened to one record.
    public struct Entry: Sendable, Equatable {
        /// The kinds of change.
        public enum Kind: Sendable, Equatable {
            /// The record was not there before.
            case created
            /// The record was there and still is.
            case updated
            /// The record is gone.
            case deleted
        }

        /// The collection's name; nil for one that the store was not opened with.
        public let collection: String?
        /// The record's id, as its key's bytes.
        public let key: [UInt8]
        /// What happened.
        public let kind: Kind
        /// Which fields changed: bit n for field n.
        public let changedFields: UInt64
        /// The record's bytes before the change; nil for one that was not there or was purged since.
        package let imageBefore: [UInt8]?

        /// The record's id. Throws when the key is of another type.
        public func id<ID: OrderedKey>(as type: ID.Type = ID.self) throws(RecordsError) -> ID {
            var decoder = KeyDecoder(key.span.bytes)
            return try ID(decoding: &decoder)
        }
    }

    /// The change's place in the order of all changes. It never repeats and never goes back.
    public let sequence: UInt64
    /// The wall clock when it was made.
    public let instant: Instant
    /// The label that the application gave it.
    public let label: ChangeLabel
    /// Whether it undid or redid an earlier change.
    public let isUndoOrRedo: Bool
    /// The records, each once.
    public let entries: [Entry]

    /// - Parameter names: the names of the collections that the store was not opened with, where they are known.
    init(sequence: UInt64, row: ChangeRow, schema: BoundSchema, names: [UInt32: String] = [:]) {
        self.sequence = sequence
        instant = row.instant
        label = schema.label(of: row)
        isUndoOrRedo = row.kind != .edit
        entries = row.entries.map { entry in
            Entry(
                collection: schema.collection(number: entry.collection)?.name ?? names[entry.collection],
                key: entry.key,
                kind: entry.wasThere ? entry.isPresent ? .updated : .deleted : .created,
                changedFields: entry.changedFields, imageBefore: entry.image)
        }
    }
}

/// The changes of a store after a sequence number: after commit, in order, each exactly once, whichever process made
/// them. To continue after a restart, store the sequence number of the last change and request those after it, or
/// register a ``ChangeConsumer``.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// An element of the feed: one committed transaction.
    public typealias Element = Change

    /// Where a feed begins.
    enum Start: Sendable {
        /// After a sequence number.
        case after(UInt64)
        /// After the position that a registered consumer has when the first change is requested.
        case positionOf(ConsumerName)
    }

    let store: RecordStore
    let start: Start

    /// Begins to follow the changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, start: start)
    }

    /// Reads changes a page at a time, and sleeps while there are none.
    public final class Iterator: AsyncIteratorProtocol {
        private let store: RecordStore
        private let start: Start
        /// The last change that was returned, and the place of this iterator among those of the process; nil until the
        /// position of a registered consumer was read.
        private var reached: (last: UInt64, place: UInt64)?
        private var page: ArraySlice<Change> = []
        private static let pageSize = 256

        init(store: RecordStore, start: Start) {
            self.store = store
            self.start = start
            if case .after(let sequence) = start { reached = (sequence, store.feeds.register(at: sequence)) }
        }

        deinit {
            if let reached { store.feeds.remove(reached.place) }
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
            if let place = reached?.place {
                reached = (change.sequence, place)
                store.feeds.advance(place, to: change.sequence)
            }
            return change
        }

        /// The last change that was returned; that of a consumer is its position, read in this transaction.
        private func lastReturned(in engine: borrowing RawReadTransaction) throws -> UInt64 {
            switch (reached, start) {
            case (let reached?, _): return reached.last
            case (nil, .after(let sequence)): return sequence
            case (nil, .positionOf(let name)):
                let position = try ConsumerRegistry(schema: store.schema).registration(of: name, in: engine).position
                reached = (position, store.feeds.register(at: position))
                return position
            }
        }

        private func readPage() throws -> [Change] {
            try store.read { transaction in
                let log = ChangeLog(schema: store.schema)
                var changes: [Change] = []
                try transaction.withEngine { engine in
                    let last = try lastReturned(in: engine)
                    let oldest = try log.firstSequence(in: engine)
                    if oldest > last, oldest - last > 1 { throw RecordsError.changesTrimmed(oldest: oldest) }
                    do {
                        try log.forEach(after: last, in: engine) { sequence, row in
                            // A missing row in between must not be skipped silently.
                            if let before = changes.last?.sequence ?? (oldest <= last ? last : nil),
                                before + 1 < sequence
                            {
                                throw store.schema.changes.damage((before + 1).keyBytes.bytes)
                            }
                            changes.append(Change(sequence: sequence, row: row, schema: store.schema))
                            return changes.count < Self.pageSize
                        }
                    } catch RecordsError.damagedEntry where !changes.isEmpty {
                        // The rows before the damage are valid; the next page begins with the damage and throws.
                        return
                    }
                }
                return changes
            }
        }
    }
}

/// The positions of the feeds that this process follows, so that it does not trim the log before they have read it.
final class FollowedFeeds: Sendable {
    private struct State {
        var positions: [UInt64: UInt64] = [:]
        var next: UInt64 = 0
    }

    private let state = ForkSafeMutex(State())

    /// The lowest sequence number that a feed still has to read.
    var oldestNeeded: UInt64 {
        state.withLock { $0.positions.values.min().map { $0 &+ 1 } ?? .max }
    }

    func register(at sequence: UInt64) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.positions[state.next] = sequence
            return state.next
        }
    }

    func advance(_ feed: UInt64, to sequence: UInt64) {
        state.withLock { $0.positions[feed] = sequence }
    }

    func remove(_ feed: UInt64) {
        state.withLock { _ = $0.positions.removeValue(forKey: feed) }
    }
}

/// Lets tasks sleep until something was committed. Nothing runs in the meantime.
///
/// Read `generation` before looking at the store, look, then wait past it: a commit in between ends the wait at once,
/// so none is missed. Waiting tasks are woken in the order in which they started to wait.
public final class CommitSignal: Sendable {
    private let signal = Signal()

    /// How often the signal was raised.
    public var generation: UInt64 { signal.generation }

    func raise() { signal.raise() }

    /// Returns when the signal was raised since `generation` was read. Throws when the task is cancelled.
    public func wait(past generation: UInt64) async throws(CancellationError) {
        try await signal.wait(past: generation)
    }
}

/// Starts an observation once, at the first request.
final class ObservationHolder: Sendable {
    private let observation = ForkSafeMutex<CommitObservation?>(nil)

    func begin(_ observe: () throws -> CommitObservation) throws {
        try observation.withLock { observation in
            if observation == nil { observation = try observe() }
        }
    }
}
