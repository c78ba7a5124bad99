import CLMDB

/// A position in a table that moves in key order.
///
/// Use it with `while`, inside its closure: `var found = try cursor.seek(key); while found { ...; found = try
/// cursor.moveToNext() }`.
///
/// In a write transaction the table may change between moves. The position is then the key: when its entry was deleted,
/// the next entry is the first one after that key, even if it is new. After a move that returned false, use `seek`,
/// `moveToFirst` or `moveToLast` to reach an entry again.
@safe public struct Cursor: ~Copyable {
    @usableFromInline let state: TransactionState
    private let lease: Int
    private let handle: OpaquePointer
    @usableFromInline var currentKey = unsafe MDB_val()
    @usableFromInline var currentValue = unsafe MDB_val()
    private var isOnEntry = false
    /// A copy of the current key, kept in write transactions only: there the bytes in the map move.
    private var position: [UInt8] = []
    private var generation: Int

    init(over table: Table, state: TransactionState, lease: Int) throws(KeyValueError) {
        var opened: OpaquePointer?
        let transaction = try unsafe state.liveHandle(lease: lease)
        try state.environment.check(unsafe mdb_cursor_open(transaction, table.handle, &opened), "open a cursor")
        guard let opened = unsafe opened else { throw .system(operation: "open a cursor", code: 0) }
        unsafe self.handle = opened
        self.state = state
        self.lease = lease
        self.generation = state.generation
    }

    deinit {
        unsafe mdb_cursor_close(handle)
    }

    /// Moves to the first entry whose key is not before the given one; false when there is none.
    public mutating func seek(_ key: RawSpan) throws(KeyValueError) -> Bool {
        // LMDB has no empty keys; every key comes after one.
        guard key.byteCount > 0 else { return try moveToFirst() }
        _ = try unsafe state.liveHandle(lease: lease)
        state.counters.cursorSteps += 1
        let code = unsafe key.withEntry { key in
            unsafe currentKey = unsafe key.pointee
            return unsafe mdb_cursor_get(handle, &currentKey, &currentValue, MDB_SET_RANGE)
        }
        return try settle(code)
    }

    /// Moves to the entry of a key; false if it does not exist. Cheaper than a look-up when the key is near the last
    /// one.
    public mutating func find(_ key: RawSpan) throws(KeyValueError) -> Bool {
        guard key.byteCount > 0 else { return false }
        _ = try unsafe state.liveHandle(lease: lease)
        state.counters.gets += 1
        let code = unsafe key.withEntry { key in
            unsafe currentKey = unsafe key.pointee
            return unsafe mdb_cursor_get(handle, &currentKey, &currentValue, MDB_SET_KEY)
        }
        return try settle(code)
    }

    /// Moves to the last entry whose key is before the given one; false when there is none.
    public mutating func seekBefore(_ key: RawSpan) throws(KeyValueError) -> Bool {
        try seek(key) ? move(MDB_PREV) : moveToLast()
    }

    /// Moves to the first entry; false when the table is empty.
    public mutating func moveToFirst() throws(KeyValueError) -> Bool { try move(MDB_FIRST) }

    /// Moves to the last entry; false when the table is empty.
    public mutating func moveToLast() throws(KeyValueError) -> Bool { try move(MDB_LAST) }

    /// Moves one entry forward; false at the end.
    public mutating func moveToNext() throws(KeyValueError) -> Bool {
        guard isOutdated else { return try move(MDB_NEXT) }
        let place = position
        guard try unsafe seek(place.span.bytes) else { return false }
        return try position == place ? move(MDB_NEXT) : true
    }

    /// Moves one entry back; false at the beginning.
    public mutating func moveToPrevious() throws(KeyValueError) -> Bool {
        guard isOutdated else { return try move(MDB_PREV) }
        let place = position
        return try unsafe seekBefore(place.span.bytes)
    }

    /// Passes the current entry to a closure. Only after a move that returned true.
    @inlinable
    public mutating func withEntry<Result>(
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result
    ) throws -> Result {
        try beginLending()
        defer { state.endLending() }
        return try unsafe body(
            RawSpan(_unsafeStart: currentKey.mv_data, byteCount: state.readableCount(ofKey: currentKey)),
            RawSpan(_unsafeStart: currentValue.mv_data, byteCount: state.readableCount(ofValue: currentValue)))
    }

    @usableFromInline
    mutating func beginLending() throws(KeyValueError) {
        _ = try unsafe state.liveHandle(lease: lease)
        if isOutdated { try fetchAgain() }
        guard isOnEntry else { throw .transactionEnded }
        state.beginLending()
    }

    /// A copy of the current key.
    public mutating func key() throws(KeyValueError) -> [UInt8] {
        try beginLending()
        defer { state.endLending() }
        return unsafe RawSpan(
            _unsafeStart: currentKey.mv_data, byteCount: state.readableCount(ofKey: currentKey)
        ).copied
    }

    /// Whether something was written since the last move.
    private var isOutdated: Bool { isOnEntry && generation != state.generation }

    /// Finds the entry at the remembered key again. When it was deleted the position is kept for the next move.
    private mutating func fetchAgain() throws(KeyValueError) {
        let place = position
        if try unsafe seek(place.span.bytes), position == place { return }
        position = place
        isOnEntry = true
        generation = -1
        throw .transactionEnded
    }

    private mutating func move(_ operation: MDB_cursor_op) throws(KeyValueError) -> Bool {
        _ = try unsafe state.liveHandle(lease: lease)
        state.counters.cursorSteps += 1
        return try settle(unsafe mdb_cursor_get(handle, &currentKey, &currentValue, operation))
    }

    private mutating func settle(_ code: Int32) throws(KeyValueError) -> Bool {
        generation = state.generation
        isOnEntry = code == MDB_SUCCESS
        if code == MDB_NOTFOUND { return false }
        try state.environment.check(code, "move a cursor")
        // A damaged page can make LMDB succeed without an entry.
        guard unsafe currentKey.mv_data != nil, unsafe currentValue.mv_data != nil else {
            isOnEntry = false
            throw .damaged(path: state.environment.path, detail: "a page has an invalid layout")
        }
        if state.isWrite {
            position.removeAll(keepingCapacity: true)
            unsafe position.append(
                contentsOf: UnsafeRawBufferPointer(start: currentKey.mv_data, count: currentKey.mv_size))
        }
        return true
    }
}
