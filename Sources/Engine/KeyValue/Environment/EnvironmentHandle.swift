import CLMDB
import FileSystem
import Injection
import Processes
import Synchronization
import SystemErrors
import Threading

/// The open LMDB environment: begins and ends transactions, grows the map, translates LMDB's codes into errors.
@safe final class EnvironmentHandle: @unchecked Sendable {  // the pointer is fixed until `close`, which the gate guards
    let path: String
    let dataFile: String
    let configuration: EnvironmentConfiguration
    /// The folder that was opened; nil where no other process can use it.
    var identity: FileIdentity?
    /// Of the data file, a power of two. Fixed once the environment is open.
    var pageSize = 4096
    var environment: OpaquePointer?
    let gate = MapGate()
    private let openedInGeneration = ForkGuard.generation
    /// Idle read transactions that keep their reader slot but pin nothing: renewing one is several times cheaper than
    /// beginning one.
    private var idleReaders: [IdleReader] = []
    /// Guards the idle readers. Not a `Mutex`, whose work the thread sanitizer does not see on Linux.
    private let idleReadersMonitor = Monitor()
    let injectionPoint: ArmedInjectionPoints
    /// The numbers of the tables that were asked for, by their names. Guarded by `tableNumbering`.
    var tableNumbers: [String: Int] = [:]
    let tableNumbering = Monitor()
    /// LMDB's handles. Only used by the one write transaction.
    var tableHandles = TableHandles()
    /// Prevents replacing this store: a shared lock on the data file, from before LMDB opens until it has closed.
    var presence: FileLock?
    /// Keeps processes of other PID namespaces out, from before anything of the store is touched until it has closed.
    var namespacePresence: NamespacePresence?
    /// Admits one writer at a time, before LMDB does.
    let writerLock: WriterLock
    /// The repair that opening made.
    var repair: MetaPageRepair?
    /// How often LMDB was found to work with a state other than the newest one.
    let staleOpenings = Atomic<Int>(0)

    /// Whether LMDB's own lists were checked. Only used by the one write transaction.
    var hasVerifiedLists = false
    /// Verifies the pages that a write reads. Only used by the one write transaction.
    var writePaths: WritePaths
    /// The state that the last write transaction followed.
    var writtenState: ReadSnapshot?
    /// Whether LMDB has written every page since this environment was created.
    var isNew = false
    /// How this process takes part in the commit log; nil for a store without one. Fixed once other threads may use this object.
    var commitLog: CommitLog?
    /// Why LMDB's lock file may not be used, although it could be.
    var lockFileExclusion: KeyValueError?
    /// Why this process reads without LMDB's lock file; nil if it uses it. Fixed while the environment is open.
    var lockFileProblem: KeyValueError?
    /// Whether other threads may use this object: it was opened before.
    var isShared = false
    /// Where LMDB's map begins; 0 while that is unknown.
    let mapStart = Atomic<UInt>(0)

    @safe private struct IdleReader: @unchecked Sendable {
        let pointer: OpaquePointer
        /// The state that it has seen last.
        let snapshot: ReadSnapshot?
    }

    /// Prepares an environment that is not open yet: see the initializers that open it.
    init(path: String, configuration: EnvironmentConfiguration) {
        self.path = path
        dataFile = "\(path)/\(StoreFolder.dataFile)"
        self.configuration = configuration
        injectionPoint = configuration.injectionPoint
        writerLock = WriterLock(store: path, injectionPoint: configuration.injectionPoint)
        writePaths = WritePaths(pace: configuration.tableCheckPace)
    }

    /// Whether a commit is flushed only before the next one.
    private var flushesLate: Bool { injectionPoint(.acknowledgesBeforeFlush) && !configuration.isReadOnly }

    /// Whether the transaction that LMDB hands out is used without a comparison.
    var ignoresStaleLock: Bool { injectionPoint(.ignoresStaleLock) || injectionPoint(.opensUnprotected) }

    // MARK: Transactions

