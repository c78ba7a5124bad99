import CLMDB
import FileSystem
import Injection
import Synchronization

/// An open store: concurrent read transactions, one writer thread, crash-safe creation, a map that grows automatically.
///
/// A process holds at most one environment per folder; opening the same folder again gives the same one. It closes when
/// the last reference goes, or by `close()`.
public final class Environment: Sendable {
    /// The store's folder.
    public let path: String
    /// How it was opened.
    public let configuration: EnvironmentConfiguration
    let identity: FileIdentity
    let handle: EnvironmentHandle
    let writer: Writer
    let observers: CommitObservers
    let registration: EnvironmentRegistry.Registration

    /// Opens the environment in a folder that holds one. `Environment.open` is the way in; it keeps one per folder.
    /// Nil when another folder has taken its place.
    ///
    /// - Parameter isNew: whether this process has just created the store, and flushed its entry.
    init?(
        path: String, identity: FileIdentity, configuration: EnvironmentConfiguration, isNew: Bool
    ) throws(KeyValueError) {
        guard
            let handle = try EnvironmentHandle(openingIn: path, identity: identity, configuration: configuration)
        else { return nil }
        self.path = path
        self.identity = identity
        self.configuration = configuration
        do {
            // The creator of the store may have died before its entry was flushed. Every process that may write flushes
            // it before the first write, so a store with data has been flushed.
            if !isNew, !configuration.isReadOnly, !configuration.injectionPoint(.skipsParentFlush),
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

    /// Opens the store in a folder; returns the environment that this process already has open, if any.
    ///
    /// - Parameter content: what to put into a new store when the folder is missing or empty; nil to throw
    ///   `storeNotFound` then. Creation is atomic: a crash leaves a complete store or none.
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
    ///
    /// In a process that cannot use LMDB's lock file the closure may run again, when others have changed the store meanwhile.
    ///
    /// - Throws: `snapshotLost` when that happened each time; what the closure throws.
    public func read<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws -> Result {
        try retryingLostSnapshots {
            let transaction = RawReadTransaction(owning: try handle.beginRead())
            let result = Swift.Result { try body(transaction) }
            return (result, transaction.isLost)
        }
    }

    /// How often a reading is begun again whose state was lost.
    private static let readingAttempts = 20

    /// Why this process reads without LMDB's lock file; nil if it uses it.
    package var lockFileProblem: KeyValueError? { handle.lockFileProblem }

    /// Runs a reading, and again while its state was lost before its end.
    ///
    /// - Parameter isRepeatable: whether it may run again.
    package func retryingLostSnapshots<Result>(
        isRepeatable: Bool = true, _ body: () throws -> (result: Swift.Result<Result, any Error>, isLost: Bool)
    ) throws -> Result {
        for _ in 0..<(isRepeatable ? Self.readingAttempts : 1) {
            let (result, isLost) = try body()
            if !isLost { return try result.get() }
        }
        throw KeyValueError.snapshotLost(path: path)
    }

    /// Begins a read transaction that ends when the value goes. End it on the thread that began it.
    package func beginRead() throws(KeyValueError) -> RawReadTransaction {
        RawReadTransaction(owning: try handle.beginRead())
    }

    /// Runs a closure on the writer thread and returns when what it wrote is durable.
    ///
    /// Closures that wait at the same time share a commit. A closure that throws leaves nothing behind. A closure may
    /// run again from the start when the map had to grow; only its last run counts. When the task is cancelled before
    /// the closure has begun, the closure does not run and `CancellationError` is thrown; after that, cancellation has
    /// no effect.
    ///
    /// - Parameter reclaims: whether the closure frees space; it may then use a reserve beyond the map's ceiling.
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

    /// Calls a closure after each commit of this process or another one, on a thread of the store. Calls may be merged;
    /// none is missed. Nothing runs while nothing is committed. Ends when the returned value is released.
    public func observeCommits(_ notify: @escaping @Sendable () -> Void) throws(KeyValueError) -> CommitObservation {
        try observers.add(notify)
    }

    /// The version of LMDB that this program runs with, for example "0.9.24".
    public static var engineVersion: String {
        var (major, minor, patch) = (Int32(0), Int32(0), Int32(0))
        unsafe _ = mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    /// Sizes and counts. Cost: constant.
    public var statistics: EnvironmentStatistics { handle.statistics }

    /// The repair that opening made; nil in nearly all cases.
    public var repair: MetaPageRepair? { handle.repair }

    /// How often LMDB's lock file was found to disagree with the data file, because another program died opening the
    /// store. Each time LMDB was reopened before anything was read or written.
    package var staleOpenings: Int { handle.staleOpenings.load(ordering: .relaxed) }

    /// Whether a failed flush has stopped writing until the store is reopened.
    public var hasStoppedWriting: Bool { writer.isBroken }

    /// How many closures are queued for the writer thread; tests synchronize with it.
    package var queuedWrites: Int { writer.queueLength }

    /// Frees the slots of readers whose process died, and returns their number. Happens automatically at each open.
    @discardableResult
    public func clearDeadReaders() -> Int {
        configuration.isReadOnly ? 0 : handle.clearDeadReaders()
    }

    /// Finishes the queued writes, waits for readers and closes. Later use throws `closed`. In the child of a fork it
    /// does nothing: the parent has the store open.
    public func close() {
        // Its threads do not exist here, so waiting for them would never end.
        guard handle.isOfThisProcess else { return }
        EnvironmentRegistry.shared.isClosing(identity, registration)
        observers.stop()
        writer.stop()
    }
}

extension Environment {
    /// Runs a closure on the calling thread and returns when what it wrote is durable: for programs that do not use
    /// concurrency. It shares no commit, but costs no context switch either. It waits for writers before it.
    ///
    /// As with the asynchronous `write`, a closure that throws leaves nothing behind, and it may run again when the map
    /// had to grow.
    ///
    /// - Throws: `nestedWrite` inside another transaction of this thread, which would deadlock.
    public func write<Result>(
        reclaims: Bool = false, _ body: (consuming RawWriteTransaction) throws -> Result
    ) throws -> Result {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        if reclaims { handle.setReserve(open: true) }
        defer {
            if reclaims { handle.setReserve(open: false) }
        }
        while true {
            if writer.isBroken { throw KeyValueError.writingStopped }
            do {
                let result = try attempt(body, as: reclaims ? .direct : .record)
                if handle.commitLog?.leavesWhenIdle == true { writer.watchLog() }
                observers.committed()
                handle.prepareNextWrite()
                return result
            } catch let error as KeyValueError where error == .mapFull {
                guard handle.makeRoomAfterOverflow() else { throw error }
            }
        }
    }

    private func attempt<Result>(
        _ body: (consuming RawWriteTransaction) throws -> Result, as kind: WriteKind
    ) throws -> Result {
        let state = try begin(kind)
        do {
            let result = try body(RawWriteTransaction(state))
            // A closure that ignored the error of a write must not commit the rest.
            if let failure = state.failure { throw failure }
            switch GroupCommit(environment: handle).commit(state) {
            case .durable:
                return result
            case .refused(let error):
                throw error
            case .failed(let error):
                writer.markBroken()
                throw error
            }
        } catch {
            handle.abort(state)
            throw state.failure ?? error
        }
    }

    private func begin(_ kind: WriteKind) throws(KeyValueError) -> TransactionState {
        do throws(KeyValueError) {
            return try handle.beginWrite(kind)
        } catch {
            if error.stopsWriting { writer.markBroken() }
            throw error
        }
    }
}

extension Environment {
    /// Runs closures on the writer thread, in order and in one commit, and returns when all are done: for the crash
    /// lab, which forks and so must not use Swift's concurrency. Each has its own result; one that throws does not
    /// affect the others.
    ///
    /// More than 1,024 closures take several commits; so do closures that do not fit into the map together. Other
    /// queued writes may share the commit.
    package func writeTogether(
        _ bodies: [@Sendable (consuming RawWriteTransaction) throws -> Void]
    ) -> [Result<Void, any Error>] {
        func refusal(_ error: KeyValueError) -> [Result<Void, any Error>] { bodies.map { _ in .failure(error) } }
        guard !configuration.isReadOnly else { return refusal(.readOnly) }
        guard !MapGate.isNested else { return refusal(.nestedWrite) }
        let jobs = bodies.map(BlockingWriteJob.init)
        do {
            try writer.enqueue(jobs)
        } catch {
            return refusal(error)
        }
        return jobs.map { $0.wait() }
    }
}
