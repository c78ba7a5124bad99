import CLMDB
import Injection

/// The right to change the store, for the length of one closure on the writer thread.
///
/// The writer commits after the closure has returned; a throw leaves nothing of what the closure did.
public struct RawWriteTransaction: ~Copyable {
    let state: TransactionState
    private let lease: Int

    init(_ state: TransactionState) {
        self.state = state
        self.lease = state.lease
    }

    /// Reads that see this transaction's own writes.
    public var reads: RawReadTransaction { RawReadTransaction(viewing: state, lease: lease) }

    /// What this closure has done so far.
    public var counters: OperationCounters { state.counters }

    /// Writes an entry, in place of an older one of the same key. Cost: one put.
    public func put(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(KeyValueError) {
        let handle = try unsafe writableHandle()
        guard key.byteCount <= 511, key.byteCount > 0 else { throw .tooLarge(byteCount: key.byteCount) }
        guard value.byteCount < 1 << 30 else { throw .tooLarge(byteCount: value.byteCount) }
        try recordInverse(of: key, in: table)
        state.counters.puts += 1
        state.generation += 1
        let code = unsafe key.withEntry { key in
            unsafe value.withEntry { value in unsafe mdb_put(handle, table.handle, key, value, 0) }
        }
        try checkWrite(code)
        if state.environment.injectionPoint(.putsTwice), state.counters.puts == 1 { try put(key, value, in: table) }
    }

    /// Writes an entry whose value ends in a seal, without a copy that joins the two; for filling a draft.
    ///
    /// - Parameter isLast: whether its key comes after every other of the table, which spares the search and leaves full
    ///   pages behind.
    package func fill(
        _ key: RawSpan, _ value: RawSpan, sealedBy seal: UInt32, isLast: Bool, in table: Table
    ) throws(KeyValueError) {
        let handle = try unsafe writableHandle()
        guard key.byteCount <= 511, key.byteCount > 0 else { throw .tooLarge(byteCount: key.byteCount) }
        guard value.byteCount < 1 << 30 else { throw .tooLarge(byteCount: value.byteCount) }
        try recordInverse(of: key, in: table)
        state.counters.puts += 1
        state.generation += 1
        let count = value.byteCount
        var place = unsafe MDB_val(mv_size: count + 4, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        let code = unsafe key.withEntry { key in unsafe mdb_put(handle, table.handle, key, &place, flags) }
        try checkWrite(code)
        guard let start = unsafe place.mv_data else { throw .transactionEnded }
        unsafe value.withUnsafeBytes { bytes in
            if let from = bytes.baseAddress { unsafe start.copyMemory(from: from, byteCount: count) }
        }
        unsafe start.storeBytes(of: seal.littleEndian, toByteOffset: count, as: UInt32.self)
    }

    /// Removes an entry; false when there was none. Cost: one delete.
    @discardableResult
    public func delete(_ key: RawSpan, in table: Table) throws(KeyValueError) -> Bool {
        let handle = try unsafe writableHandle()
        guard key.byteCount <= 511, key.byteCount > 0 else { return false }
        try recordInverse(of: key, in: table)
        state.generation += 1
        let code = unsafe key.withEntry { key in unsafe mdb_del(handle, table.handle, key, nil) }
        if code == MDB_NOTFOUND { return false }
        state.counters.deletes += 1
        try checkWrite(code)
        return true
    }

    /// Removes every entry of a table. Cost: the table's pages. Not to be used in a closure that may throw afterwards
    /// when others share the commit: each entry is remembered for the way back.
    public func removeAll(in table: Table) throws(KeyValueError) {
        let handle = try unsafe writableHandle()
        if state.inverseWrites != nil {
            let counters = state.counters
            defer { state.counters = counters }
            let keys = try allKeys(in: table)
            for key in keys { try unsafe delete(key.span.bytes, in: table) }
            return
        }
        state.generation += 1
        try checkWrite(unsafe mdb_drop(handle, table.handle, 0))
    }

    private func allKeys(in table: Table) throws(KeyValueError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try Cursor(over: table, state: state, lease: lease)
        var isOnEntry = try cursor.moveToFirst()
        while isOnEntry {
            keys.append(try cursor.key())
            isOnEntry = try cursor.moveToNext()
        }
        return keys
    }

    private func writableHandle() throws(KeyValueError) -> OpaquePointer {
        let handle = try unsafe state.liveHandle(lease: lease)
        guard state.lentSpans == 0 else { throw .transactionEnded }
        if let failure = state.failure { throw failure }
        return unsafe handle
    }

    private func recordInverse(of key: RawSpan, in table: Table) throws(KeyValueError) {
        guard let inverseWrites = state.inverseWrites else { return }
        // The look-up is ours, not the closure's: its counts must not depend on its place in a group.
        let counters = state.counters
        defer { state.counters = counters }
        do {
            let before = try reads.get(key, in: table) { $0.copied }
            inverseWrites.remember(key: key.copied, value: before, in: table)
        } catch let error as KeyValueError {
            throw error
        } catch {
            throw .transactionEnded
        }
    }

    /// An error of a put or delete leaves LMDB's transaction unusable, so the whole group has to fail with it.
    private func checkWrite(_ code: Int32) throws(KeyValueError) {
        do {
            try state.environment.check(code, "write")
        } catch {
            state.failure = error
            throw error
        }
    }
}
