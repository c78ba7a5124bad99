import CLMDB
import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
        let code = unsafe mdb_env_set_mapsize(environment, 0)
        closeIfUnmapped(code)
        try check(code, "follow the store's growth")
        var information = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment, &information)
        // With such a number LMDB's own product overflows: it maps less, and asks for more at every transaction, for ever.
        guard unsafe UInt(bitPattern: information.me_last_pgno) < UInt(Int.max / pageSize) else {
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
}
