import CLMDB
import Processes
import Synchronization
import SystemErrors
import Threading

/// The size of the map, and what its readers pin.
extension EnvironmentHandle {
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

    /// What makes the next write shorter. Between transactions only: after those who await the last write were resumed, and before
    /// a synchronous write returns.
    func prepareNextWrite() {
        growAheadOfNeed()
        startWriteback()
    }

    /// Doubles the map while more than half of it is used. Called between transactions only.
    func growAheadOfNeed() {
        let statistics = statistics
        guard statistics.usedBytes > statistics.mapSize / 2, statistics.mapSize < configuration.mapSizeCeiling else {
            return
        }
        // Pages that dead readers pin can be reused instead of new ones.
        clearDeadReaders()
        setMapSize(min(statistics.mapSize * 2, configuration.mapSizeCeiling))
    }

    /// Doubles the map as if so many bytes more were used, unless anything is being read.
    func growAheadOfNeed(by room: Int) throws(KeyValueError) {
        // Writers leave the map then; readers may stay in it for long.
        try writerLock.acquire(configuration.lockWait)
        defer { writerLock.release() }
        let statistics = statistics
        let size = min(statistics.mapSize * 2, configuration.mapSizeCeiling)
        guard statistics.usedBytes + room > statistics.mapSize / 2, size > statistics.mapSize else { return }
        gate.ifEmpty { resize(to: size) }
    }

    /// Maps the file anew, which returns all of its pages to the system. Between transactions only.
    func releasePages() {
        setMapSize(statistics.mapSize)
    }

    /// Makes room after a group did not fit: frees the pages that dead readers pin, or this process's checkpoint, or doubles the
    /// map. Returns false when nothing of that was possible.
    func makeRoomAfterOverflow() -> Bool {
        if clearDeadReaders() > 0 { return true }
        let size = statistics.mapSize
        guard size < configuration.mapSizeCeiling else { return leaveLogForRoom() }
        setMapSize(min(size * 2, configuration.mapSizeCeiling))
        return statistics.mapSize > size
    }

    /// Shrinks a map that is larger than the ceiling, as far as it is unused: the reserve of an earlier run.
    func applyCeiling() {
        if statistics.mapSize > configuration.mapSizeCeiling { setMapSize(configuration.mapSizeCeiling) }
    }

    /// Opens the reserve beyond the ceiling for writes that free space, or closes it again. LMDB never makes the map
    /// smaller than its used part.
    func setReserve(open: Bool) {
        let ceiling = configuration.mapSizeCeiling
        guard statistics.mapSize >= ceiling else { return }
        setMapSize(open ? max(statistics.usedBytes, ceiling) + max(ceiling / 8, 1 << 20) : ceiling)
    }

    private func setMapSize(_ size: Int) {
        gate.whileEmpty { resize(to: size) }
    }

    /// Only inside the gate.
    private func resize(to size: Int) {
        // If it is refused in advance, the map keeps its size, and a write that does not fit fails.
        guard let environment = unsafe environment, CurrentProcess.hasAddressSpace(for: size) else { return }
        mapStart.store(0, ordering: .relaxed)
        closeIfUnmapped(unsafe mdb_env_set_mapsize(environment, size))
    }

    /// Adopts the map size that another process has set.
    func adoptGrowth() throws(KeyValueError) {
        guard !MapGate.isNested else { throw .storeGrew }
        try gate.whileEmpty { () throws(KeyValueError) in
            guard let environment = unsafe environment else { throw .closed }
            try unsafe adoptMapSize(of: environment)
        }
        applyCeiling()
    }

    /// Gives the map the size that the newer meta page states. Only while no transaction of this process is live.
    func adoptMapSize(of environment: OpaquePointer) throws(KeyValueError) {
        mapStart.store(0, ordering: .relaxed)
        let code = unsafe mdb_env_set_mapsize(environment, 0)
        closeIfUnmapped(code)
        try check(code, "follow the store's growth")
        var information = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment, &information)
        // With such a number LMDB's product overflows: it would map less and demand growth at every transaction,
        // forever.
        guard unsafe UInt(bitPattern: information.me_last_pgno) < UInt(Int.max / pageSize) else {
            throw .damaged(path: path, detail: "the number of the last page is impossible")
        }
    }

    /// How often in a row LMDB may say that the store has grown. Meta pages that are damaged while they are in use could make it
    /// say so forever.
    static let growthAttempts = 1_000

    /// Counts the times in a row that LMDB says so.
    func noteGrowth(_ attempts: inout Int) throws(KeyValueError) {
        attempts += 1
        if attempts > Self.growthAttempts {
            throw .damaged(path: path, detail: "its meta pages disagree about its size")
        }
    }

    /// LMDB unmaps before it maps again, and a failure in between leaves it without a map, so that the next transaction
    /// would crash. The environment is closed then. Only inside the gate.
    func closeIfUnmapped(_ code: Int32) {
        guard code != MDB_SUCCESS, code != SystemCondition.invalidArgument.code else { return }
        closeInsideGate()
    }

    /// A size that leaves the rest of the process as much address space again, or else just holds what is stored; nil if there is none.
    func smallerMapSize(creating: Bool) -> Int? {
        var needed = 1 << 20
        if !creating {
            guard let meta = try? MetaPage.newest(in: dataFile), meta.lastPage < UInt64(Int.max / meta.pageSize) else {
                return nil
            }
            needed = (Int(meta.lastPage) + 1) * meta.pageSize
        }
        var size = configuration.initialMapSize / 2
        while size > needed {
            if CurrentProcess.hasAddressSpace(for: size * 2) { return size }
            size /= 2
        }
        return CurrentProcess.hasAddressSpace(for: needed) ? needed : nil
    }

    /// Flushes what was committed without a flush.
    func flush() throws(KeyValueError) {
        gate.enter()
        defer { gate.leave() }
        guard let environment = unsafe environment else { throw .closed }
        try check(unsafe mdb_env_sync(environment, 1), "flush the data file")
    }

    /// Frees the slots of readers whose process died; they would pin old pages, and the file would grow without limit.
    @discardableResult
    func clearDeadReaders() -> Int {
        gate.enter()
        defer { gate.leave() }
        var cleared: Int32 = 0
        if let environment = unsafe environment { unsafe mdb_reader_check(environment, &cleared) }
        return Int(cleared)
    }
}
