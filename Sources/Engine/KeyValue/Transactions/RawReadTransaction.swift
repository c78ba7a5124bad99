import CLMDB

/// A consistent view of the entire store at one moment. It never waits and never blocks the writer.
///
/// It ends with its scope. Bytes are passed to closures and cannot outlive them.
public struct RawReadTransaction: ~Copyable {
    @usableFromInline let state: TransactionState
    private let lease: Int
    private let owns: Bool

    init(owning state: TransactionState) {
        self.state = state
        self.lease = state.lease
        self.owns = true
    }

    /// A view of a write transaction, including its uncommitted changes.
    init(viewing state: TransactionState, lease: Int) {
        self.state = state
        self.lease = lease
        self.owns = false
    }

    deinit {
        if owns { state.environment.endRead(state) }
    }

    /// The number of the transaction whose state it sees.
    var number: UInt64 {
        get throws(KeyValueError) { UInt64(unsafe mdb_txn_id(try unsafe state.liveHandle(lease: lease))) }
    }

    /// Whether pages of its state may have been reused while it was read, so that nothing it has returned may be used. Only
    /// possible in a process that cannot use LMDB's lock file.
    package var isLost: Bool { state.environment.hasLost(state) }

    /// What this transaction has done so far.
    public var counters: OperationCounters { state.counters }

    /// Passes the value of a key to a closure; returns nil when the key does not exist. Cost: one look-up.
    @inlinable
    public func get<Result>(
        _ key: RawSpan, in table: Table, _ body: (RawSpan) throws -> Result
    ) throws -> Result? {
        guard let found = try unsafe find(key, in: table) else { return nil }
        state.beginLending()
        defer { state.endLending() }
        return unsafe try body(RawSpan(_unsafeStart: found.mv_data, byteCount: found.mv_size))
    }

    /// Whether a key exists. Cost: one look-up.
    public func contains(_ key: RawSpan, in table: Table) throws(KeyValueError) -> Bool {
        try unsafe find(key, in: table) != nil
    }

    /// How many entries a table has. Cost: constant.
    public func entryCount(of table: Table) throws(KeyValueError) -> Int { try size(of: table).entries }

    /// How many pages a table takes. Cost: constant.
    public func pageCount(of table: Table) throws(KeyValueError) -> Int { try size(of: table).pages }

    private func size(of table: Table) throws(KeyValueError) -> (entries: Int, pages: Int) {
        let handle = try unsafe state.liveHandle(lease: lease)
        if let snapshot = state.snapshot {
            let head = try snapshot.head(of: table, in: state.environment)
            // A damaged head may count more pages than there are.
            return (Int(clamping: head.entries), Int(clamping: min(head.pageCount, snapshot.map.pageCount)))
        }
        var statistics = MDB_stat()
        let database = try unsafe state.lmdbHandle(of: table, in: handle)
        try state.environment.check(unsafe mdb_stat(handle, database, &statistics), "read statistics")
        let pages = statistics.ms_branch_pages &+ statistics.ms_leaf_pages &+ statistics.ms_overflow_pages
        return (Int(statistics.ms_entries), Int(pages))
    }

    /// Passes a cursor over a table to a closure.
    public func withCursor<Result>(
        over table: Table, _ body: (inout Cursor) throws -> Result
    ) throws -> Result {
        var cursor = try Cursor(over: table, state: state, lease: lease)
        return try body(&cursor)
    }

    /// The names of all tables of the store, in their order. Cost: one step each.
    package func tableNames() throws -> [String] {
        try withCursor(over: .list) { cursor in
            var names: [String] = []
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                if let name = try cursor.withEntry({ key, _ in key.validatedText }) { names.append(name) }
                isOnEntry = try cursor.moveToNext()
            }
            return names
        }
    }

    /// The value of a key, which can be read as far as it is stated.
    @usableFromInline
    func find(_ key: RawSpan, in table: Table) throws(KeyValueError) -> MDB_val? {
        try state.checkLive(lease: lease)
        state.counters.gets += 1
        guard let snapshot = state.snapshot else { return try unsafe findInLMDB(key, in: table) }
        guard key.byteCount > 0 else { throw .tooLarge(byteCount: 0) }
        let root = try snapshot.root(of: table, in: state.environment)
        guard root != TableHead.noPage else { return nil }
        let map = state.map
        let place: (page: Int, index: Int)?
        do throws(PageDamage) {
            place = try unsafe key.withUnsafeBytes { bytes throws(PageDamage) in try unsafe map.find(bytes, from: root)
            }
        } catch {
            throw state.environment.damage(error)
        }
        guard let place else { return nil }
        let entry = map.entry(place.index, of: place.page)
        let count = entry.isLong ? map.readableCount(ofLong: entry.value) : entry.value.count
        return unsafe MDB_val(mv_size: count, mv_data: map.pointer(entry.value))
    }

    private func findInLMDB(_ key: RawSpan, in table: Table) throws(KeyValueError) -> MDB_val? {
        let handle = try unsafe state.liveHandle(lease: lease)
        try state.verify(.read, to: key, in: table)
        let database = try unsafe state.lmdbHandle(of: table, in: handle)
        var found = unsafe MDB_val()
        let code = unsafe key.withEntry { key in unsafe mdb_get(handle, database, key, &found) }
        if code == MDB_NOTFOUND { return nil }
        try state.environment.check(code, "read")
        // A damaged page can make LMDB succeed without a value.
        guard unsafe found.mv_data != nil else {
            throw .damaged(path: state.environment.path, detail: "a page has an invalid layout")
        }
        return unsafe found
    }

    /// A transaction of the same state, searched by LMDB's code, for tests that compare. Use it only while this transaction
    /// lives, on stores without damage, and for tables that a write of this process has opened in LMDB.
    package func throughLMDB() throws(KeyValueError) -> RawReadTransaction {
        let handle = try unsafe state.liveHandle(lease: lease)
        return unsafe RawReadTransaction(
            viewing: TransactionState(environment: state.environment, handle: handle, snapshot: nil, isWrite: false),
            lease: 0)
    }
}

