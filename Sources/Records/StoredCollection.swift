import KeyValue

/// What the engine does with a collection without knowing its record type: undo, verification, rebuilding.
protocol StoredCollection: AnyObject, Sendable {
    var name: String { get }
    var number: UInt32 { get }
    var recordsTable: SealedTable { get }
    /// The tables of indexes and roll-ups, with the version of their declaration.
    var derivedTables: [(table: SealedTable, version: UInt32)] { get }

    /// Puts a record back to what it was; nil removes it.
    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws
    /// Reads every record and adds what it says about index entries, counts and damage.
    func audit(into audit: inout Audit, in transaction: borrowing KeyValue.ReadTransaction) throws
    /// Writes the index entries and counts of every record that can be read into tables that were emptied before.
    /// Returns the keys of those that could not be read.
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws -> [KeyBytes]
}
