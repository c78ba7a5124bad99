/// The state that a read transaction sees: the map and the roots of the tables. It stays with an idle reader and is used
/// again while nobody has committed, so that repeated reads look up no root.
@safe final class ReadSnapshot {
    private(set) var map: PageMap
    /// The transaction that LMDB has handed out.
    private var transaction: UInt64
    /// The list of tables: its keys are their names, its values their heads.
    private(set) var list: TableHead
    /// The roots that were looked up, by the numbers of their tables.
    private var roots: [UInt64]

    /// No page has this number, nor is it the mark of an empty table.
    private static let unknown = TableHead.noPage - 1

    /// - Parameter tableLimit: how many tables can be open.
    init(of meta: MetaPage, _ transaction: UInt64, in map: PageMap, tableLimit: Int) {
        self.map = map
        self.transaction = transaction
        list = meta.main
        roots = Array(repeating: Self.unknown, count: tableLimit + Table.listNumber + 1)
    }

    /// Replaces the state by that of another transaction.
    func move(to meta: MetaPage, _ transaction: UInt64, in map: PageMap) {
        self.map = map
        self.transaction = transaction
        list = meta.main
        for index in roots.indices { roots[index] = Self.unknown }
    }

    /// Whether this is the state of a transaction, in a map that begins there, and the file still has all of it.
    func isOf(_ transaction: UInt64, mapStart: UInt, fileLength: Int) -> Bool {
        unsafe transaction == self.transaction && UInt(bitPattern: map.base) == mapStart
            && map.pageCount <= UInt64(fileLength / map.pageSize)
    }

    /// The root page of a table; `TableHead.noPage` if the table is empty.
    @inline(__always)
    func root(of table: Table, in store: EnvironmentHandle) throws(KeyValueError) -> UInt64 {
        let number = table.number
        if number < roots.count, roots[number] != Self.unknown { return roots[number] }
        return try findRoot(of: table, in: store)
    }

    private func findRoot(of table: Table, in store: EnvironmentHandle) throws(KeyValueError) -> UInt64 {
        let root = try head(of: table, in: store).root
        if table.number < roots.count { roots[table.number] = root }
        return root
    }

    /// The record of a table in the list of tables.
    ///
    /// - Throws: `damaged`; `tableMissing` when the table was created later.
    func head(of table: Table, in store: EnvironmentHandle) throws(KeyValueError) -> TableHead {
        guard let head = try headIfPresent(of: table, in: store) else { throw .tableMissing(name: table.name) }
        return head
    }

    /// The record of a table in the list of tables; nil when the table was created later.
    func headIfPresent(of table: Table, in store: EnvironmentHandle) throws(KeyValueError) -> TableHead? {
        if table.number == Table.listNumber { return list }
        guard list.root != TableHead.noPage else { return nil }
        let place: (page: Int, index: Int)?
        do throws(PageDamage) {
            place = try find(table.name)
        } catch {
            throw store.damage(error)
        }
        guard let place else { return nil }
        guard map.isTableHead(place.index, of: place.page) else {
            throw .damaged(path: store.path, detail: "\(table.name): it is not marked as a table")
        }
        let found = map.entry(place.index, of: place.page)
        guard !found.isLong, found.value.count == TableHead.byteCount else {
            throw .damaged(path: store.path, detail: "\(table.name): its head has an invalid length")
        }
        let head = map.head(at: found.value.offset)
        // With other flags its keys would have another order.
        guard head.flags == 0 else { throw .damaged(path: store.path, detail: "a table has an invalid order") }
        return head
    }

    private func find(_ name: String) throws(PageDamage) -> (page: Int, index: Int)? {
        let key = Array(name.utf8)
        return try unsafe key.span.bytes.withUnsafeBytes { bytes throws(PageDamage) in
            try unsafe map.find(bytes, from: list.root)
        }
    }
}

extension EnvironmentHandle {
    /// The error for a page that the reader has found damaged.
    func damage(_ damage: PageDamage) -> KeyValueError { .damaged(path: path, detail: damage.detail) }
}
