import CLMDB
import FileSystem
import Injection
import Processes
import Synchronization
import SystemErrors
import Threading

/// Opening LMDB so that neither the death of another process that opens it, nor one that opened it without Daybook, makes
/// this one work with an older state (decision 0022).
extension EnvironmentHandle {
    /// Creates the data file in a folder that no other process uses.
    ///
    /// - Parameter isDraft: nothing is flushed and nothing is locked: for `DraftEnvironment` only.
    convenience init(
        creatingIn path: String, configuration: EnvironmentConfiguration, isDraft: Bool = false
    ) throws(KeyValueError) {
        self.init(path: path, configuration: configuration)
        isNew = true
        try open(creating: true, flags: isDraft ? MDB_NOSYNC | MDB_NOLOCK : 0)
    }

    /// Opens a store that other processes may have open or be opening; nil when another folder has taken the place of
    /// the one that is meant.
    ///
    /// - Throws: `staleLock` when LMDB's lock file disagrees with the data file and stays in use; `needsRepair` for a store
    ///   that has to be opened for writing once; `otherNamespace` when a process of another PID namespace has it open;
    ///   `lockHeld` when another process takes too long to open it.
    convenience init?(
        openingIn path: String, identity: FileIdentity, configuration: EnvironmentConfiguration
    ) throws(KeyValueError) {
        self.init(path: path, configuration: configuration)
        self.identity = identity
        guard try openThroughGate() else { return nil }
    }

    /// Opens the checkpoint of a store that no other process has open, and that none can open meanwhile.
    convenience init(recovering path: String, configuration: EnvironmentConfiguration) throws(KeyValueError) {
        self.init(path: path, configuration: configuration)
        try checkMetaPages()
        try open()
    }

    /// The transaction that LMDB's lock file hands out to readers. Only while this object is not shared.
    func visibleTransaction() throws(KeyValueError) -> UInt64 {
        let transaction = try unsafe beginAlone()
        defer { unsafe keepIdle(transaction) }
        return unsafe UInt64(mdb_txn_id(transaction))
    }

    /// Opens LMDB, with a smaller map than usual where this process may not reserve as much address space (`ulimit -v`).
    private func open(creating: Bool = false, flags: Int32 = 0) throws(KeyValueError) {
        do throws(KeyValueError) {
            // An existing store has its own map size, which may be larger.
            try open(mapSize: creating ? configuration.initialMapSize : nil, flags: flags)
        } catch {
            guard case .busy(_, SystemCondition.outOfMemory.code) = error, let size = smallerMapSize(creating: creating)
            else { throw error }
            try open(mapSize: size, flags: flags)
        }
    }

    private func open(mapSize: Int?, flags: Int32) throws(KeyValueError) {
        var created: OpaquePointer?
        try check(unsafe mdb_env_create(&created), "open the store")
        guard let created = unsafe created else { throw .damaged(path: path, detail: "no environment") }
        do throws(KeyValueError) {
            try check(unsafe mdb_env_set_maxreaders(created, UInt32(configuration.readerSlots)), "open the store")
            try check(unsafe mdb_env_set_maxdbs(created, UInt32(configuration.tableLimit)), "open the store")
            // Where an assertion of LMDB fails, it prints a line of its source before it ends the process. Programs report
            // that themselves, so the process ends before the line is printed.
            unsafe mdb_env_set_assert(created) { _, _ in CurrentProcess.abort() }
            if let mapSize { try check(unsafe mdb_env_set_mapsize(created, mapSize), "open the store") }
            lockFileProblem =
                flags & MDB_NOLOCK != 0
                ? nil
                : lockFileExclusion
                    ?? StoreFolder(path: path).prepareLockFile(readerSlots: configuration.readerSlots)
            if let lockFileProblem, !configuration.isReadOnly { throw lockFileProblem }
            // No thread-local reader slots: a Swift task may begin a read on one thread and the next on another.
            // No read-ahead: look-ups are scattered, and reading whole extents would evict what is needed.
            let flags =
                MDB_NOTLS | MDB_NORDAHEAD | (configuration.isReadOnly ? MDB_RDONLY : 0) | flags
                | injectedFlags | (lockFileProblem == nil ? 0 : MDB_NOLOCK)
            try check(unsafe mdb_env_open(created, path, UInt32(flags), 0o600), "map the store")
            var statistics = MDB_stat()
            try check(unsafe mdb_env_stat(created, &statistics), "open the store")
            pageSize = Int(statistics.ms_psize)
        } catch {
            unsafe mdb_env_close(created)
            throw error
        }
        unsafe environment = created
    }