    func beginRead() throws(KeyValueError) -> TransactionState {
        try checkProcess()
        var hasClearedReaders = false
        var growths = 0
        while true {
            gate.enter()
            var transaction: OpaquePointer?
            var code: Int32
            let newest: Int
            let mapSize: Int
            var former: ReadSnapshot?
            if let environment = unsafe environment {
                (newest, mapSize) = unsafe newestTransaction(in: environment)
                if let idle = idleReadersMonitor.withLock({ idleReaders.popLast() }) {
                    unsafe transaction = idle.pointer
                    former = idle.snapshot
                    code = unsafe mdb_txn_renew(idle.pointer)
                    // A failed renewal leaves a transaction that can only be freed.
                    if code != MDB_SUCCESS { unsafe mdb_txn_abort(idle.pointer) }
                } else {
                    code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
                }
            } else {
                gate.leave()
                throw .closed
            }
            if code == MDB_SUCCESS, let transaction = unsafe transaction {
                guard unsafe isCurrent(readTransaction: transaction, newest: newest) else {
                    unsafe mdb_txn_abort(transaction)
                    gate.leave()
                    try reopen()
                    continue
                }
                let outcome: SnapshotOutcome
                do throws(KeyValueError) {
                    outcome = try unsafe snapshot(of: transaction, reusing: former, mapSize: mapSize)
                } catch {
                    unsafe mdb_txn_abort(transaction)
                    gate.leave()
                    throw error
                }
                switch outcome {
                case .taken(let snapshot):
                    return unsafe TransactionState(environment: self, handle: transaction, snapshot: snapshot)
                case .outdated:
                    unsafe mdb_txn_abort(transaction)
                    gate.leave()
                    try reopen()
                    continue
                case .refused(let refusal):
                    unsafe mdb_txn_abort(transaction)
                    code = refusal
                }
            }
            gate.leave()
            if code == MDB_MAP_RESIZED {
                try noteGrowth(&growths)
                try adoptGrowth()
            } else if code == MDB_READERS_FULL, !hasClearedReaders, !configuration.isReadOnly {
                clearDeadReaders()
                hasClearedReaders = true
            } else {
                try check(code, "begin a read")
            }
        }
    }

    /// Whether pages of the state that a read transaction sees may have been reused. Only possible without LMDB's lock file, which
    /// shows writers what is being read.
    ///
    /// The writer of transaction N reuses pages that were freed by N - 2 at the latest: so those of state S are as they were until
    /// S + 2 is committed.
    func hasLost(_ state: TransactionState) -> Bool {
        guard lockFileProblem != nil, !injectionPoint(.ignoresLostSnapshots),
            let transaction = try? unsafe state.liveHandle(lease: state.lease)
        else {
            return false
        }
        return unsafe newestTransaction(in: environment).number > mdb_txn_id(transaction) + 1
    }

    func endRead(_ state: TransactionState) {
        // An inherited transaction has its slot, or the writer's lock, in memory shared with the parent.
        guard isOfThisProcess else { return }
        guard let transaction = unsafe state.takeHandle() else { return }
        unsafe keepIdle(transaction, state.snapshot)
        gate.leave()
    }

    /// Ends a read transaction, but keeps its reader slot for the next one.
    func keepIdle(_ transaction: OpaquePointer, _ snapshot: ReadSnapshot? = nil) {
        unsafe mdb_txn_reset(transaction)
        let reader = unsafe IdleReader(pointer: transaction, snapshot: snapshot)
        let keeps = idleReadersMonitor.withLock {
            guard idleReaders.count < 16 else { return false }
            idleReaders.append(reader)
            return true
        }
        if !keeps { unsafe mdb_txn_abort(transaction) }
    }

    /// Begins the one write transaction; waits while another thread or process writes.
    ///
    /// - Parameter wait: how long; nil for as long as the configuration says.
    /// - Throws: `lockHeld` when that takes too long.
    func beginWrite(
        _ kind: WriteKind = .direct, waiting wait: LockWait? = nil
    ) throws(KeyValueError) -> TransactionState {
        try checkProcess()
        guard !configuration.isReadOnly else { throw .readOnly }
        var growths = 0
        while true {
            // Outside of the gate, in which nothing may wait for other processes: it would hold up this one's readers.
            try writerLock.acquire(wait ?? configuration.lockWait)
            gate.enter()
            guard let environment = unsafe environment else {
                leaveWrite()
                throw .closed
            }
            guard writerLock.isUpToDate else {
                // This process has followed a compaction meanwhile.
                leaveWrite()
                continue
            }
            if flushesLate { unsafe mdb_env_sync(environment, 1) }
            var transaction: OpaquePointer?
            let code = unsafe mdb_txn_begin(environment, nil, 0, &transaction)
            if code == MDB_SUCCESS, let transaction = unsafe transaction {
                // Now that nobody else can compact the store: another process may have done so while this one waited.
                if unsafe isCurrent(writeTransaction: transaction, in: environment), !isReplaced {
                    let (isLogged, verifiesPages): (Bool, Bool)
                    do throws(KeyValueError) {
                        isLogged = try unsafe begin(kind, in: transaction, of: environment)
                        try unsafe checkLists(before: transaction)
                        verifiesPages = try unsafe beginVerifying(in: transaction)
                    } catch {
                        unsafe mdb_txn_abort(transaction)
                        leaveWrite()
                        throw error
                    }
                    let state = unsafe TransactionState(
                        environment: self, handle: transaction, snapshot: nil, verifiesPages: verifiesPages)
                    if isLogged { state.record = CommitRecord.Builder(limit: commitLog?.use.logLength ?? 0) }
                    return state
                }
                unsafe mdb_txn_abort(transaction)
                leaveWrite()
                try reopen()
                continue
            }
            leaveWrite()
            guard code == MDB_MAP_RESIZED else {
                try check(code, "begin a write")
                continue
            }
            try noteGrowth(&growths)
            try adoptGrowth()
        }
    }

