import CivilTime
import Injection
import KeyValue
import Logging
import Threading

@_exported import struct KeyValue.OperationCounters

/// An open store: typed collections in one folder, with transactions over all of them.
///
/// Reads never wait. Writes return when they are durable. The store closes when its last reference is released.
public final class RecordStore: Sendable {
    /// The folder.
    public let path: String
    /// Clock, zone and random source that everything in this store uses.
    public let context: Context
    /// New ids, ascending in the order in which they were made.
    public let identifiers: IdentifierGenerator
    let schema: BoundSchema
    /// The schema that the store was opened with.
    let declaredSchema: Schema
    /// The declarations of the collections that the store was opened with.
    package let declarations: [CollectionDeclaration]
    /// The environment below: for the crash lab, which examines raw entries.
    package let environment: Environment
    let retention: ChangeLogRetention
    /// The fault injection points that are armed; none outside of tests and labs.
    package let injectionPoint: ArmedInjectionPoints
    private let retries: RetryPolicy
    /// The feeds that are followed by means of this value.
    let feeds = FollowedFeeds()
    /// Whether this store was opened for reading only, even if the folder is open for writing elsewhere in the process.
    let isReadOnly: Bool
    private let counters = WriteCounters()
    private let signal: CommitSignal
    private let observation: ObservationHolder
    /// Lives as long as the store: what removes the folder of a temporary one.
    private let companion: (any AnyObject & Sendable)?
    private let log = Logger(label: "daybook.persistence")

    /// Opens the store in a folder; creates it when the folder is missing or empty.
    ///
    /// Indexes and roll-ups that were declared since the store was last open are built now, in one transaction.
    ///
    /// - Throws: `notAStore` for a folder of other files and `newerFormat` for a newer store, both left untouched.
    public convenience init(
        at path: String, schema: Schema, context: Context = .system, options: StoreOptions = StoreOptions()
    ) throws(RecordsError) {
        try self.init(at: path, schema: schema, context: context, options: options, companion: nil)
    }

    /// Opens the store with a value that lives as long as it.
    package init(
        at path: String, schema: Schema, context: Context, options: StoreOptions = StoreOptions(),
        companion: (any AnyObject & Sendable)?
    ) throws(RecordsError) {
        self.companion = companion
        do {
            try schema.check()
            _ = try StoreManifest.check(at: path)
            let manifest = StoreManifest(
                createdAt: context.clock.wall, hasCommitLog: options.commitLog.makesFile)
            let content = NewStoreContent(
                tables: schema.tableNames, files: [StoreManifest.fileName: manifest.encoded])
            environment = try Environment.open(
                at: path, configuration: options.configuration(in: context),
                creatingWith: options.createIfMissing && !options.isReadOnly ? content : nil)
            if let repair = environment.repair {
                log.warning("meta pages repaired", metadata: ["transaction": "\(repair.olderTransaction)"])
            }
            self.path = path
            declarations = schema.declarations
            declaredSchema = schema
            injectionPoint = options.injectionPoint
            let context = context.injected(options.injectionPoint)
            self.context = context
            retention = options.retention
            retries = options.retries
            isReadOnly = options.isReadOnly
            let tables = try SchemaTables(schema: schema, path: path, environment: environment)
                .open(creating: !options.isReadOnly)
            self.schema = try BoundSchema(
                schema, tables: tables, injectionPoint: environment.configuration.injectionPoint,
                pendingListLimit: options.pendingListLimit)
            identifiers = IdentifierGenerator(context: context)
            signal = CommitSignal()
            observation = ObservationHolder()
            try SchemaMigration(store: self).run()
        } catch {
            throw RecordsError(error)
        }
    }

