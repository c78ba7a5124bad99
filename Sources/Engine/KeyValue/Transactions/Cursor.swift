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
    /// Whether it has not been moved yet.
    private var isNew = true
    /// The length of a value on overflow pages that has not been compared with their header yet.
    private var uncheckedCount: Int?
    /// LMDB's cursor; nil when the page reader searches.
    private let handle: OpaquePointer?
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
            guard unsafe opened != nil else { throw .system(operation: "open a cursor", code: 0) }
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
        try state.checkLive(lease: lease)
        state.counters.cursorSteps += 1
        if let handle = unsafe handle {
            try state.verify(.seek, to: key, in: table)
            let code = unsafe key.withEntry { key in
                unsafe currentKey = unsafe key.pointee
                return unsafe mdb_cursor_get(handle, &currentKey, &currentValue, MDB_SET_RANGE)
            }
            return try settle(code)
        }
        guard begin() else { return false }
        let map = map
        do throws(PageDamage) {
            let isFound = try unsafe key.withUnsafeBytes { bytes throws(PageDamage) in
                try unsafe path.seek(bytes, in: map)
            }
            return settle(isFound)
        } catch {
            throw state.environment.damage(error)
        }
    }

    /// Moves to the entry of a key; false if it does not exist. Cheaper than a look-up when the key is near the last
    /// one.
    public mutating func find(_ key: RawSpan) throws(KeyValueError) -> Bool {
        guard key.byteCount > 0 else { return false }
        try state.checkLive(lease: lease)
        state.counters.gets += 1
        if let handle = unsafe handle {
            try state.verify(.read, to: key, in: table)
            let code = unsafe key.withEntry { key in
                unsafe currentKey = unsafe key.pointee
                return unsafe mdb_cursor_get(handle, &currentKey, &currentValue, MDB_SET_KEY)
            }
            return try settle(code)
        }
        guard begin() else { return false }
        let map = map
        do throws(PageDamage) {
            let isFound = try unsafe key.withUnsafeBytes { bytes throws(PageDamage) in
                try unsafe path.find(bytes, in: map)
            }
            return settle(isFound)
        } catch {
            throw state.environment.damage(error)
        }
    }

    /// Moves to the last entry whose key is before the given one; false when there is none.
    public mutating func seekBefore(_ key: RawSpan) throws(KeyValueError) -> Bool {
        try seek(key) ? moveBack() : moveToLast()
    }

    /// Moves to the first entry; false when the table is empty.
    public mutating func moveToFirst() throws(KeyValueError) -> Bool {
        if unsafe handle != nil { return try move(MDB_FIRST) }
        try state.checkLive(lease: lease)
        state.counters.cursorSteps += 1
        guard begin() else { return false }
        do throws(PageDamage) {
            try path.moveToFirst(in: map)
            return settle(true)
        } catch {
            throw state.environment.damage(error)
        }
    }

    /// Moves to the last entry; false when the table is empty.
    public mutating func moveToLast() throws(KeyValueError) -> Bool {
        if unsafe handle != nil { return try move(MDB_LAST) }
        try state.checkLive(lease: lease)
        state.counters.cursorSteps += 1
        guard begin() else { return false }
        do throws(PageDamage) {
            try path.moveToLast(in: map)
            return settle(true)
        } catch {
            throw state.environment.damage(error)
        }
    }

    /// Moves one entry forward; false at the end.
    public mutating func moveToNext() throws(KeyValueError) -> Bool {
        if unsafe handle != nil {
            guard let place = outdatedPosition else { return try move(MDB_NEXT) }
            guard try unsafe seek(place.span.bytes) else { return false }
            return try position == place ? move(MDB_NEXT) : true
        }
        if isNew { return try moveToFirst() }
        try state.checkLive(lease: lease)
        state.counters.cursorSteps += 1
        isOnEntry = false
        guard path.isOnLeaf else { return false }
        do throws(PageDamage) {
            return settle(try path.moveToNext(in: map))
        } catch {
            throw state.environment.damage(error)
        }
    }

    /// Moves one entry back; false at the beginning.
    public mutating func moveToPrevious() throws(KeyValueError) -> Bool {
        guard let place = outdatedPosition else { return try moveBack() }
        return try unsafe seekBefore(place.span.bytes)
    }

    private mutating func moveBack() throws(KeyValueError) -> Bool {
        if unsafe handle != nil { return try move(MDB_PREV) }
        if isNew { return try moveToLast() }
        try state.checkLive(lease: lease)
        state.counters.cursorSteps += 1
        isOnEntry = false
        guard path.isOnLeaf else { return false }
        do throws(PageDamage) {
            return settle(try path.moveToPrevious(in: map))
        } catch {
            throw state.environment.damage(error)
        }
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

    // MARK: The page reader

    /// Whether the table has pages.
    private mutating func begin() -> Bool {
        isNew = false
        isOnEntry = false
        return path.hasPages
    }

    @inline(__always)
    private mutating func settle(_ isFound: Bool) -> Bool {
        isOnEntry = isFound
        guard isFound else { return false }
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
        unsafe isOnEntry && handle != nil && generation != state.generation ? position : nil
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

    private mutating func move(_ operation: MDB_cursor_op) throws(KeyValueError) -> Bool {
        try state.checkLive(lease: lease)
        guard let handle = unsafe handle else { return false }
        state.counters.cursorSteps += 1
        if state.verifiesPages { try verify(operation) }
        return try settle(unsafe mdb_cursor_get(handle, &currentKey, &currentValue, operation))
    }

    /// Verifies the pages that LMDB reads for a move.
    private func verify(_ operation: MDB_cursor_op) throws(KeyValueError) {
        let isForward = operation == MDB_NEXT || operation == MDB_FIRST
        if operation == MDB_FIRST || operation == MDB_LAST || isNew {
            return try state.verify(.moveToEnd(isFirst: isForward), in: table)
        }
        guard isOnEntry else { return try state.verify(.readAll, in: table) }
        if unsafe state.environment.writePaths.staysOnPage(currentKey.mv_data, isForward: isForward) { return }
        try unsafe state.verify(.move(isForward: isForward), to: position.span.bytes, in: table)
    }

    private mutating func settle(_ code: Int32) throws(KeyValueError) -> Bool {
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
}
