import CLMDB

/// A read transaction of LMDB that nobody reads in: it keeps the pages of a checkpoint from being used again.
///
/// It holds no address, so it bypasses `MapGate`: in it, it would keep the map from growing forever.
@safe final class CheckpointPin {
    private let transaction: OpaquePointer

    /// Nil when there is no reader slot for it, or when it would not be at the last committed transaction.
    init?(at place: CommitLog.Place) {
        var transaction: OpaquePointer?
        guard unsafe mdb_txn_begin(place.environment, nil, UInt32(MDB_RDONLY), &transaction) == MDB_SUCCESS,
            let transaction = unsafe transaction
        else { return nil }
        guard unsafe UInt64(mdb_txn_id(transaction)) == place.newest else {
            unsafe mdb_txn_abort(transaction)
            return nil
        }
        unsafe self.transaction = transaction
    }

    /// Gives the pages free. Once, before LMDB closes.
    func end() {
        unsafe mdb_txn_abort(transaction)
    }
}
