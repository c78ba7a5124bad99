import CLMDB
import FileSystem
import Synchronization
import Threading

/// What the page reader needs of LMDB: the place of its map, and the state of a read transaction.
extension EnvironmentHandle {
    /// Refuses a data file whose meta pages would make LMDB divide by zero, expect one of them outside of its map, or take its size
    /// from one of them and its state from the other.
    func checkMetaPages() throws(KeyValueError) {
        let pair: (even: MetaPage, odd: MetaPage)
        do throws(KeyValueError) {
            pair = try MetaPage.pair(in: dataFile)
        } catch {
            // A file that cannot be opened is LMDB's to report.
            guard case .damaged = error else { return }
            throw self.error(MDB_INVALID, "open the store")
        }
        let newest = pair.even.transaction < pair.odd.transaction ? pair.odd : pair.even
        guard pair.odd.pageSize == pair.even.pageSize, (512...32768).contains(newest.pageSize),
            newest.pageSize.nonzeroBitCount == 1
        else { throw .damaged(path: path, detail: "the size of its pages is impossible") }
        guard (1..<UInt64(Int.max / newest.pageSize)).contains(newest.lastPage) else {
            throw .damaged(path: path, detail: "the number of the last page is impossible")
        }
        guard newest.transaction < UInt64(Int.max / 2) else {
            throw .damaged(path: path, detail: "the number of the last transaction is impossible")
        }
        _ = try MetaPage.newest(in: dataFile)
    }

    /// Checks the list of free pages and the list of tables before the first write: every commit changes both, and LMDB trusts
    /// them. A length in the list of free pages is one of memory that LMDB takes and fills; a page that is on it twice ends the
    /// process. Later states are LMDB's own work. Nobody else writes meanwhile.
    ///
    /// Cost: the pages of both lists, once.
    func checkLists(before transaction: OpaquePointer) throws(KeyValueError) {
        guard !hasVerifiedLists, !configuration.pageChecksLeftOut.contains(.lists) else { return }
        let base = UInt64(unsafe mdb_txn_id(transaction)) &- 1
        let pair = try MetaPage.pair(in: dataFile)
        let meta = base % 2 == 0 ? pair.even : pair.odd
        // LMDB works with another state only where a test lets it.
        if meta.transaction == base || base == 0 {
            let census = try PageCensus(of: dataFile, at: meta, visitsRecords: false)
            if let problem = census.problems.all.first { throw .damaged(path: path, detail: problem) }
            writePaths.trust(census.freePages, end: meta.lastPage &+ 1, in: base)
        }
        hasVerifiedLists = true
    }

    /// Begins to verify the pages that LMDB will read in a write transaction; false where LMDB has written all of them.
    ///
    /// Cost: one look at the length of the file.
    func beginVerifying(in transaction: OpaquePointer) throws(KeyValueError) -> Bool {
        guard !isNew, !configuration.pageChecksLeftOut.contains(.paths) else { return false }
        let number = UInt64(unsafe mdb_txn_id(transaction)) &- 1
        let meta = try metaPages(of: number, at: mapStart.load(ordering: .relaxed)).meta
        // LMDB works with another state only where a test lets it.
        guard meta.transaction == number, number > 0 else { return false }
        let mapSize = unsafe newestTransaction(in: environment).mapSize
        let state = try unsafe take(meta, number, writtenState, transaction, try fileLength, mapSize)
        writtenState = state
        writePaths.begin(in: state, of: number, mapSize: mapSize)
        return true
    }

    // MARK: The state of a transaction

    /// What a read transaction of LMDB turned out to be.
    enum SnapshotOutcome {
        case taken(ReadSnapshot)
        /// LMDB does not work with the newest state: see `isCurrent(readTransaction:newest:)`.
        case outdated
        /// LMDB's code when it could not begin the transaction again.
        case refused(Int32)
    }

    /// How often a commit may come in between before the meta pages count as damaged.
    private static let snapshotAttempts = 1000

