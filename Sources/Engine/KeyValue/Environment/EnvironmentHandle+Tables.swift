import CLMDB
import Threading

/// Opening the tables of an environment.
extension EnvironmentHandle {
    /// Opens tables by name, and creates them when the environment may write. In one transaction.
    func openTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        do {
            return try openTables(names, creating: false)
        } catch KeyValueError.tableMissing where !configuration.isReadOnly {
            return try openTables(names, creating: true)
        }
    }

    /// Opens those tables that are there, and creates none.
    func openPresentTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        try openTables(names, creating: false, skippingMissing: true)
    }

    private func openTables(
        _ names: [String], creating: Bool, skippingMissing: Bool = false
    ) throws(KeyValueError) -> [Table] {
        while true {
            let count = openedTableCount.load(ordering: .acquiring)
            let state = creating ? try beginWrite() : try beginRead(isForLMDB: true)
            if let tables = try openTables(
                names, creating: creating, skippingMissing: skippingMissing, in: state, whileOpenAre: count)
            {
                return tables
            }
        }
    }

    /// Nil when another thread has opened a table since the transaction began: LMDB would give this one the same handle, and a write
    /// under way that uses it would fail with `MDB_BAD_DBI`.
    private func openTables(
        _ names: [String], creating: Bool, skippingMissing: Bool, in state: TransactionState, whileOpenAre count: Int
    ) throws(KeyValueError) -> [Table]? {
        try tableOpening.withLock { () throws(KeyValueError) in
            guard openedTableCount.load(ordering: .relaxed) == count else {
                abort(state)
                return nil
            }
            do throws(KeyValueError) {
                try checkTableList(in: state)
                let transaction = try unsafe state.liveHandle(lease: 0)
                var tables: [Table] = []
                for name in names {
                    var handle = MDB_dbi()
                    let flags = creating ? UInt32(MDB_CREATE) : 0
                    let code = unsafe mdb_dbi_open(transaction, name, flags, &handle)
                    if code == MDB_NOTFOUND {
                        if skippingMissing { continue }
                        throw KeyValueError.tableMissing(name: name)
                    }
                    try check(code, "open a table")
                    try unsafe checkOrder(of: handle, in: transaction)
                    tables.append(Table(name: name, handle: handle))
                }
                // A read transaction is committed as well: aborting would close the handles that it opened.
                switch GroupCommit(environment: self).commit(state) {
                case .durable:
                    for table in tables { openedTables[table.handle] = table.name }
                    openedTableCount.store(openedTables.count, ordering: .releasing)
                    return tables
                case .refused(let error), .failed(let error): throw error
                }
            } catch {
                abort(state)
                throw error
            }
        }
    }

    /// Daybook's tables have the default order and form. One with other flags is damaged, and a search in it would miss
    /// entries.
    private func checkOrder(of table: MDB_dbi, in transaction: OpaquePointer) throws(KeyValueError) {
        var flags: UInt32 = 0
        try check(unsafe mdb_dbi_flags(transaction, table, &flags), "read a table's flags")
        if flags != 0 { throw .damaged(path: path, detail: "a table has an invalid order") }
    }
}
