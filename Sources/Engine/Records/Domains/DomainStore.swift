import CivilTime

/// The kind of a change of a domain.
package protocol DomainOperation: Sendable {
    /// The label of its changes in the change log.
    var label: ChangeLabel { get }
}

/// The store of a domain, or a session of it: runs the domain's operations, converts their errors and logs them.
package struct DomainStore<Failure: DomainError>: Sendable {
    package let store: RecordStore
    /// The session whose pending changes are shown; nil for durable changes only.
    private let session: OptimisticSession?
    private let log: OperationLog

    /// - Parameter domain: The name of the domain in the logs, such as "tasks".
    package init(_ store: RecordStore, session: OptimisticSession? = nil, domain: String) {
        self.store = store
        self.session = session
        log = OperationLog(of: domain)
    }

    /// Reads from one consistent snapshot.
    ///
    /// - Parameter isRepeatable: Whether the closure may run again: not if it passes on what it reads before it ends.
    /// - Throws: The store's errors as the domain's; other errors of the closure unchanged.
    package func read<Result>(
        isRepeatable: Bool = true, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        do {
            guard let session else { return try store.read(isRepeatable: isRepeatable, body) }
            return try session.read(body)
        } catch let error as RecordsError {
            throw Failure(error)
        }
    }

    /// Runs several operations in one transaction. Throws as `read`, and `CancellationError`.
    package func write<Result: Sendable>(
        _ operation: some DomainOperation, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        do {
            guard let session else { return try await store.write(operation.label, body) }
            return try await session.write(operation.label, body)
        } catch let error as RecordsError {
            throw Failure(error)
        }
    }

    /// Runs an operation, and returns also the sequence number of its change: 0 when nothing was changed.
    package func writeNumbered<Result: Sendable>(
        _ operation: some DomainOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(Failure) -> (result: Result, sequence: UInt64) {
        let (label, clock) = (operation.label, store.context.clock)
        let start = clock.monotonic
        do {
            let written =
                if let session {
                    try await session.writeNumbered(label, continuing: first, reclaims: reclaims, body)
                } else {
                    try await store.writeNumbered(label, continuing: first, reclaims: reclaims, body)
                }
            log.note("\(operation)", since: start, on: clock)
            return written
        } catch {
            let error = Failure(error)
            log.note("\(operation)", since: start, on: clock, error: error.code)
            throw error
        }
    }

    /// Follows the result of a reading.
    package func observe<Value: Sendable & Equatable>(
        _ query: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> LiveQuery<Value> { session?.observe(query) ?? store.observe(query) }

    /// Follows a range of an index.
    package func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key>, backwards: Bool = false, limit: Int? = nil,
        after shown: RangeUpdate<R>? = nil
    ) -> LiveRange<R, Key> {
        session?.observe(index, in: range, backwards: backwards, limit: limit, after: shown)
            ?? store.observe(index, in: range, backwards: backwards, limit: limit, after: shown)
    }
}

extension Array where Element: Hashable {
    /// The elements without repetition, in the order in which they first occur.
    package var withoutRepetition: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}
