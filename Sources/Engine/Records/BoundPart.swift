/// An index or a roll-up of a collection, with the table that it has in an open store.
///
/// It says nothing of the record's type: where code is written for any type, each value whose own type hangs on that one
/// makes the program look its description up as it runs, which was a fifth of an import's time.
struct BoundPart: Sendable {
    let name: String
    let isShared: Bool
    let table: SealedTable
    /// The version of its declaration.
    let version: UInt32
}
