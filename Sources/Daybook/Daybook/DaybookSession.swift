import Journals
import Records
import Tasks

/// A view of a store in which changes show at once, before they are durable: for a user interface.
///
///     let session = store.session()
///     try await session.tasks.complete(task.id)       // shown at once; durable when this returns
///
/// Reads and live views of the session have its own pending changes, and keep them while the store retries. A change that
/// fails in the end is taken back, and the call throws the error. See ``OptimisticSession`` for what shows later.
public final class DaybookSession: Sendable {
    /// The task list with the pending changes of this session.
    public let tasks: TaskList
    /// The journals with the pending changes of this session. They are locked and unlocked with those of the store.
    public let journals: Journal
    private let session: OptimisticSession

    init(store: RecordStore, journals: Journal) {
        session = store.session()
        tasks = TaskList(session: session, of: store)
        self.journals = Journal(session: session, of: journals)
    }

    /// The number of changes that are not durable yet.
    public var pendingCount: Int { session.pendingCount }

    /// Reads tasks and records from one consistent snapshot, with the pending changes of this session.
    ///
    /// - Throws: `RecordsError` if the store fails; what the closure throws.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try session.read(body)
    }

    /// Changes tasks and records at once in this session, in a transaction that is durable when the call returns.
    ///
    /// - Throws: As `DaybookStore.write`; the change is taken back then.
    @discardableResult
    public func write<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await session.write(ChangeLabel(), body)
    }

    /// Follows the records of an index range, with the pending changes of this session. As
    /// `DaybookStore.observe`.
    public func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key> = .all, backwards: Bool = false, limit: Int? = nil,
        after shown: RangeUpdate<R>? = nil
    ) -> LiveRange<R, Key> {
        session.observe(index, in: range, backwards: backwards, limit: limit, after: shown)
    }

    /// Follows the result of a read, with the pending changes of this session.
    public func observe<Value: Sendable & Equatable>(
        _ query: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> LiveQuery<Value> {
        session.observe(query)
    }
}

extension DaybookStore {
    /// Begins a session: a view of this store in which changes show at once, before they are durable.
    public func session() -> DaybookSession { DaybookSession(store: store, journals: journals) }
}
