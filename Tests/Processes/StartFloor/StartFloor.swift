import ArgumentParser
import CLMDB
import Glibc

/// The least that a program like `daybook add` can cost: parse arguments, open an LMDB environment, commit one durable
/// write. `Scripts/start` runs it beside `daybook`.
@main
struct StartFloor: ParsableCommand {
    @Argument(help: "A folder that exists.")
    var folder: String

    func run() throws {
        var environment: OpaquePointer?
        try check(mdb_env_create(&environment))
        defer { mdb_env_close(environment) }
        try check(mdb_env_set_mapsize(environment, 1 << 30))
        try check(mdb_env_open(environment, folder, 0, 0o600))
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, 0, &table))
        var key = UInt64(getpid())
        try withUnsafeMutableBytes(of: &key) { bytes in
            var name = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = name
            try check(mdb_put(transaction, table, &name, &value, 0))
        }
        try check(mdb_txn_commit(transaction))
    }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw ValidationError(String(cString: mdb_strerror(code))) }
    }
}
