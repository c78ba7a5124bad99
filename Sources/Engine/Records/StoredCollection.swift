import KeyValue

/// The table of an index or a roll-up.
struct DerivedTable {
    enum Kind {
        case index
        case rollUp
    }

    let table: SealedTable
    let kind: Kind
    /// The version of its declaration.
    let version: UInt32
}

/// What the engine does with a collection without knowing its record type: undo, verification, rebuilding.
protocol StoredCollection: AnyObject, Sendable {
    var name: String { get }
    var number: UInt32 { get }
    var recordsTable: SealedTable { get }
    var derivedTables: [DerivedTable] { get }

    /// Writes a record from its stored bytes. Throws `refusedRecord` for bytes that are no valid record.
    func put(_ key: KeyBytes, _ value: [UInt8], in transaction: WriteTransaction) throws
    /// Puts a record back to what it was; nil removes it.
    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws
    /// Reads every record and adds what it says about index entries, counts and damage.
    func audit(into audit: inout Audit, in transaction: borrowing RawReadTransaction) throws
    /// Writes the index entries and counts of every record that can be read into tables that were emptied before.
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws
    /// Adds what a record that is being loaded means for indexes and roll-ups, at the places of `derivedTables`. Throws
    /// `refusedRecord` for bytes that are no sound record of this collection.
    func derive(
        _ key: RawSpan, _ value: RawSpan, at places: [Int], into derivation: inout Derivation
    ) throws(RecordsError)
    /// Moves the records that cannot be read out of the way. Returns their keys, and the count and digest of the others.
    func setDamagedAside(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> (keys: [KeyBytes], left: RecordCount)
}