    /// The state that a read transaction sees.
    ///
    /// The commit after the next one takes the meta page of this state, and may have written half of it. What was read is
    /// right if the other meta page was still that of the commit before, or if LMDB still hands out this transaction: then
    /// the next commit may be under way, but not the one after it. Otherwise the transaction is begun again.
    ///
    /// - Parameters:
    ///   - former: a snapshot that no other transaction uses; it is used again.
    func snapshot(
        of transaction: OpaquePointer, reusing former: ReadSnapshot?, mapSize: Int
    ) throws(KeyValueError) -> SnapshotOutcome {
        var number = UInt64(unsafe mdb_txn_id(transaction))
        for attempt in 0..<Self.snapshotAttempts {
            let start = mapStart.load(ordering: .relaxed)
            // Looked up for each number: a later state may have more pages.
            let fileLength = try fileLength
            if start != 0 || isUndisturbed(number, attempt) {
                if let former, former.isOf(number, mapStart: start, fileLength: fileLength) { return .taken(former) }
                let (meta, other) = try metaPages(of: number, at: start)
                if meta.transaction == number && (other &+ 1 == number || number == 0 && other == 0)
                    || ignoresStaleLock
                {
                    return .taken(try unsafe take(meta, number, former, transaction, fileLength, mapSize))
                }
                let before = number
                if let outcome = try unsafe renew(transaction, &number) { return outcome }
                if meta.transaction == number, number == before {
                    return .taken(try unsafe take(meta, number, former, transaction, fileLength, mapSize))
                }
            } else {
                // A flush, or a process between its two steps of a commit.
                if attempt > 0 { pauseThread(microseconds: 1_000) }
                if let outcome = try unsafe renew(transaction, &number) { return outcome }
            }
        }
        if lockFileProblem != nil { throw .snapshotLost(path: path) }
        throw .damaged(path: path, detail: "the meta pages are not those of consecutive transactions")
    }

    /// Whether no commit has followed a transaction. Then LMDB's copy of its meta page is right: the commit that writes over
    /// that page has not begun. Locating the map is a search of LMDB's as well.
    ///
    /// Where another process died between the two steps of a commit, the newest transaction stays ahead of those that LMDB
    /// hands out. Nobody writes then, so the copy is trusted after half of the attempts.
    private func isUndisturbed(_ number: UInt64, _ attempt: Int) -> Bool {
        if ignoresStaleLock || attempt >= Self.snapshotAttempts / 2 { return true }
        return unsafe newestTransaction(in: environment).number <= number
    }

    /// Begins a transaction again; nil if it can be used.
    private func renew(_ transaction: OpaquePointer, _ number: inout UInt64) throws(KeyValueError) -> SnapshotOutcome? {
        let newest = unsafe newestTransaction(in: environment).number
        unsafe mdb_txn_reset(transaction)
        let code = unsafe mdb_txn_renew(transaction)
        guard code == MDB_SUCCESS else { return .refused(code) }
        number = UInt64(unsafe mdb_txn_id(transaction))
        // Others may have compacted the store in the meantime.
        return unsafe isCurrent(readTransaction: transaction, newest: newest) ? nil : .outdated
    }

    private func take(
        _ meta: MetaPage, _ number: UInt64, _ former: ReadSnapshot?, _ transaction: OpaquePointer, _ fileLength: Int,
        _ mapSize: Int
    ) throws(KeyValueError) -> ReadSnapshot {
        let map = try unsafe map(of: meta, transaction, fileLength: fileLength, mapSize: mapSize)
        guard let former else {
            return ReadSnapshot(of: meta, number, in: map, tableLimit: configuration.tableLimit)
        }
        former.move(to: meta, number, in: map)
        return former
    }

