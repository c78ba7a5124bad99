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
        return unsafe try body(
            RawSpan(_unsafeStart: found.mv_data, byteCount: state.readableCount(ofValue: found)))
    }

    /// Whether a key exists. Cost: one look-up.
    public func contains(_ key: RawSpan, in table: Table) throws(KeyValueError) -> Bool {
        try unsafe find(key, in: table) != nil
    }

    /// How many entries a table has. Cost: constant.
    public func entryCount(of table: Table) throws(KeyValueError) -> Int {
        Int(try statistics(of: table).ms_entries)
    }

    /// How many pages a table takes. Cost: constant.
    public func pageCount(of table: Table) throws(KeyValueError) -> Int {
        let statistics = try statistics(of: table)
        return Int(statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages)
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
        var list = MDB_dbi()
        let handle = try unsafe state.liveHandle(lease: lease)
        // LMDB's unnamed table has the names of the others as keys.
        try state.environment.check(unsafe mdb_dbi_open(handle, nil, 0, &list), "list the tables")
        return try withCursor(over: Table(name: "", handle: list)) { cursor in
            var names: [String] = []
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                if let name = try cursor.withEntry({ key, _ in key.validatedText }) { names.append(name) }
                isOnEntry = try cursor.moveToNext()
            }
            return names
        }
    }

    @usableFromInline
    func find(_ key: RawSpan, in table: Table) throws(KeyValueError) -> MDB_val? {
        let handle = try unsafe state.liveHandle(lease: lease)
        state.counters.gets += 1
        var found = unsafe MDB_val()
        let code = unsafe key.withEntry { key in unsafe mdb_get(handle, table.handle, key, &found) }
        if code == MDB_NOTFOUND { return nil }
        try state.environment.check(code, "read")
        // A damaged page can make LMDB succeed without a value.
        guard unsafe found.mv_data != nil else {
            throw .damaged(path: state.environment.path, detail: "a page has an invalid layout")
        }
        return unsafe found
    }

    private func statistics(of table: Table) throws(KeyValueError) -> MDB_stat {
        let handle = try unsafe state.liveHandle(lease: lease)
        var statistics = MDB_stat()
        try state.environment.check(unsafe mdb_stat(handle, table.handle, &statistics), "read statistics")
        return statistics
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
    @usableFromInline let isWrite: Bool
    @usableFromInline let pageSize: Int
    /// Nil once the transaction has ended.
    private(set) var handle: OpaquePointer?
    var counters = OperationCounters()
    /// How many spans of the map are in use by closures; a write could move the bytes under them.
    var lentSpans = 0
    /// Counts writes, so that a cursor can detect that its entry may have moved.
    var generation = 0
    /// Set while a closure must be undone separately, because closures before it in the group succeeded.
    var inverseWrites: InverseWrites?
    /// The first error after which LMDB refuses to commit this transaction.
    var failure: KeyValueError?
    /// Identifies the closure that may use the transaction: after its end, a lease has an older number.
    var lease = 0

    init(environment: EnvironmentHandle, handle: OpaquePointer, isWrite: Bool) {
        self.environment = environment
        unsafe self.handle = handle
        self.isWrite = isWrite
        pageSize = environment.pageSize
    }

    func liveHandle(lease: Int) throws(KeyValueError) -> OpaquePointer {
        guard let handle = unsafe handle, lease == self.lease else { throw .transactionEnded }
        return unsafe handle
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
/// A handle is valid for its environment while that is open.
public struct Table: Sendable, Hashable {
    /// The table's name in the store.
    public let name: String
    let handle: MDB_dbi
}
