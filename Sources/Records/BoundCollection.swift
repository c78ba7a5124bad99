import CivilTime
import KeyValue

/// A collection with the tables it has in an open store.
final class BoundCollection<R: Record>: Sendable {
    struct BoundIndex: Sendable {
        let table: SealedTable
        let version: UInt32
        let key: @Sendable (R) -> KeyBytes?
    }

    struct BoundRollUp: Sendable {
        let table: SealedTable
        let version: UInt32
        let indexTable: SealedTable
        let instant: @Sendable (R) -> Instant?
    }

    let name: String
    let number: UInt32
    let records: SealedTable
    let indexes: [BoundIndex]
    let rollUps: [BoundRollUp]
    /// The tables of all indexes and roll-ups that are declared, also of those that a reader does without.
    private let declaredTables: [String]

    /// - Parameter tables: without those of indexes and roll-ups that were never built, in a store that is only read.
    init(_ collection: Collection<R>, tables: [String: SealedTable]) throws(RecordsError) {
        func table(_ name: String) throws(RecordsError) -> SealedTable {
            guard let table = tables[name] else { throw .badDeclaration("the table \(name) is not declared") }
            return table
        }
        name = collection.name
        number = Self.number(of: collection.name)
        records = try table(collection.name)
        declaredTables = collection.parts.map { $0.tableName(in: collection.name) }
        var indexes: [BoundIndex] = []
        var rollUps: [BoundRollUp] = []
        for part in collection.parts {
            guard let own = tables[part.tableName(in: collection.name)] else { continue }
            switch part.kind {
            case .index(let key):
                indexes.append(BoundIndex(table: own, version: part.version, key: key))
            case .rollUp(let instant, let indexName):
                let indexTable = try table(part.isShared ? indexName : "\(collection.name).\(indexName)")
                rollUps.append(
                    BoundRollUp(table: own, version: part.version, indexTable: indexTable, instant: instant))
            }
        }
        self.indexes = indexes
        self.rollUps = rollUps
    }

    /// What stands for the collection in rows of the change log.
    static func number(of name: String) -> UInt32 {
        Checksum.collectionNumber(of: name)
    }

    func index(named tableName: String) throws(RecordsError) -> BoundIndex {
        for index in indexes where index.table.name == tableName { return index }
        throw missing(tableName, "index")
    }

    func rollUp(named tableName: String) throws(RecordsError) -> BoundRollUp {
        for rollUp in rollUps where rollUp.table.name == tableName { return rollUp }
        throw missing(tableName, "roll-up")
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
        _ key: KeyBytes, in transaction: borrowing KeyValue.ReadTransaction
    ) throws -> (bytes: [UInt8], hash: UInt64)? {
        try namingDamage(of: key.bytes) {
            try records.get(key, in: transaction) { value, hash in (value.copied, hash) }
        }
    }

    /// A record by its key, nil when there is none.
    func record(_ key: KeyBytes, in transaction: borrowing KeyValue.ReadTransaction) throws -> R? {
        try namingDamage(of: key.bytes) {
            try records.get(key, in: transaction) { value, _ in try decode(key.bytes, value) }
        }
    }

    /// Reads the record of a key that is lent from the map and adds it to a list; false when there is none.
    func append(_ key: RawSpan, from cursor: inout Cursor, to list: inout [R]) throws -> Bool {
        guard try cursor.find(key) else { return false }
        do {
            try cursor.withEntry { _, sealed in
                try records.open(key: key, sealed: sealed) { value, _ in
                    try R.append(decoding: key, value, to: &list)
                }
            }
        } catch RecordsError.damagedEntry, RecordsError.unreadableField {
            throw damage(key)
        }
        return true
    }

    /// A record that fails its checksum is named as a record of its collection.
    func namingDamage<Result>(of key: RawSpan, _ body: () throws -> Result) throws -> Result {
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
