import CLMDB
import Injection

/// The right to change the store, for the length of one closure on the writer thread.
///
/// The writer commits after the closure has returned; if the closure throws, nothing of it is kept.
public struct RawWriteTransaction: ~Copyable {
    let state: TransactionState
    private let lease: Int

    init(_ state: TransactionState) {
        self.state = state
        self.lease = state.lease
    }

    /// Reads that see this transaction's own writes.
    public var reads: RawReadTransaction { RawReadTransaction(viewing: state, lease: lease) }

    /// Another number after each write, that of any closure of the transaction.
    package var generation: Int { state.generation }

    /// What this closure has done so far.
    public var counters: OperationCounters { state.counters }

    /// Writes an entry, in place of an older one of the same key. Cost: one put.
    public func put(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(KeyValueError) {
        let (handle, database) = try unsafe writableHandles(of: table)
        guard key.byteCount <= 511, key.byteCount > 0 else { throw .tooLarge(byteCount: key.byteCount) }
        guard value.byteCount < 1 << 30 else { throw .tooLarge(byteCount: value.byteCount) }
        try state.verify(.put, to: key, in: table)
        try recordInverse(of: key, in: table)
        state.counters.puts += 1
        state.generation += 1
        let code = unsafe key.withEntry { key in
            unsafe value.withEntry { value in unsafe mdb_put(handle, database, key, value, 0) }
        }
        try checkWrite(code)
        state.record?.put(key, value, in: table)
        if state.environment.injectionPoint(.putsTwice), state.counters.puts == 1 { try put(key, value, in: table) }
    }

    /// Writes an entry whose value ends in a checksum, without concatenating them first; for filling a draft.
    ///
    /// - Parameter isLast: whether its key comes after all others of the table, which avoids the search and fills pages
    ///   completely.
    package func fill(
        _ key: RawSpan, _ value: RawSpan, checksum: UInt32, isLast: Bool, in table: Table
    ) throws(KeyValueError) {
        let (handle, database) = try unsafe writableHandles(of: table)
        guard key.byteCount <= 511, key.byteCount > 0 else { throw .tooLarge(byteCount: key.byteCount) }
        guard value.byteCount < 1 << 30 else { throw .tooLarge(byteCount: value.byteCount) }
        try state.verify(.put, to: key, in: table)
        try recordInverse(of: key, in: table)
        state.counters.puts += 1
        state.generation += 1
        let count = value.byteCount
        var place = unsafe MDB_val(mv_size: count + 4, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        let code = unsafe key.withEntry { key in unsafe mdb_put(handle, database, key, &place, flags) }
        try checkWrite(code)
        state.record?.put(key, value, checksum: checksum, in: table)
        guard let start = unsafe place.mv_data else {
            throw .damaged(path: state.environment.path, detail: "a page has an invalid layout")
        }
        unsafe value.withUnsafeBytes { bytes in
            if let from = bytes.baseAddress { unsafe start.copyMemory(from: from, byteCount: count) }
        }
        unsafe start.storeBytes(of: checksum.littleEndian, toByteOffset: count, as: UInt32.self)
    }

    /// Writes an entry behind all others of its table, as it is; for filling a draft.
    ///
    /// - Throws: `damaged` when its key does not come after all others.
    func append(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(KeyValueError) {
        let (handle, database) = try unsafe writableHandles(of: table)
        try state.verify(.put, to: key, in: table)
        state.counters.puts += 1
        state.generation += 1
        state.record?.put(key, value, in: table)
        let code = unsafe key.withEntry { key in
            unsafe value.withEntry { value in unsafe mdb_put(handle, database, key, value, UInt32(MDB_APPEND)) }
        }
        guard code != MDB_KEYEXIST else {
            throw .damaged(path: state.environment.path, detail: "\(table.name): its entries are out of order")
        }
        try checkWrite(code)
    }

    /// Removes an entry; false when there was none. Cost: one delete.
    @discardableResult
    public func delete(_ key: RawSpan, in table: Table) throws(KeyValueError) -> Bool {
        let (handle, database) = try unsafe writableHandles(of: table)
        guard key.byteCount <= 511, key.byteCount > 0 else { return false }
        try state.verify(.delete, to: key, in: table)
        try recordInverse(of: key, in: table)
        state.generation += 1
        let code = unsafe key.withEntry { key in unsafe mdb_del(handle, database, key, nil) }
        if code == MDB_NOTFOUND { return false }
        state.counters.deletes += 1
        try checkWrite(code)
        state.record?.delete(key, in: table)
        return true
    }

    /// Removes every entry of a table. Cost: the table's pages. Avoid it in a closure that may throw afterward when
    /// others share the commit: each entry is then recorded for the inverse writes.
    public func removeAll(in table: Table) throws(KeyValueError) {
        let (handle, database) = try unsafe writableHandles(of: table)
        if state.inverseWrites != nil {
            let counters = state.counters
            defer { state.counters = counters }
            let keys = try allKeys(in: table)
            for key in keys { try unsafe delete(key.span.bytes, in: table) }
            return
        }
        try state.verify(.readAll, in: table)
        try recordRemoval(ofAllIn: table)
        state.generation += 1
        try checkWrite(unsafe mdb_drop(handle, database, 0))
    }

    /// A record of the commit log has the removal of a few entries as that of each, and none of more.
    private func recordRemoval(ofAllIn table: Table) throws(KeyValueError) {
        guard state.record?.holdsAll == true else { return }
        let counters = state.counters
        defer { state.counters = counters }
        guard try reads.entryCount(of: table) <= Self.mostRemovedInRecord else {
            state.record?.holdsAll = false
            return
        }
        for key in try allKeys(in: table) { unsafe state.record?.delete(key.span.bytes, in: table) }
    }

    private static var mostRemovedInRecord: Int { 1024 }

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

    /// LMDB's handles of the transaction and of a table.
    @inline(__always)
    private func writableHandles(of table: Table) throws(KeyValueError) -> (OpaquePointer, MDB_dbi) {
        let handle = try unsafe state.liveHandle(lease: lease)
        guard state.lentSpans == 0 else { throw .transactionEnded }
        if let failure = state.failure { throw failure }
        return unsafe (handle, try state.environment.lmdbHandle(of: table, in: handle))
    }

    private func recordInverse(of key: RawSpan, in table: Table) throws(KeyValueError) {
        guard let inverseWrites = state.inverseWrites else { return }
        // This look-up is not counted: the closure's counts must not depend on its place in a group.
        let counters = state.counters
        defer { state.counters = counters }
        var before: [UInt8]?
        if let found = try unsafe reads.find(key, in: table) {
            before = unsafe RawSpan(_unsafeStart: found.mv_data, byteCount: found.mv_size).copied
        }
        inverseWrites.remember(key: key.copied, value: before, in: table)
    }

    /// An error of a put or delete makes LMDB's transaction unusable, so the entire group has to fail.
    private func checkWrite(_ code: Int32) throws(KeyValueError) {
        do {
            try state.environment.check(code, "write")
        } catch {
            state.failure = error
            throw error
        }
    }
}

/// The inverse writes for one closure of a group: each entry before the closure changed it.
///
/// Nested LMDB transactions would do the same, but 0.9.24 has known faults in them (crashes.md).
final class InverseWrites {
    private var steps: [(key: [UInt8], value: [UInt8]?, table: Table)] = []

    func remember(key: [UInt8], value: [UInt8]?, in table: Table) {
        steps.append((key, value, table))
    }

    /// Restores everything, the last change first.
    func undo(in transaction: borrowing RawWriteTransaction) throws(KeyValueError) {
        for step in steps.reversed() {
            if let value = step.value {
                try unsafe transaction.put(step.key.span.bytes, value.span.bytes, in: step.table)
            } else {
                try unsafe transaction.delete(step.key.span.bytes, in: step.table)
            }
        }
    }
}

/// The exact amount of work of a transaction, which benchmarks and tests compare (requirement S-5).
public struct OperationCounters: Sendable, Equatable {
    /// Point look-ups of a key.
    public var gets = 0
    /// Entries that a cursor visited.
    public var cursorSteps = 0
    /// Entries written.
    public var puts = 0
    /// Entries removed.
    public var deletes = 0

    /// Nothing done yet.
    public init() {}
}
