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
    private let table: Table
    @usableFromInline var currentKey = unsafe MDB_val()
    @usableFromInline var currentValue = unsafe MDB_val()
    private var isOnEntry = false
    /// For the page reader.
    private let map: PageMap
    private var path: PagePath
    /// The length of a value on overflow pages that has not been compared with their header yet.
    private var uncheckedCount: Int?
    /// LMDB's cursor; nil when the page reader searches.
    private let handle: OpaquePointer?
    /// Whether LMDB's has not been moved yet.
    private var isNew = true
    /// A copy of the current key, kept in write transactions only: there the bytes in the map move.
    private var position: [UInt8] = []
    private var generation = 0

    init(over table: Table, state: TransactionState, lease: Int) throws(KeyValueError) {
        let transaction = try unsafe state.liveHandle(lease: lease)
        var opened: OpaquePointer?
        var found = TableHead.noPage
        if let snapshot = state.snapshot {
            found = try snapshot.root(of: table, in: state.environment)
        } else {
            let database = try unsafe state.lmdbHandle(of: table, in: transaction)
            try state.environment.check(unsafe mdb_cursor_open(transaction, database, &opened), "open a cursor")
        }
        self.state = state
        self.lease = lease
        self.table = table
        map = state.map
        path = PagePath(from: found)
        unsafe handle = opened
        generation = state.generation
    }

    deinit {
        if let handle = unsafe handle { unsafe mdb_cursor_close(handle) }
    }

    /// Moves to the first entry whose key is not before the given one; false when there is none.
    public mutating func seek(_ key: RawSpan) throws(KeyValueError) -> Bool {
        // LMDB has no empty keys; every key comes after one.
        guard key.byteCount > 0 else { return try moveToFirst() }
        return try move(MDB_SET_RANGE, to: key) { path, map throws(PageDamage) in
            try unsafe key.withUnsafeBytes { key throws(PageDamage) in try unsafe path.seek(key, in: map) }
        }
    }

    /// Moves to the entry of a key; false if it does not exist. Cheaper than a look-up when the key is near the last
    /// one.
    public mutating func find(_ key: RawSpan) throws(KeyValueError) -> Bool {
        guard key.byteCount > 0 else { return false }
        return try move(MDB_SET_KEY, to: key) { path, map throws(PageDamage) in
            try unsafe key.withUnsafeBytes { key throws(PageDamage) in try unsafe path.find(key, in: map) }
        }
    }

    /// Moves to the last entry whose key is before the given one; false when there is none.
    public mutating func seekBefore(_ key: RawSpan) throws(KeyValueError) -> Bool {
        try seek(key) ? moveToPrevious() : moveToLast()
    }

    /// Moves to the first entry; false when the table is empty.
    public mutating func moveToFirst() throws(KeyValueError) -> Bool {
        try move(MDB_FIRST) { path, map throws(PageDamage) in try path.moveToEnd(isFirst: true, in: map) }
    }

    /// Moves to the last entry; false when the table is empty.
    public mutating func moveToLast() throws(KeyValueError) -> Bool {
        try move(MDB_LAST) { path, map throws(PageDamage) in try path.moveToEnd(isFirst: false, in: map) }
    }

    /// Moves one entry forward; false at the end.
    public mutating func moveToNext() throws(KeyValueError) -> Bool {
        try move(MDB_NEXT) { path, map throws(PageDamage) in try path.moveToNext(in: map) }
    }

    /// Moves one entry back; false at the beginning.
    public mutating func moveToPrevious() throws(KeyValueError) -> Bool {
        try move(MDB_PREV) { path, map throws(PageDamage) in try path.moveToPrevious(in: map) }
    }

    /// Passes the current entry to a closure. Only after a move that returned true.
    @inlinable
    public mutating func withEntry<Result>(
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result
    ) throws -> Result {
        try beginLending()
        defer { state.endLending() }
        return try unsafe body(
            RawSpan(_unsafeStart: currentKey.mv_data, byteCount: currentKey.mv_size),
            RawSpan(_unsafeStart: currentValue.mv_data, byteCount: currentValue.mv_size))
    }

    @usableFromInline
    mutating func beginLending() throws(KeyValueError) {
        try state.checkLive(lease: lease)
        if outdatedPosition != nil { try fetchAgain() }
        guard isOnEntry else { throw .transactionEnded }
        if let count = uncheckedCount { checkLength(count) }
        state.beginLending()
    }

    /// A copy of the current key.
    public mutating func key() throws(KeyValueError) -> [UInt8] {
        try beginLending()
        defer { state.endLending() }
        return unsafe RawSpan(_unsafeStart: currentKey.mv_data, byteCount: currentKey.mv_size).copied
    }

    // MARK: Moving

    /// Moves to an entry; false if there is none. The one place that tells the page reader from LMDB's search.
    ///
    /// - Parameters:
    ///   - operation: what LMDB is asked to do.
    ///   - search: what the page reader does.
    @inline(__always)
    private mutating func move(
        _ operation: MDB_cursor_op, to key: RawSpan = RawSpan(),
        onPages search: (inout PagePath, PageMap) throws(PageDamage) -> Bool
    ) throws(KeyValueError) -> Bool {
        try state.checkLive(lease: lease)
        if operation == MDB_SET_KEY { state.counters.gets += 1 } else { state.counters.cursorSteps += 1 }
        if let handle = unsafe handle { return try unsafe moveInLMDB(operation, to: key, by: handle) }
        isOnEntry = false
        do throws(PageDamage) {
            isOnEntry = try search(&path, map)
        } catch {
            throw state.environment.damage(error)
        }
        guard isOnEntry else { return false }
        let entry = map.entry(path.index, of: path.leaf)
        unsafe currentKey = MDB_val(mv_size: entry.key.count, mv_data: map.pointer(entry.key))
        unsafe currentValue = MDB_val(mv_size: entry.value.count, mv_data: map.pointer(entry.value))
        uncheckedCount = entry.isLong ? entry.value.offset : nil
        return true
    }

    /// The header of a value's pages is read only when the value is.
    private mutating func checkLength(_ offset: Int) {
        unsafe currentValue.mv_size = map.readableCount(
            ofLong: PageMap.Extent(offset: offset, count: currentValue.mv_size))
        uncheckedCount = nil
    }

    // MARK: LMDB's search

    /// The position, if something was written since the last move.
    private var outdatedPosition: [UInt8]? {
        unsafe handle != nil && isOnEntry && generation != state.generation ? position : nil
    }

    /// Finds the entry at the remembered key again. When it was deleted the position is kept for the next move.
    private mutating func fetchAgain() throws(KeyValueError) {
        let place = position
        if try unsafe seek(place.span.bytes), position == place { return }
        position = place
        isOnEntry = true
        generation = -1
        throw .transactionEnded
    }

    @inline(never)
    private mutating func moveInLMDB(
        _ operation: MDB_cursor_op, to key: RawSpan, by handle: OpaquePointer
    ) throws(KeyValueError) -> Bool {
        if operation == MDB_NEXT || operation == MDB_PREV, let place = outdatedPosition {
            let isFound = try unsafe moveInLMDB(MDB_SET_RANGE, to: place.span.bytes, by: handle)
            if operation == MDB_NEXT, !isFound || position != place { return isFound }
            state.counters.cursorSteps += 1
            if !isFound { return try unsafe moveInLMDB(MDB_LAST, to: RawSpan(), by: handle) }
        }
        try verify(operation, to: key)
        let code = unsafe key.withEntry { key in
            unsafe currentKey = unsafe key.pointee
            return unsafe mdb_cursor_get(handle, &currentKey, &currentValue, operation)
        }
        isNew = false
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

    /// Verifies the pages that LMDB reads for a move.
    private func verify(_ operation: MDB_cursor_op, to key: RawSpan) throws(KeyValueError) {
        guard state.verifiesPages else { return }
        let isForward = operation == MDB_FIRST || operation == MDB_NEXT
        switch operation {
        case MDB_SET_RANGE: try state.verify(.seek, to: key, in: table)
        case MDB_SET_KEY: try state.verify(.read, to: key, in: table)
        case MDB_FIRST, MDB_LAST,
            _ where isNew:
            try state.verify(.moveToEnd(isFirst: isForward), in: table)
        case _ where !isOnEntry: try state.verify(.readAll, in: table)
        default:
            if unsafe state.environment.writePaths.staysOnPage(currentKey.mv_data, isForward: isForward) { return }
            try unsafe state.verify(.move(isForward: isForward), to: position.span.bytes, in: table)
        }
    }
}