extension RawSpan {
    /// Passes these bytes to LMDB, which reads them and keeps no reference.
    func withEntry<Result>(_ body: (UnsafeMutablePointer<MDB_val>) -> Result) -> Result {
        unsafe withUnsafeBytes { buffer in
            var entry = unsafe MDB_val(
                mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
            return unsafe body(&entry)
        }
    }
}

/// The shared state of the transaction types: the LMDB handle, the counters, and the checks that make late use an
/// error.
@usableFromInline
@safe final class TransactionState {
    let environment: EnvironmentHandle
    let isWrite: Bool
    /// What the page reader reads. Nil in a write transaction, whose pages are in LMDB's memory: LMDB searches those.
    let snapshot: ReadSnapshot?
    let map: PageMap
    /// Whether the pages are verified that LMDB reads: not where it has written all of them.
    let verifiesPages: Bool
    /// Nil once the transaction has ended.
    private(set) var handle: OpaquePointer?
    var counters = OperationCounters()
    /// How many spans of the map are in use by closures; a write could move the bytes under them.
    var lentSpans = 0
    /// Counts writes, so that a cursor can detect that its entry may have moved.
    var generation = 0
    /// Set while a closure must be undone separately, because closures before it in the group succeeded.
    var inverseWrites: InverseWrites?
    /// What it has changed so far, if it is to be a record of the commit log.
    var record: CommitRecord.Builder?
    /// The first error after which LMDB refuses to commit this transaction.
    var failure: KeyValueError?
    /// Identifies the closure that may use the transaction: after its end, a lease has an older number.
    var lease = 0

    init(
        environment: EnvironmentHandle, handle: OpaquePointer, snapshot: ReadSnapshot?, isWrite: Bool? = nil,
        verifiesPages: Bool = false
    ) {
        self.verifiesPages = verifiesPages
        self.environment = environment
        unsafe self.handle = handle
        self.snapshot = snapshot
        self.isWrite = isWrite ?? (snapshot == nil)
        map = snapshot?.map ?? PageMap.none
    }

    @inline(__always)
    func checkLive(lease: Int) throws(KeyValueError) {
        guard unsafe handle != nil, lease == self.lease else { throw .transactionEnded }
    }

    func liveHandle(lease: Int) throws(KeyValueError) -> OpaquePointer {
        guard let handle = unsafe handle, lease == self.lease else { throw .transactionEnded }
        return unsafe handle
    }

    /// Verifies the pages that LMDB reads for an access in a write transaction.
    @inline(__always)
    func verify(_ access: TableAccess, to key: RawSpan = RawSpan(), in table: Table) throws(KeyValueError) {
        if verifiesPages { try environment.writePaths.verify(access, to: key, in: table, of: environment) }
    }

    /// LMDB's handle of a table in this transaction.
    @inline(__always)
    func lmdbHandle(of table: Table, in transaction: OpaquePointer) throws(KeyValueError) -> MDB_dbi {
        if isWrite { return try unsafe environment.lmdbHandle(of: table, in: transaction) }
        if table.number == Table.listNumber { return EnvironmentHandle.tableList }
        return try unsafe environment.openInLMDB(table, in: transaction)
    }

    /// Returns the LMDB handle to the caller that ends the transaction.
    func takeHandle() -> OpaquePointer? {
        defer { unsafe handle = nil }
        lease += 1
        return unsafe handle
    }

    /// Bytes of the map are about to be passed to a closure. Two calls instead of an accessible counter, so that the
    /// compiler sees every access and can omit its exclusivity checks.
    @usableFromInline
    func beginLending() {
        lentSpans += 1
    }

    @usableFromInline
    func endLending() {
        lentSpans -= 1
    }
}

/// A named, ordered map from bytes to bytes: one LMDB database. Keys sort as their bytes do.
///
/// It is valid for its environment while that is open.
public struct Table: Sendable, Hashable {
    /// The table's name in the store.
    public let name: String
    /// Identifies the table in its environment, in this process.
    let number: Int

    /// The number of LMDB's unnamed table.
    static let listNumber = 1

    /// LMDB's unnamed table, which has the names of the others as keys.
    static let list = Table(name: "", number: listNumber)
}