    /// Whether a fault injection point determines when LMDB flushes.
    private var usesOwnFlushes: Bool { injectedFlags != 0 }

    private var injectedFlags: Int32 {
        if injectionPoint(.acknowledgesBeforeFlush) || injectionPoint(.neverFlushes) { return MDB_NOSYNC }
        return injectionPoint(.neverFlushesMeta) ? MDB_NOMETASYNC : 0
    }

    /// How often, and at which interval in microseconds, a lock file that disagrees with the data file is checked again: for a second.
    static let openingAttempts = 50
    static let pause: Int64 = 20_000

    /// Opens LMDB while no other process does, until it works with the newest state; returns false when the folder was
    /// replaced. Called while nothing else uses this object.
    private func openThroughGate() throws(KeyValueError) -> Bool {
        let folder = StoreFolder(path: path)
        let skipsLocks = injectionPoint(.opensWithoutGate) || injectionPoint(.opensUnprotected)
        for attempt in 0..<Self.openingAttempts {
            // Waits closed and outside the gate, so that other processes can do the same. It waits for their end, which
            // an injected clock cannot measure.
            if attempt > 0 { pauseThread(microseconds: Self.pause) }
            let gate = skipsLocks ? nil : try folder.gate(waiting: configuration.lockWait)
            defer { withExtendedLifetime(gate) {} }
            if let identity, FileIdentity(ofFolder: path) != identity { return false }
            // First: before anything of the store is touched. It stays over compactions, which do not replace the folder.
            if namespacePresence == nil, !skipsLocks { try enterNamespace() }
            try StorePlacement.complete(in: folder)
            if !configuration.isReadOnly { try folder.removeDrafts() }
            if isReplaced { presence = nil }
            if !isShared, presence == nil, !skipsLocks { try CommitLogUpgrade.run(in: folder, configuration) }
            if !isShared, commitLog == nil, !usesOwnFlushes, !injectionPoint(.opensUnprotected) {
                commitLog = try CommitLog(
                    inStore: path, use: configuration.commitLog, isReadOnly: configuration.isReadOnly,
                    injectionPoint: injectionPoint)
            }
            if presence == nil, !skipsLocks { try CommitLogRecovery.run(in: folder, configuration) }
            if presence == nil, !skipsLocks {
                presence = try FileLock.take(dataFile, .shared)
                if presence == nil { continue }
                if !configuration.isReadOnly { try writerLock.follow(dataFile) }
            }
            do throws(KeyValueError) {
                try checkMetaPages()
                try open()
                // First, since checking needs a reader slot.
                if !configuration.isReadOnly { unsafe mdb_reader_check(environment, nil) }
                if try isCurrent() {
                    try folder.checkLength()
                    isShared = true
                    return true
                }
                staleOpenings.add(1, ordering: .relaxed)
                closeLMDB()
            } catch {
                closeLMDB()
                guard !injectionPoint(.opensUnprotected),
                    (try? MetaPageRepair.isNeeded(for: dataFile)) == true
                else { throw error }
                try repairMetaPages(in: folder)
            }
        }
        throw .staleLock(path: path)
    }

    /// Shows that processes of this PID namespace have the store open. A reader among those of another one reads without the lock
    /// file, by which they could not be distinguished.
    private func enterNamespace() throws(KeyValueError) {
        lockFileExclusion = nil
        do throws(KeyValueError) {
            namespacePresence = try NamespacePresence(inStore: path, injectionPoint: injectionPoint)
        } catch {
            guard configuration.isReadOnly, case .otherNamespace = error else { throw error }
            lockFileExclusion = error
        }
    }

    /// Repairs meta pages while this process is alone; does nothing while another one has the store open. Inside the
    /// gate, with LMDB closed.
    private func repairMetaPages(in folder: StoreFolder) throws(KeyValueError) {
        guard !configuration.isReadOnly else { throw .needsRepair(path: path) }
        presence = nil
        guard let alone = try FileLock.take(dataFile, .exclusive) else { return }
        defer { withExtendedLifetime(alone) {} }
        repair = try MetaPageRepair(folder)
    }

