import CLMDB
import Threading

/// The tables of an environment.
///
/// A table has a number in this process, which stays while LMDB is opened again. Reads need no more than its name (decision 0045); LMDB
/// opens a table when a transaction writes to it first.
extension EnvironmentHandle {
    /// Finds tables by name, and creates those that are missing when the environment may write. In one transaction.
    func openTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        let present = try openPresentTables(names)
        guard present.count < names.count else { return present }
        guard !configuration.isReadOnly else {
            let found = Set(present.map(\.name))
            throw .tableMissing(name: names.first { !found.contains($0) } ?? "")
        }
        return try createTables(names)
    }

    /// Finds those tables that are there, and creates none.
    func openPresentTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        let tables = number(names)
        while true {
            let state = try beginRead()
            defer { endRead(state) }
            let present = Result { () throws(KeyValueError) in try self.present(tables, in: state) }
            if !hasLost(state) { return try present.get() }
        }
    }

    private func present(_ tables: [Table], in state: TransactionState) throws(KeyValueError) -> [Table] {
        var present: [Table] = []
        for table in tables where try state.snapshot?.headIfPresent(of: table, in: self) != nil {
            present.append(table)
        }
        return present
    }

    private func createTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        let tables = number(names)
        let state = try beginWrite()
        do throws(KeyValueError) {
            let transaction = try unsafe state.liveHandle(lease: 0)
            for table in tables { _ = try unsafe open(table, creating: true, in: transaction) }
        } catch {
            abort(state)
            throw error
        }
        switch GroupCommit(environment: self).commit(state) {
        case .durable: return tables
        case .refused(let error), .failed(let error): throw error
        }
    }

    /// The numbers of tables, which those of the same names had before.
    private func number(_ names: [String]) -> [Table] {
        tableNumbering.withLock {
            names.map { name in
                let number = tableNumbers[name] ?? Table.listNumber + 1 + tableNumbers.count
                tableNumbers[name] = number
                return Table(name: name, number: number)
            }
        }
    }

    // MARK: In LMDB

    /// LMDB's handle of a table in the present write transaction.
    @inline(__always)
    func lmdbHandle(of table: Table, in transaction: OpaquePointer) throws(KeyValueError) -> MDB_dbi {
        if let handle = tableHandles[table.number] { return handle }
        return table.number == Table.listNumber ? Self.tableList : try unsafe open(table, in: transaction)
    }

    /// The list of tables was checked before: see `checkLists(before:)`.
    private func open(
        _ table: Table, creating: Bool = false, in transaction: OpaquePointer
    ) throws(KeyValueError) -> MDB_dbi {
        if let handle = tableHandles[table.number] { return handle }
        let handle = try unsafe openInLMDB(table, flags: creating ? UInt32(MDB_CREATE) : 0, in: transaction)
        tableHandles.add(handle, of: table.number)
        return handle
    }

    /// Daybook's tables have the default order and form. One with other flags is damaged, and a search in it would miss
    /// entries.
    func openInLMDB(
        _ table: Table, flags: UInt32 = 0, in transaction: OpaquePointer
    ) throws(KeyValueError) -> MDB_dbi {
        var handle = MDB_dbi()
        let code = unsafe mdb_dbi_open(transaction, table.name, flags, &handle)
        if code == MDB_NOTFOUND { throw .tableMissing(name: table.name) }
        try check(code, "open a table")
        var found: UInt32 = 0
        try check(unsafe mdb_dbi_flags(transaction, handle, &found), "read a table's flags")
        if found != 0 { throw .damaged(path: path, detail: "a table has an invalid order") }
        return handle
    }
}