    /// Reads from one consistent moment.
    ///
    /// Where this process cannot use the store's lock file (on a read-only mount, or without permission to write it), nothing keeps
    /// others from changing the pages that are read. That is noticed, and the closure runs again.
    ///
    /// - Throws: `RecordsError`: `snapshotLost` when the store changes faster than it can be read without its lock file; and what
    ///   the closure throws, unchanged.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try read(over: RecordOverlay(), isRepeatable: true, body)
    }

    /// Reads from one consistent moment.
    ///
    /// - Parameter isRepeatable: whether the closure may run again: not if it passes on what it reads before it ends.
    package func read<Result>(isRepeatable: Bool, _ body: (ReadTransaction) throws -> Result) throws -> Result {
        try read(over: RecordOverlay(), isRepeatable: isRepeatable, body)
    }

    /// Reads with records that are shown in place of the stored ones.
    func read<Result>(
        over overlay: RecordOverlay, isRepeatable: Bool = true, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        do {
            return try environment.retryingLostSnapshots(isRepeatable: isRepeatable) {
                let transaction = ReadTransaction(schema: schema, context: context, engine: try environment.beginRead())
                transaction.overlay = overlay
                defer { transaction.end() }
                let result = Swift.Result { try body(transaction) }
                return (result, transaction.isLost)
            }
        } catch let error as KeyValueError {
            throw RecordsError.engine(error)
        }
    }

    /// Changes records in one transaction and returns when it is durable. A throw leaves nothing behind.
    ///
    /// The closure runs on the writer's thread and may share its commit with others that wait at the same time. It runs
    /// again, after a wait, when the system was busy or the disk full: see ``RetryPolicy``.
    ///
    /// - Parameters:
    ///   - label: its label in the change log.
    ///   - continuing: the sequence number of the transaction that began this operation; undo takes both back as one,
    ///     if no other change came between.
    ///   - reclaims: whether it frees space; it may then use a reserve when the store is full.
    /// - Throws: `RecordsError`, `CancellationError` when the task is cancelled, and what the closure throws, unchanged.
    @discardableResult
    public func write<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), continuing operation: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await writeNumbered(label, continuing: operation, reclaims: reclaims, body).result
    }

    /// Changes records as `write` does, and returns the change's sequence number as well: 0 when nothing was changed.
    public func writeNumbered<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), continuing operation: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (result: Result, sequence: UInt64) {
        try await writeNumbered(label, continuing: operation, reclaims: reclaims, on: nil, body)
    }

    /// Writes on the terms of a session.
    func writeNumbered<Result: Sendable>(
        _ label: ChangeLabel, continuing operation: UInt64?, reclaims: Bool, on terms: WriteTerms?,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (result: Result, sequence: UInt64) {
        guard !isReadOnly else { throw RecordsError.engine(.readOnly) }
        let postponed = PostponedWrites(schema.injectionPoint)
        do {
            let written = try await retries.run(on: context.clock) {
                try await environment.write(reclaims: reclaims) { [self] engine in
                    try run(engine, label, continuing: operation, on: terms, postponed, body)
                }
            }
            try perform(postponed)
            return written
        } catch let error as KeyValueError {
            throw logged(error)
        }
    }

    /// Changes records on the calling thread, without a context switch, in a separate commit. It is not retried,
    /// since waiting would block this thread, except in a program whose policy says so. Throws `nestedWrite` inside another transaction of this thread.
    @discardableResult
    public func write<Result>(
        _ label: ChangeLabel = ChangeLabel(), reclaims: Bool = false, _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        guard !isReadOnly else { throw RecordsError.engine(.readOnly) }
        let postponed = PostponedWrites(schema.injectionPoint)
        do {
            let result = try retries.runBlocking {
                try environment.write(reclaims: reclaims) { engine in
                    try run(engine, label, continuing: nil, postponed, body).result
                }
            }
            try perform(postponed)
            return result
        } catch let error as KeyValueError {
            throw logged(error)
        }
    }

    /// Runs several closures in order and in one commit, and returns when all have finished: for the crash lab, which
    /// must not use Swift's concurrency. Each has its own result, and its own row in the change log.
    package func writeTogether(
        _ steps: [(label: ChangeLabel, body: @Sendable (WriteTransaction) throws -> Void)]
    ) -> [Result<Void, any Error>] {
        guard !isReadOnly else { return steps.map { _ in .failure(RecordsError.engine(.readOnly)) } }
        let postponed = steps.map { _ in PostponedWrites(schema.injectionPoint) }
        let bodies = zip(steps, postponed).map { step, postponed in
            { @Sendable [self] (engine: consuming RawWriteTransaction) throws -> Void in
                try run(engine, step.label, continuing: nil, postponed, step.body).result
            }
        }
        return zip(environment.writeTogether(bodies), postponed).map { answer, postponed in
            Result {
                try answer.get()
                try perform(postponed)
            }.mapError { error in (error as? KeyValueError).map(logged) ?? error }
        }
    }

    private func perform(_ postponed: PostponedWrites?) throws {
        try postponed?.perform(in: environment) { part, engine in
            try run(engine, ChangeLabel(), continuing: nil, nil, part).result
        }
    }

    private func run<Result>(
        _ engine: consuming RawWriteTransaction, _ label: ChangeLabel, continuing operation: UInt64?,
        on terms: WriteTerms? = nil, _ postponed: PostponedWrites?, _ body: (WriteTransaction) throws -> Result
    ) throws -> (result: Result, sequence: UInt64) {
        postponed?.begin()
        let transaction = WriteTransaction(
            schema: schema, context: terms?.context ?? context,
            identifiers: terms.map { IdentifierGenerator(repeating: $0.identifiers, then: identifiers) } ?? identifiers,
            label: label, retention: retention,
            oldestNeeded: feeds.oldestNeeded, continuing: operation, postponed: postponed,
            reversesCounts: !injectionPoint(.neverReversesCounts), engine: engine)
        defer { transaction.end() }
        let result = try body(transaction)
        let sequence = try transaction.finish()
        counters.last = transaction.counters
        return (result, sequence)
    }

    /// What the last write did, counted exactly: its own look-ups and puts, and those for roll-ups, counts and the
    /// change log. With concurrent writers it is that of any one of them.
    public var lastWriteCounters: OperationCounters { counters.last }

    private func logged(_ error: KeyValueError) -> RecordsError {
        log.error("write failed", metadata: ["error": "\(error.code)"])
        return .engine(error)
    }

    /// Changes after a sequence number, in order, each once, as they are committed by this process or another. The
    /// sequence does not end; it throws `changesTrimmed` when that change has left the log.
    public func changes(after sequence: UInt64) -> ChangeFeed {
        ChangeFeed(store: self, start: .after(sequence))
    }

    /// A signal that is raised by commits of this process and of others. Watching starts with the first call.
    public func commitSignal() throws(RecordsError) -> CommitSignal {
        let signal = signal
        let environment = environment
        try rethrowing {
            try observation.begin { try environment.observeCommits { signal.raise() } }
        }
        return signal
    }

    /// Wakes those that wait for changes without a commit: what a session shows has changed, or what may be shown.
    package func reportNews() { signal.raise() }

    /// A description of the repair that opening made to the store's file, in one line for people; nil in nearly all
    /// cases.
    public var repairedAtOpening: String? { environment.repair?.description }

    /// The end of the offer to undo an operation, by the monotonic clock, its end included; nil for an operation without an undo
    /// window.
    ///
    /// - Parameter moment: when the operation was made; nil for now.
    public func undoDeadline(of operation: String, madeAt moment: MonotonicTime? = nil) -> MonotonicTime? {
        schema.operations[operation]?.undoWindow.map { window in
            let (seconds, attoseconds) = window.components
            return (moment ?? context.clock.monotonic).advanced(
                byMicroseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        }
    }

    /// Closes the store. Later use throws. Not required: releasing the last reference does the same.
    public func close() {
        environment.close()
        // Wakes those that wait for changes, so that they see that the store is closed.
        signal.raise()
    }
}

/// The counters of a store's last write.
final class WriteCounters: Sendable {
    private let state = ForkSafeMutex(OperationCounters())

    var last: OperationCounters {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Runs long work on a dedicated thread and awaits it without blocking a thread of Swift's small pool.
package func onDedicatedThread<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let code = startDetachedThread { continuation.resume(with: Swift.Result { try work() }) }
        if code != 0 { continuation.resume(throwing: RecordsError.engine(.refused("start a thread", code: code))) }
    }
}
