import CLMDB

/// LMDB's handles of the tables that were written to since LMDB was opened, by the numbers of the tables.
///
/// Only the one write transaction opens tables in LMDB and uses these. Two transactions that open tables at once could get one
/// handle for two of them.
struct TableHandles {
    /// 0 where a table has none: that is the handle of the list of free pages.
    private var handles: [MDB_dbi] = []
    /// The numbers of the tables that the present transaction has opened: LMDB keeps their handles if it is committed.
    private var uncommitted: [Int] = []

    /// The handle of a table; nil until a write transaction has opened it.
    @inline(__always)
    subscript(number: Int) -> MDB_dbi? {
        number < handles.count && handles[number] != 0 ? handles[number] : nil
    }

    /// Notes a handle that the present transaction has opened.
    mutating func add(_ handle: MDB_dbi, of number: Int) {
        if number >= handles.count { handles += Array(repeating: 0, count: number + 1 - handles.count) }
        handles[number] = handle
        uncommitted.append(number)
    }

    /// Ends the present transaction, while no other one can begin.
    mutating func endTransaction(isCommitted: Bool) {
        if !isCommitted {
            for number in uncommitted { handles[number] = 0 }
        }
        uncommitted.removeAll(keepingCapacity: true)
    }
}
