import CivilTime
import KeyValue

/// A collection with the tables it has in an open store.
final class BoundCollection<R: Record>: Sendable {
    let name: String
    let number: UInt32
    let records: ChecksummedTable
    let indexes: [BoundPart]
    /// For each of the indexes, a record's key in it.
    let indexKeys: [@Sendable (R) -> KeyBytes?]
    let rollUps: [BoundPart]
    /// For each of the roll-ups, when a record counts.
    let rollUpInstants: [@Sendable (R) -> Instant?]
    /// The tables of all indexes and roll-ups that are declared, also of those that a reader does without.
    private let declaredTables: [String]

    /// - Parameter tables: without those of indexes and roll-ups that were never built, in a store that is only read.
    init(_ collection: RecordCollection<R>, tables: [String: ChecksummedTable]) throws(RecordsError) {
        func table(_ name: String) throws(RecordsError) -> ChecksummedTable {
            guard let table = tables[name] else { throw .badDeclaration("the table \(name) is not declared") }
            return table
        }
        name = collection.name
        number = Self.number(of: collection.name)
        records = try table(collection.name)
        declaredTables = collection.parts.map { $0.tableName(in: collection.name) }
        var indexes: [BoundPart] = []
        var indexKeys: [@Sendable (R) -> KeyBytes?] = []
        var rollUps: [BoundPart] = []
        var rollUpInstants: [@Sendable (R) -> Instant?] = []
        for part in collection.parts {
            guard let own = tables[part.tableName(in: collection.name)] else { continue }
            let bound = BoundPart(name: part.name, isShared: part.isShared, table: own, version: part.version)
            switch part.kind {
            case .index(let key):
                indexes.append(bound)
                indexKeys.append(key)
            case .rollUp(let instant, let indexName):
                // The ends of a range are counted in the index.
                _ = try table(part.isShared ? indexName : "\(collection.name).\(indexName)")
                rollUps.append(bound)
                rollUpInstants.append(instant)
            }
        }
        self.indexes = indexes
        self.indexKeys = indexKeys
        self.rollUps = rollUps
        self.rollUpInstants = rollUpInstants
    }

    /// The collection's number in rows of the change log.
    static func number(of name: String) -> UInt32 {
        Checksum.collectionNumber(of: name)
    }

    /// Found by its short name: to put the table's name together for every read costs more than the search.
    func bound<Key>(_ index: Index<R, Key>) throws(RecordsError) -> BoundPart {
        for bound in indexes where bound.name == index.name && bound.isShared == index.isShared { return bound }
        throw missing(index.tableName, "index")
    }

    func bound(_ rollUp: RollUp<R>) throws(RecordsError) -> BoundPart {
        for bound in rollUps where bound.name == rollUp.name && bound.isShared == rollUp.index.isShared {
            return bound
        }
        throw missing(rollUp.tableName, "roll-up")
    }

    /// A record's key in each of the indexes, nil where it has none.
    func keys(of record: R) -> [KeyBytes?] {
        var keys: [KeyBytes?] = []
        keys.reserveCapacity(indexKeys.count)
        for key in indexKeys { keys.append(key(record)) }
        return keys
    }

    /// When a record counts in each of the roll-ups, nil where it does not.
    func instants(of record: R) -> [Instant?] {
        var instants: [Instant?] = []
        for instant in rollUpInstants { instants.append(instant(record)) }
        return instants
    }

    private func missing(_ table: String, _ kind: String) -> RecordsError {
        declaredTables.contains(table)
            ? .engine(.tableMissing(name: table)) : .badDeclaration("\(name) does not list the \(kind) \(table)")
    }

    /// Decodes a record that is lent from the map.
    func decode(_ key: RawSpan, _ value: RawSpan) throws(RecordsError) -> R {
        var decoder = KeyDecoder(key)
        let id = try R.ID(decoding: &decoder)
        do {
            var fields = try FieldDecoder(value)
            return try R(id: id, fields: &fields)
        } catch {
            throw damage(key)
        }
    }

    /// The stored bytes of a record, checked, and their hash.
    func stored(
        _ key: KeyBytes, in transaction: borrowing RawReadTransaction
    ) throws -> (bytes: [UInt8], hash: UInt64)? {
        try reportingDamage(of: key.bytes) {
            try records.get(key, in: transaction) { value, hash in (value.copied, hash) }
        }
    }

    /// A record by its key, nil when there is none.
    func record(_ key: KeyBytes, in transaction: borrowing RawReadTransaction) throws -> R? {
        try reportingDamage(of: key.bytes) {
            try records.get(key, in: transaction) { value, _ in try decode(key.bytes, value) }
        }
    }

    /// Reads the record of a key that is lent from the map and adds it to a list; false when there is none.
    func append(_ key: RawSpan, from cursor: inout Cursor, to list: inout [R]) throws -> Bool {
        guard try cursor.find(key) else { return false }
        do {
            try cursor.withEntry { _, checksummed in
                try records.open(key: key, checksummed: checksummed) { value, _ in
                    try R.append(decoding: key, value, to: &list)
                }
            }
        } catch RecordsError.damagedEntry, RecordsError.unreadableField {
            throw damage(key)
        }
        return true
    }

    /// A record that fails its checksum is named as a record of its collection.
    func reportingDamage<Result>(of key: RawSpan, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch RecordsError.damagedEntry {
            throw damage(key)
        }
    }

    private func damage(_ key: RawSpan) -> RecordsError {
        .damagedRecord(collection: name, key: KeyBytes(copying: key).hexadecimal)
    }
}

/// An index or a roll-up of a collection, with the table that it has in an open store.
///
/// It does not depend on the record's type: in generic code, each value whose type depends on a type parameter costs a
/// metadata lookup at run time, which was a fifth of an import's time.
struct BoundPart: Sendable {
    let name: String
    let isShared: Bool
    let table: ChecksummedTable
    /// The version of its declaration.
    let version: UInt32
}

/// The table of an index or a roll-up.
struct DerivedTable {
    enum Kind {
        case index
        case rollUp
    }

    let table: ChecksummedTable
    let kind: Kind
    /// The version of its declaration.
    let version: UInt32
}

/// What the engine does with a collection without knowing its record type: undo, verification, rebuilding.
protocol StoredCollection: AnyObject, Sendable {
    var name: String { get }
    var number: UInt32 { get }
    var recordsTable: ChecksummedTable { get }
    var derivedTables: [DerivedTable] { get }

    /// Writes a record from its stored bytes. Throws `refusedRecord` for bytes that are no valid record.
    func put(_ key: KeyBytes, _ value: [UInt8], in transaction: WriteTransaction) throws
    /// Restores an earlier image of a record; nil removes it.
    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws
    /// Reads every record and adds its index entries, counts and damage to the audit.
    func audit(into audit: inout Audit, in transaction: borrowing RawReadTransaction) throws
    /// Writes the index entries and counts of every readable record into tables that were emptied before.
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws
    /// Adds the index keys and roll-up instants of a record that is being loaded, at the places of `derivedTables`.
    /// Throws `refusedRecord` for bytes that are not a valid record of this collection.
    func derive(_ key: RawSpan, _ value: RawSpan, at places: [Int], into derivation: inout Derivation) throws
    /// Moves unreadable records to the quarantine. Returns their keys, and the count and digest of the others.
    func quarantineDamaged(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> (keys: [KeyBytes], left: RecordCount)
}
