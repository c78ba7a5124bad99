import CLMDB
import Injection
import Synchronization
import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The opened LMDB environment: begins and ends transactions, grows the map, sorts LMDB's codes into errors.
@safe final class EnvironmentHandle: @unchecked Sendable {  // the pointer is fixed until `close`, which the gate guards
    let path: String
    let configuration: EnvironmentConfiguration
    /// Of the data file, a power of two. Fixed once the environment is open.
    var pageSize = 4096
    var environment: OpaquePointer?
    let gate = MapGate()
    private let openedInGeneration = ForkGuard.generation
    /// Read transactions that keep their reader slot but pin nothing: renewing one is several times cheaper than
    /// beginning one.
    private var idleReaders: [ReaderPointer] = []
    /// Guards the idle readers. Not a `Mutex`, whose work the thread sanitizer does not see on Linux.
    private let idleReadersMonitor = Monitor()
    let injectionPoint: ArmedInjectionPoints
    /// LMDB allows one transaction at a time to open tables.
    let tableOpening = Monitor()
    /// Every table that was opened, by its handle: opening LMDB again has to give each the same one.
    var openedTables: [MDB_dbi: String] = [:]
    /// Keeps this store from being replaced: a shared lock on the data file, from before LMDB opens until it has closed.
    var presence: FileLock?
    /// What opening has repaired.
    var repair: MetaPageRepair?
    /// How often LMDB was found to work with another state than the newest one.
    let staleOpenings = Atomic<Int>(0)

    @safe private struct ReaderPointer: @unchecked Sendable { let pointer: OpaquePointer }

    /// Prepares an environment that is not open yet: see the initializers that open it.
    init(path: String, configuration: EnvironmentConfiguration) {
        self.path = path
        self.configuration = configuration
        injectionPoint = configuration.injectionPoint
    }

    /// Whether a commit is flushed only before the next one.
    private var flushesLate: Bool { injectionPoint(.acknowledgesBeforeFlush) && !configuration.isReadOnly }

    /// Whether the transaction that LMDB hands out is used without a comparison.
    var ignoresStaleLock: Bool { injectionPoint(.ignoresStaleLock) || injectionPoint(.opensUnprotected) }

    // MARK: Transactions

    func beginRead() throws(KeyValueError) -> TransactionState {
        try checkProcess()
        var hasClearedReaders = false
        while true {
            gate.enter()
            var transaction: OpaquePointer?
            let code: Int32
            let newest: Int
            if let environment = unsafe environment {
                newest = unsafe newestTransaction(in: environment)
                if let idle = idleReadersMonitor.withLock({ idleReaders.popLast() }) {
                    unsafe transaction = idle.pointer
                    code = unsafe mdb_txn_renew(idle.pointer)
                    // A renewal that failed leaves a transaction that can only be freed.
                    if code != MDB_SUCCESS { unsafe mdb_txn_abort(idle.pointer) }
                } else {
                    code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
                }
            } else {
                gate.leave()
                throw .closed
            }
            if code == MDB_SUCCESS, let transaction = unsafe transaction {
                if unsafe isCurrent(readTransaction: transaction, newest: newest) {
                    return unsafe TransactionState(environment: self, handle: transaction, isWrite: false)
                }
                unsafe mdb_txn_abort(transaction)
                gate.leave()
                try reopen()
                continue
            }
            gate.leave()
            if code == MDB_MAP_RESIZED {
                try adoptGrowth()
            } else if code == MDB_READERS_FULL, !hasClearedReaders, !configuration.isReadOnly {
                clearDeadReaders()
                hasClearedReaders = true
            } else {
                try check(code, "begin a read")
            }
        }
    }

    func endRead(_ state: TransactionState) {
        // An inherited one has its slot, or the writer's lock, in memory that the parent shares.
        guard isOfThisProcess else { return }
        guard let transaction = unsafe state.takeHandle() else { return }
        unsafe keepIdle(transaction)
        gate.leave()
    }

    /// Ends a read transaction, but keeps its reader slot for the next one.
    func keepIdle(_ transaction: OpaquePointer) {
        unsafe mdb_txn_reset(transaction)
        let pointer = unsafe ReaderPointer(pointer: transaction)
        let keeps = idleReadersMonitor.withLock {
            guard idleReaders.count < 16 else { return false }
            idleReaders.append(pointer)
            return true
        }
        if !keeps { unsafe mdb_txn_abort(transaction) }
    }

    /// Begins the one write transaction; waits while another process writes.
    func beginWrite() throws(KeyValueError) -> TransactionState {
        try checkProcess()
        guard !configuration.isReadOnly else { throw .readOnly }
        while true {
            gate.enter()
            guard let environment = unsafe environment else {
                gate.leave()
                throw .closed
            }
            if flushesLate { unsafe mdb_env_sync(environment, 1) }
            var transaction: OpaquePointer?
            let code = unsafe mdb_txn_begin(environment, nil, 0, &transaction)
            if code == MDB_SUCCESS, let transaction = unsafe transaction {
                if unsafe isCurrent(writeTransaction: transaction, in: environment) {
                    return unsafe TransactionState(environment: self, handle: transaction, isWrite: true)
                }
                unsafe mdb_txn_abort(transaction)
                gate.leave()
                try reopen()
                continue
            }
            gate.leave()
            guard code == MDB_MAP_RESIZED else {
                try check(code, "begin a write")
                continue
            }
            try adoptGrowth()
        }
    }

