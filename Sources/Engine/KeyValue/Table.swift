import CLMDB

/// A named, ordered map from bytes to bytes: one LMDB database. Keys sort as their bytes do.
///
/// A handle is valid for the environment that gave it, as long as that one is open.
public struct Table: Sendable, Hashable {
    /// The table's name in the store.
    public let name: String
    let handle: MDB_dbi
}