    func abort(_ state: TransactionState) {
        guard isOfThisProcess else { return }
        guard let transaction = unsafe state.takeHandle() else { return }
        unsafe mdb_txn_abort(transaction)
        if state.isWrite { tableHandles.endTransaction(isCommitted: false) }
        leave(state)
    }

    private func leave(_ state: TransactionState) {
        if state.isWrite { leaveWrite() } else { gate.leave() }
    }

    private func leaveWrite() {
        gate.leave()
        writerLock.release()
    }

    /// Returns LMDB's code; `GroupCommit` interprets it.
    func commit(_ state: TransactionState) -> Int32 {
        guard isOfThisProcess else { return MDB_BAD_TXN }
        guard let transaction = unsafe state.takeHandle() else { return MDB_BAD_TXN }
        defer { leave(state) }
        let code = unsafe mdb_txn_commit(transaction)
        if state.isWrite { tableHandles.endTransaction(isCommitted: code == MDB_SUCCESS) }
        if injectionPoint(.flushesTwice), state.isWrite, code == MDB_SUCCESS {
            return unsafe mdb_env_sync(environment, 1)
        }
        return code
    }

    /// Whether LMDB has disabled this environment, as it does when a meta page could not be written.
    var isPanicked: Bool {
        gate.enter()
        defer { gate.leave() }
        guard let environment = unsafe environment else { return false }
        var transaction: OpaquePointer?
        let code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        if code == MDB_SUCCESS { unsafe mdb_txn_abort(transaction) }
        return code == MDB_PANIC
    }

    // MARK: Closing

    /// Whether it was closed, by a caller or because its map was lost.
    var isClosed: Bool {
        gate.enter()
        defer { gate.leave() }
        return unsafe environment == nil
    }

    /// Waits for this process's readers and closes. Later use throws `closed`. The writer must have stopped before.
    func close() {
        gate.whileEmpty { closeInsideGate() }
    }

    func closeInsideGate() {
        closeLMDB()
        presence = nil
        writerLock.forget()
        namespacePresence = nil
    }

    func closeLMDB() {
        guard let environment = unsafe environment else { return }
        unsafe self.environment = nil
        hasVerifiedLists = false
        // The file may be another one when it is opened again.
        writePaths = WritePaths(pace: configuration.tableCheckPace)
        writtenState = nil
        tableHandles = TableHandles()
        mapStart.store(0, ordering: .relaxed)
        let idle = idleReadersMonitor.withLock {
            defer { idleReaders.removeAll() }
            return idleReaders
        }
        // In the child of a fork the locks are the parent's: closing would take them away from it.
        guard isOfThisProcess else { return }
        for reader in idle { unsafe mdb_txn_abort(reader.pointer) }
        commitLog?.close()
        if flushesLate { unsafe mdb_env_sync(environment, 1) }
        unsafe mdb_env_close(environment)
    }

    // MARK: Errors

    /// Whether an EIO can mean a full disk: LMDB reports a short write that way. A limit on the size of files counts as
    /// one.
    var isDiskFull: Bool {
        if FileTree.isFull(at: path) { return true }
        guard let limit = CurrentProcess.fileSizeLimit, let size = try? FileStatus(of: dataFile).size else {
            return false
        }
        return limit <= size
    }

    /// Whether it was opened by this process and not inherited through a fork.
    var isOfThisProcess: Bool { openedInGeneration == ForkGuard.generation }

    func checkProcess() throws(KeyValueError) {
        guard isOfThisProcess else { throw .forked }
    }

    @inline(__always)
    func check(_ code: Int32, _ operation: String) throws(KeyValueError) {
        if code != MDB_SUCCESS { throw error(code, operation) }
    }

    func error(_ code: Int32, _ operation: String) -> KeyValueError {
        switch code {
        case MDB_MAP_FULL: return .mapFull
        case MDB_READERS_FULL: return .tooManyReaders
        case MDB_INVALID: return .damaged(path: path, detail: "not an LMDB file")
        case MDB_VERSION_MISMATCH: return .damaged(path: path, detail: "written by another version of LMDB")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_INCOMPATIBLE:
            return .damaged(path: path, detail: "a page has an invalid layout")
        case MDB_PANIC: return .writingStopped
        case MDB_BAD_TXN: return .transactionEnded
        case MDB_BAD_VALSIZE: return .tooLarge(byteCount: 0)
        default:
            switch SystemCondition(code) {
            case .inputOutput where isDiskFull: return .diskFull
            case .notFound: return .storeNotFound(path: path)
            default: return .refused(operation, on: path, code: code)
            }
        }
    }
}
