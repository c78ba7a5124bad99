import CLMDB
import Injection
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One opened store: read transactions for everyone, one writer thread, crash-safe creation, a map that grows by itself.
///
/// A process holds at most one environment per folder; opening the same folder again gives the same one. It closes when
/// the last reference goes, or by `close()`.
public final class Environment: Sendable {
    /// The store's folder.
    public let path: String
    /// How it was opened.
    public let configuration: EnvironmentConfiguration
    let identity: FolderIdentity
    let handle: EnvironmentHandle
    let writer: Writer
    let observers: CommitObservers
    let registration: EnvironmentRegistry.Registration

    /// Opens the environment in a folder that holds one. `Environment.open` is the way in; it keeps one per folder.
    /// Nil when another folder has taken its place.
    init?(path: String, identity: FolderIdentity, configuration: EnvironmentConfiguration) throws(KeyValueError) {
        guard
            let handle = try EnvironmentHandle(openingIn: path, identity: identity, configuration: configuration)
        else { return nil }
        self.path = path
        self.identity = identity
        self.configuration = configuration
        do {
            // Who created the store may have died before its entry was flushed. Everyone who may write flushes it before
            // the first write, so a store that was written to has been flushed.
            if !configuration.isReadOnly, !configuration.injectionPoint(.skipsParentFlush),
                handle.statistics.lastTransaction <= StoreFolder.creationTransactions
            {
                try StoreFolder(path: path).flushEntry()
            }
        } catch {
            handle.close()
            throw error
        }
        let observers = CommitObservers(handle: handle)
        self.handle = handle
        self.observers = observers
        let registration = EnvironmentRegistry.Registration()
        self.registration = registration
        writer = Writer(environment: handle) {
            observers.committed()
        } afterClose: {
            EnvironmentRegistry.shared.forget(identity, registration)
        }
        if !configuration.isReadOnly { handle.applyCeiling() }
    }

    deinit {
        close()
    }

    /// Opens the store in a folder; the one that this process has open already, if it has.
    ///
    /// - Parameter content: what to put into a new store when the folder is missing or empty; nil to throw
    ///   `storeNotFound` then. Creation is atomic: a crash leaves the whole store or none.
    /// - Throws: `notAStore` for a folder with other files in it, `damaged`, `permissionDenied`, `readOnly` when this
    ///   process has the store open for reading only and asks to write.
    public static func open(
        at path: String, configuration: EnvironmentConfiguration = EnvironmentConfiguration(),
        creatingWith content: NewStoreContent? = nil
    ) throws(KeyValueError) -> Environment {
        try EnvironmentRegistry.shared.open(path: path, configuration: configuration, content: content)
    }

    /// Opens tables by name, creating those that are missing. Call it once, after opening.
    public func openTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        do {
            return try handle.openTables(names)
        } catch {
            switch error {
            case .commitFailed, .commitUnknown: writer.markBroken()
            default: break
            }
            throw error
        }
    }

    /// Opens those of the tables that are there, and creates none.
    public func openPresentTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        try handle.openPresentTables(names)
    }

    /// Reads from one consistent moment. Synchronous, never waits for a writer. Cost: about a microsecond besides what
    /// the closure does.
    public func read<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws -> Result {
        let transaction = RawReadTransaction(owning: try handle.beginRead())
        return try body(transaction)
    }

    /// Begins a read transaction that ends when the value goes. End it on the thread that began it.
    package func beginRead() throws(KeyValueError) -> RawReadTransaction {
        RawReadTransaction(owning: try handle.beginRead())
    }

    /// Runs a closure on the writer thread and returns when what it wrote is durable.
    ///
    /// Closures that wait at the same time share a commit. A closure that throws leaves nothing behind. A closure may run
    /// again from the start, when the map had to grow to hold what it wrote; only its last run counts. When the task is
    /// cancelled before the closure has begun, the closure does not run and `CancellationError` is thrown; after
    /// that, cancellation has no effect.
    ///
    /// - Parameter reclaims: whether the closure makes room; it may then use a reserve beyond the map's ceiling.
    /// - Throws: what the closure threw, or a `KeyValueError` when the commit failed.
    public func write<Result: Sendable>(
        reclaims: Bool = false,
        _ body: @escaping @Sendable (consuming RawWriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        let job = TypedWriteJob(reclaims: reclaims, body)
        let writer = writer
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.wait(with: continuation)
                if Task.isCancelled { return job.fail(CancellationError()) }
                do {
                    try writer.enqueue([job])
                } catch {
                    return job.fail(error)
                }
                // Cancelled between the check and the queue: the handler found nothing to take out then.
                if Task.isCancelled, writer.cancel(job) { job.fail(CancellationError()) }
            }
        } onCancel: {
            if writer.cancel(job) { job.fail(CancellationError()) }
        }
    }

    /// Calls a closure after each commit, of this process or of another one, from a thread of the store's. Calls may be
    /// merged; none is missed. Nothing runs while nothing is committed. Ends when the returned value goes.
    public func observeCommits(_ notify: @escaping @Sendable () -> Void) throws(KeyValueError) -> CommitObservation {
        try observers.add(notify)
    }

    /// Sizes and counts. Cost: constant.
    public var statistics: EnvironmentStatistics { handle.statistics }

    /// What opening has repaired; nil in nearly all cases.
    public var repair: MetaPageRepair? { handle.repair }

    /// How often LMDB's lock file was found to disagree with the data file, since another program died opening the store.
    /// Each time LMDB was opened again before anything was read or written.
    package var staleOpenings: Int { handle.staleOpenings.load(ordering: .relaxed) }

    /// Whether a failed flush has stopped writing until the store is reopened.
    public var hasStoppedWriting: Bool { writer.isBroken }

    /// How many closures wait for the writer thread; tests order their steps by it.
    package var queuedWrites: Int { writer.queueLength }

    /// Frees the slots of readers whose process died, and returns how many there were. Happens by itself at each open.
    @discardableResult
    public func clearDeadReaders() -> Int {
        configuration.isReadOnly ? 0 : handle.clearDeadReaders()
    }

    /// Finishes the queued writes, waits for readers and closes. Later use throws `closed`. In the child of a fork it does
    /// nothing: the parent has it open.
    public func close() {
        // Its threads are not here, and whoever waits for them waits for ever.
        guard handle.isOfThisProcess else { return }
        EnvironmentRegistry.shared.isClosing(identity, registration)
        observers.stop()
        writer.stop()
    }
}