    /// Reopens LMDB after it was found to work with a state other than the newest one, or with a data file that was
    /// replaced by a compaction.
    ///
    /// - Throws: `staleLock` when that did not help; inside another transaction of this thread, which would have to end
    ///   first, `staleLock` or `storeCompacted`; `closed` when another folder has taken the store's place.
    func reopen() throws(KeyValueError) {
        guard !MapGate.isNested else {
            gate.enter()
            defer { gate.leave() }
            throw isReplaced ? .storeCompacted : .staleLock(path: path)
        }
        try gate.whileEmpty { () throws(KeyValueError) in try reopenInsideGate() }
    }

    private func reopenInsideGate() throws(KeyValueError) {
        guard unsafe environment != nil else { throw .closed }
        if !isReplaced {
            // Another thread may have reopened it while this one waited.
            if try isCurrent() { return }
            staleOpenings.add(1, ordering: .relaxed)
        }
        // Until everything else of this process that has the former file open is closed.
        let former = FileRelease.hold(openDataFile)
        defer { if let former { FileRelease.close(former) } }
        closeLMDB()
        do throws(KeyValueError) {
            guard try openThroughGate() else { throw KeyValueError.closed }
        } catch {
            closeInsideGate()
            throw error
        }
    }

    /// Whether a compaction, of any process, has put another data file in the place of the one that is open. Only inside
    /// the gate. Cost: one look at the file's name.
    var isReplaced: Bool { presence?.isReplaced(at: dataFile) ?? false }

    /// Opens the data file of a compaction if there was one; waits for this process's readers.
    func followCompaction() {
        gate.enter()
        let isReplaced = isReplaced
        gate.leave()
        if isReplaced { try? reopen() }
    }

    /// Opens the data file of a compaction; leaves it to the next transaction if anything is being read.
    func followCompactionIfIdle() {
        guard !MapGate.isNested else { return }
        gate.ifEmpty {
            if isReplaced { try? reopenInsideGate() }
        }
    }

    /// Whether a new reader sees the newest state. Needs exclusive use of the gate, or an environment that is not
    /// shared yet.
    private func isCurrent() throws(KeyValueError) -> Bool {
        let newest = unsafe newestTransaction(in: environment).number
        let transaction = try unsafe beginAlone()
        defer { unsafe keepIdle(transaction) }
        return unsafe isCurrent(readTransaction: transaction, newest: newest)
    }

    /// Begins a read transaction while no other transaction of this process is live, so that the map may change its size.
    private func beginAlone() throws(KeyValueError) -> OpaquePointer {
        var growths = 0
        while true {
            var transaction: OpaquePointer?
            let code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
            if code == MDB_SUCCESS, let transaction = unsafe transaction { return unsafe transaction }
            // Another process has grown the map since LMDB was opened here.
            guard code == MDB_MAP_RESIZED, let environment = unsafe environment else {
                throw error(code, "open the store")
            }
            try noteGrowth(&growths)
            try unsafe adoptMapSize(of: environment)
        }
    }

    /// Whether a read transaction shows a state no older than the newest one before it began, or, while a commit is
    /// being completed, the one before that. A number that the data file has not reached is that of another data file:
    /// the store was compacted, and others have written since.
    ///
    /// - Parameter newest: the transaction of the newest meta page, looked up before the read transaction began.
    func isCurrent(readTransaction: OpaquePointer, newest: Int) -> Bool {
        let number = unsafe mdb_txn_id(readTransaction)
        return unsafe number + 1 >= newest && newestTransaction(in: environment).number >= number || ignoresStaleLock
    }

    /// Whether a write transaction follows the newest state. No other process commits while it is active.
    func isCurrent(writeTransaction: OpaquePointer, in environment: OpaquePointer) -> Bool {
        unsafe mdb_txn_id(writeTransaction) == newestTransaction(in: environment).number + 1
            || ignoresStaleLock
    }

    /// The transaction of the newer meta page, independent of the lock file, and the size of the map. Cost: nanoseconds.
    func newestTransaction(in environment: OpaquePointer?) -> (number: Int, mapSize: Int) {
        var information = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment, &information)
        return unsafe (Int(information.me_last_txnid), Int(information.me_mapsize))
    }
}