    func abort(_ state: TransactionState) {
        guard isOfThisProcess else { return }
        guard let transaction = unsafe state.takeHandle() else { return }
        unsafe mdb_txn_abort(transaction)
        gate.leave()
    }

    /// Returns LMDB's code; `GroupCommit` knows what each means for durability.
    func commit(_ state: TransactionState) -> Int32 {
        guard isOfThisProcess else { return MDB_BAD_TXN }
        guard let transaction = unsafe state.takeHandle() else { return MDB_BAD_TXN }
        defer { gate.leave() }
        let code = unsafe mdb_txn_commit(transaction)
        if injectionPoint(.flushesTwice), state.isWrite, code == MDB_SUCCESS {
            return unsafe mdb_env_sync(environment, 1)
        }
        return code
    }

    /// Whether LMDB has given up on this environment, as it does when a meta page could not be written.
    var isPanicked: Bool {
        gate.enter()
        defer { gate.leave() }
        guard let environment = unsafe environment else { return false }
        var transaction: OpaquePointer?
        let code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        if code == MDB_SUCCESS { unsafe mdb_txn_abort(transaction) }
        return code == MDB_PANIC
    }

    // MARK: Tables

    /// Opens tables by name, and creates them when the environment may write. In one transaction.
    func openTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        do {
            return try openTables(names, creating: false)
        } catch KeyValueError.tableMissing where !configuration.isReadOnly {
            return try openTables(names, creating: true)
        }
    }

    /// Opens those tables that are there, and creates none.
    func openPresentTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        try openTables(names, creating: false, skippingMissing: true)
    }

    private func openTables(
        _ names: [String], creating: Bool, skippingMissing: Bool = false
    ) throws(KeyValueError) -> [Table] {
        let state = creating ? try beginWrite() : try beginRead()
        return try tableOpening.withLock { () throws(KeyValueError) in
            do throws(KeyValueError) {
                let transaction = try unsafe state.liveHandle(lease: 0)
                var tables: [Table] = []
                for name in names {
                    var handle = MDB_dbi()
                    let flags = creating ? UInt32(MDB_CREATE) : 0
                    let code = unsafe mdb_dbi_open(transaction, name, flags, &handle)
                    if code == MDB_NOTFOUND {
                        if skippingMissing { continue }
                        throw KeyValueError.tableMissing(name: name)
                    }
                    try check(code, "open a table")
                    try unsafe checkOrder(of: handle, in: transaction)
                    tables.append(Table(name: name, handle: handle))
                }
                // A read transaction is committed too: aborting would close the handles that it opened.
                switch GroupCommit(environment: self).commit(state) {
                case .durable:
                    for table in tables { openedTables[table.handle] = table.name }
                    return tables
                case .refused(let error), .failed(let error): throw error
                }
            } catch {
                abort(state)
                throw error
            }
        }
    }

    /// No table of ours has an order or a form of its own. One that says so was damaged there, and a search in it would
    /// miss what it holds.
    private func checkOrder(of table: MDB_dbi, in transaction: OpaquePointer) throws(KeyValueError) {
        var flags: UInt32 = 0
        try check(unsafe mdb_dbi_flags(transaction, table, &flags), "look at a table")
        if flags != 0 { throw .damaged(path: path, detail: "a table's order is not what it should be") }
    }

    // MARK: The map

    var statistics: EnvironmentStatistics {
        var information = unsafe MDB_envinfo()
        var statistics = MDB_stat()
        gate.enter()
        defer { gate.leave() }
        if let environment = unsafe environment {
            unsafe mdb_env_info(environment, &information)
            unsafe mdb_env_stat(environment, &statistics)
        }
        return unsafe EnvironmentStatistics(
            mapSize: Int(information.me_mapsize),
            usedBytes: (Int(information.me_last_pgno) + 1) * Int(statistics.ms_psize),
            pageSize: Int(statistics.ms_psize),
            lastTransaction: UInt64(information.me_last_txnid),
            readersInUse: Int(information.me_numreaders),
            readerSlots: Int(information.me_maxreaders))
    }

    /// Doubles the map while more than half of it is used. Called between transactions only.
    func growAheadOfNeed() {
        let statistics = statistics
        guard statistics.usedBytes > statistics.mapSize / 2, statistics.mapSize < configuration.mapSizeCeiling else {
            return
        }
        // What a dead reader pins could be used again instead of new pages.
        clearDeadReaders()
        setMapSize(min(statistics.mapSize * 2, configuration.mapSizeCeiling))
    }

    /// Makes room after a group did not fit: frees what dead readers pin, else doubles the map. False when neither was
    /// possible, so that the group would not fit again.
    func makeRoomAfterOverflow() -> Bool {
        if clearDeadReaders() > 0 { return true }
        let size = statistics.mapSize
        guard size < configuration.mapSizeCeiling else { return false }
        setMapSize(min(size * 2, configuration.mapSizeCeiling))
        return statistics.mapSize > size
    }

    /// Brings a map that is larger than the ceiling back to it, as far as it is not used: an earlier run's reserve.
    func applyCeiling() {
        if statistics.mapSize > configuration.mapSizeCeiling { setMapSize(configuration.mapSizeCeiling) }
    }

    /// Opens the reserve beyond the ceiling for writes that make room, or closes it again. LMDB itself keeps the map
    /// from becoming smaller than what is used.
    func setReserve(open: Bool) {
        let ceiling = configuration.mapSizeCeiling
        guard statistics.mapSize >= ceiling else { return }
        setMapSize(open ? max(statistics.usedBytes, ceiling) + max(ceiling / 8, 1 << 20) : ceiling)
    }

    private func setMapSize(_ size: Int) {
        gate.whileEmpty {
            // Refused in advance, the map keeps its size, and a write that does not fit says so.
            guard let environment = unsafe environment, Self.hasAddressSpace(for: size) else { return }
            closeIfUnmapped(unsafe mdb_env_set_mapsize(environment, size))
        }
    }

    /// Takes over the size that another process gave the map.
    private func adoptGrowth() throws(KeyValueError) {
        guard !MapGate.isNested else { throw .storeGrew }
        try gate.whileEmpty { () throws(KeyValueError) in
            guard let environment = unsafe environment else { throw .closed }
            try unsafe adoptMapSize(of: environment)
        }
        applyCeiling()
    }

    /// Gives the map the size that the newer meta page states. Only while no transaction of this process is live.
    func adoptMapSize(of environment: OpaquePointer) throws(KeyValueError) {
        let code = unsafe mdb_env_set_mapsize(environment, 0)
        closeIfUnmapped(code)
        try check(code, "follow the store's growth")
        var information = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment, &information)
        // With such a number LMDB's own product overflows: it maps less, and asks for more at every transaction, for ever.
        guard unsafe information.me_last_pgno < Int.max / pageSize else {
            throw .damaged(path: path, detail: "the number of the last page is impossible")
        }
    }

    /// LMDB unmaps before it maps anew, and a failure in between leaves it without a map, which the next transaction
    /// would follow into nowhere. So that environment is given up. Only inside the gate.
    func closeIfUnmapped(_ code: Int32) {
        guard code != MDB_SUCCESS, code != EINVAL else { return }
        closeInsideGate()
    }

    private static func hasAddressSpace(for size: Int) -> Bool {
        let trial = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard unsafe trial != MAP_FAILED else { return false }
        unsafe munmap(trial, size)
        return true
    }

    /// Frees the slots of readers whose process died; they would pin old pages, and the file would grow for ever.
    @discardableResult
    func clearDeadReaders() -> Int {
        gate.enter()
        defer { gate.leave() }
        var cleared: Int32 = 0
        if let environment = unsafe environment { unsafe mdb_reader_check(environment, &cleared) }
        return Int(cleared)
    }

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
    }

    func closeLMDB() {
        guard let environment = unsafe environment else { return }
        unsafe self.environment = nil
        let idle = idleReadersMonitor.withLock {
            defer { idleReaders.removeAll() }
            return idleReaders
        }
        // In the child of a fork the locks are the parent's: closing would take them away from it.
        guard isOfThisProcess else { return }
        for reader in idle { unsafe mdb_txn_abort(reader.pointer) }
        if flushesLate { unsafe mdb_env_sync(environment, 1) }
        unsafe mdb_env_close(environment)
    }

    // MARK: Errors

    /// Whether an EIO can mean a full disk: LMDB reports a short write so. A limit on the size of files counts as one.
    var isDiskFull: Bool {
        var information = statvfs()
        if unsafe statvfs(path, &information) == 0, information.f_bavail == 0 { return true }
        var limit = rlimit()
        var file = stat()
        return unsafe getrlimit(Self.fileSizeLimit, &limit) == 0 && stat("\(path)/\(StoreFolder.dataFile)", &file) == 0
            && UInt64(limit.rlim_cur) <= UInt64(file.st_size)
    }

    #if canImport(Glibc)
        private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        private static let fileSizeLimit = RLIMIT_FSIZE
    #endif

    /// Whether it was opened since the last fork that led here.
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
        case ENOSPC, EDQUOT, EFBIG: return .diskFull
        case EIO where isDiskFull: return .diskFull
        case MDB_READERS_FULL: return .tooManyReaders
        case MDB_INVALID: return .damaged(path: path, detail: "not an LMDB file")
        case MDB_VERSION_MISMATCH: return .damaged(path: path, detail: "written by another version of LMDB")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_INCOMPATIBLE:
            return .damaged(path: path, detail: "a page is not what it should be")
        case MDB_PANIC: return .writingStopped
        case MDB_BAD_TXN: return .transactionEnded
        case MDB_BAD_VALSIZE: return .tooLarge(byteCount: 0)
        case EACCES, EPERM, EROFS: return .permissionDenied(path: path)
        case ENOENT: return .storeNotFound(path: path)
        default: return .refused(operation, code: code)
        }
    }
}