    /// The meta page of a transaction, and the transaction of the other meta page, in this order.
    private func metaPages(of number: UInt64, at start: UInt) throws(KeyValueError) -> (meta: MetaPage, other: UInt64) {
        let (page, other) = (Int(number & 1), Int(~number & 1))
        let meta: MetaPage?
        let otherTransaction: UInt64?
        if let base = unsafe UnsafeRawPointer(bitPattern: start) {
            let map = unsafe PageMap(base: base, pageSize: pageSize, pageCount: 2, leavingOut: [])
            meta = map.meta(page)
            atomicMemoryFence(ordering: .acquiring)
            otherTransaction = map.transaction(ofMeta: other)
        } else {
            let file = try PageFile(duplicating: openDataFile.number, pageSize: pageSize)
            meta = file.page(UInt64(page)).flatMap { unsafe MetaPage($0.bytes.span.bytes) }
            otherTransaction = file.page(UInt64(other)).flatMap { unsafe MetaPage($0.bytes.span.bytes) }?.transaction
        }
        guard let meta, let otherTransaction, meta.pageSize == pageSize else {
            throw .damaged(path: path, detail: "page \(page): it is no meta page")
        }
        return (meta, otherTransaction)
    }

    // MARK: The map

    /// The pages of a state that are in the file and in the map.
    private func map(
        of meta: MetaPage, _ transaction: OpaquePointer, fileLength: Int, mapSize: Int
    ) throws(KeyValueError) -> PageMap {
        // With other flags LMDB would expect several values of a key, or compare the names as numbers.
        guard meta.main.flags == 0 else {
            throw .damaged(path: path, detail: "the list of tables: its head has invalid flags")
        }
        let pages = min(meta.lastPage &+ 1, UInt64(fileLength / pageSize), UInt64(mapSize / pageSize))
        var start = mapStart.load(ordering: .relaxed)
        if start == 0, meta.main.root != TableHead.noPage {
            start = try unsafe locateMap(listing: meta.main, pageCount: pages, transaction)
            mapStart.store(start, ordering: .relaxed)
        }
        // A store without a table has no page to read.
        guard let base = unsafe UnsafeRawPointer(bitPattern: start) else { return PageMap.none }
        return unsafe PageMap(
            base: base, pageSize: pageSize, pageCount: pages, leavingOut: configuration.pageChecksLeftOut)
    }

    /// Where LMDB has mapped the file, which none of its calls returns: the place of the first table's name in memory, less
    /// its place in the file. LMDB searches pages for it that were checked before.
    private func locateMap(
        listing list: TableHead, pageCount: UInt64, _ transaction: OpaquePointer
    ) throws(KeyValueError) -> UInt {
        let firstKey = try checkTableList(list, pageCount: pageCount)
        var cursor: OpaquePointer?
        try check(unsafe mdb_cursor_open(transaction, Self.tableList, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        try check(unsafe mdb_cursor_get(cursor, &key, nil, MDB_FIRST), "read")
        let place = unsafe UInt(bitPattern: key.mv_data)
        guard place > firstKey, (place - firstKey) % 4096 == 0 else {
            throw .damaged(path: path, detail: "the list of tables is not where its meta page says")
        }
        return place - firstKey
    }

    private func checkTableList(_ list: TableHead, pageCount: UInt64) throws(KeyValueError) -> UInt {
        let file = try PageFile(duplicating: openDataFile.number, pageSize: pageSize)
        do throws(PageDamage) {
            return UInt(try TableListCheck(of: list, in: file, pageCount: pageCount).firstKey)
        } catch {
            throw damage(error)
        }
    }

    /// LMDB's handle of its unnamed table.
    static let tableList: MDB_dbi = 1

    // MARK: The file

    /// The data file as LMDB has opened it.
    var openDataFile: FileDescriptor {
        var descriptor: Int32 = -1
        unsafe mdb_env_get_fd(environment, &descriptor)
        return FileDescriptor(descriptor)
    }

    /// The length of the file that is mapped, whatever has its name now.
    private var fileLength: Int {
        get throws(KeyValueError) {
            // Locked while it was known that LMDB opens the same file.
            if let length = presence?.length, length >= 0 { return length }
            return try systemCall("inspect the data file", openDataFile.status.size)
        }
    }
}
