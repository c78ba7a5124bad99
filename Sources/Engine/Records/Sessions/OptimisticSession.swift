import CivilTime
import Threading

/// A view of a store in which a write shows at once, before it is durable.
///
///     let session = store.session()
///     try await session.write { try $0.put(reading) }     // reads of the session have it now, the store when this returns
///
/// A write runs its closure twice: first on the present records, which makes its changes visible to the reads and live queries
/// of this session, then in a transaction of the store. It stays visible while the store retries, and until the change is
/// durable; when the write fails in the end, it is taken back and the error is thrown. Writes of a session become durable in
/// their order, each as a separate change. The second run gets the same ids and the same time as the first, so that nothing
/// changes again when it is durable, unless others wrote in between.
///
/// Counts of tallies and roll-ups include the pending writes. What a transaction does at its end shows when it is durable: records
/// that a reference deletes or changes, keys that are not unique. So do undo and `purgeHistory`.
public final class OptimisticSession: Sendable {
    /// A write that is not durable yet.
    private struct Pending {
        let number: UInt64
        let body: @Sendable (WriteTransaction) throws -> Void
        let terms: WriteTerms
        /// What it shows.
        var draft: RecordDraft
    }

    private struct State {
        var pending: [Pending] = []
        var lastNumber: UInt64 = 0
        /// Counts the changes of this state.
        var generation: UInt64 = 0
        /// The change that the first pending write was predicted on; those between it and the last one are of this session.
        var base: UInt64 = 0
        /// What all pending writes show.
        var overlay = RecordOverlay()
    }

    let store: RecordStore
    private let state = ForkSafeMutex(State())
    private let turn = Signal()

    init(store: RecordStore) {
        self.store = store
    }

    /// The number of writes that are not durable yet.
    public var pendingCount: Int { state.withLock { $0.pending.count } }

    /// Reads from one consistent moment, with the writes of this session that are not durable yet.
    ///
    /// - Throws: `RecordsError`, and what the closure throws, unchanged.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        // Taken first: what is in neither was committed before the transaction begins.
        try store.read(over: state.withLock { $0.overlay }, body)
    }

    /// Changes records at once in this session, and returns when the change is durable in the store.
    ///
    /// - Throws: What the closure throws on the present records, and then nothing was shown; the errors of
    ///   `RecordStore.write`, and then the change is not shown any more.
    @discardableResult
    public func write<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await writeNumbered(label, body).result
    }

    /// Changes records as `write` does, and returns the change's sequence number as well: 0 when nothing was changed.
    public func writeNumbered<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), continuing operation: UInt64? = nil, reclaims: Bool = false,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (result: Result, sequence: UInt64) {
        let terms = WriteTerms(of: store.context)
        let number = try show(terms) { _ = try body($0) }
        do {
            try await waitForTurn(of: number)
            if store.injectionPoint(.hidesPendingWrites) { take(number, committed: nil) }
            let written = try await store.writeNumbered(
                label, continuing: operation, reclaims: reclaims, on: terms, body)
            take(number, committed: written.sequence)
            return written
        } catch {
            if !store.injectionPoint(.keepsFailedWrites) { take(number, committed: nil) }
            throw error
        }
    }

    private func waitForTurn(of number: UInt64) async throws {
        while true {
            let generation = turn.generation
            if state.withLock({ $0.pending.first.map { $0.number >= number } ?? true }) { return }
            try await turn.wait(past: generation)
        }
    }

    // MARK: Predicting

    /// Adds a write to the pending ones, with what it changes on the present records.
    private func show(
        _ terms: WriteTerms, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) throws -> UInt64 {
        while true {
            let before = state.withLock { $0 }
            let (draft, base) = try store.draft(over: before.overlay, terms, body)
            let isAdded = state.withLock { state in
                // Another write came first, or a prediction was corrected.
                guard state.generation == before.generation else { return false }
                if state.pending.isEmpty { state.base = base }
                state.lastNumber += 1
                state.pending.append(Pending(number: state.lastNumber, body: body, terms: terms, draft: draft))
                state.overlay.merge(draft.changes)
                state.generation += 1
                return true
            }
            if isAdded {
                store.reportNews()
                return before.lastNumber + 1
            }
        }
    }

    /// Removes a write that is durable or has failed. Those after it are predicted again, unless it did what was predicted
    /// and nothing else was committed.
    private func take(_ number: UInt64, committed sequence: UInt64?) {
        while true {
            let before = state.withLock { $0 }
            guard let position = before.pending.firstIndex(where: { $0.number == number }) else { break }
            var rest = before.pending
            let isAsPredicted =
                position == 0 && sequence == before.base + 1 && rest[position].draft.isComplete
            rest.remove(at: position)
            let base = isAsPredicted ? before.base + 1 : predictAgain(&rest) ?? before.base
            let isTaken = state.withLock { state in
                guard state.generation == before.generation else { return false }
                state.pending = rest
                state.base = base
                state.overlay = RecordOverlay()
                for write in rest { state.overlay.merge(write.draft.changes) }
                state.generation += 1
                return true
            }
            if isTaken { break }
        }
        turn.raise()
        store.reportNews()
    }

    /// Runs writes on the present records, one after the other. One that would fail now shows nothing; the store will say
    /// why. Returns the last change among the records; nil when there is nothing to predict.
    private func predictAgain(_ writes: inout [Pending]) -> UInt64? {
        var overlay = RecordOverlay()
        var first: UInt64?
        for index in writes.indices {
            let write = writes[index]
            let predicted = try? store.draft(over: overlay, write.terms, write.body)
            writes[index].draft = predicted?.draft ?? RecordDraft(isComplete: false)
            overlay.merge(writes[index].draft.changes)
            first = first ?? predicted?.base
        }
        return first
    }
}

extension RecordStore {
    /// A view of this store in which writes show before they are durable.
    public func session() -> OptimisticSession { OptimisticSession(store: self) }
}

extension OptimisticSession {
    /// Follows the records of an index range, with the writes of this session that are not durable yet. As
    /// `RecordStore.observe`.
    public func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key> = .all, backwards: Bool = false, limit: Int? = nil,
        after shown: RangeUpdate<R>? = nil
    ) -> LiveRange<R, Key> {
        LiveRange(
            store: store, session: self, index: index, range: range, isBackwards: backwards, limit: limit, shown: shown)
    }

    /// Follows the result of a read, with the records that this session has written and that are not durable yet. As
    /// `RecordStore.observe`.
    public func observe<Value: Sendable & Equatable>(
        after sequence: UInt64? = nil, _ query: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: store, session: self, after: sequence, query: query)
    }
}
