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
    /// The indexes with several keys for a record. Apart from the others, so that these cost no array for each record.
    let multiIndexes: [BoundPart]
    let multiKeys: [MultiKeys<R>]
    let rollUps: [BoundPart]
    /// For each of the roll-ups, when a record counts.
    let rollUpInstants: [@Sendable (R) -> Instant?]
    let tallies: [BoundPart]
    /// For each of the tallies, what a record adds to it.
    let tallyShares: [@Sendable (R) -> TallyShare?]
    /// The indexes, those with several keys, the roll-ups, the tallies.
    let derivedTables: [DerivedTable]
    /// The references: their places among the indexes, and their rules.
    let references: [(position: Int, target: UInt32, rule: ReferenceRule<R>)]
    /// Whether changes are in the change log.
    let isTracked: Bool
    /// The tables of all indexes and roll-ups that are declared, also of those that a reader does without.
    private let declaredTables: [String]

    /// - Parameter tables: without those of indexes and roll-ups that were never built, in a store that is only read.
    init(_ collection: RecordCollection<R>, tables: [String: ChecksummedTable]) throws(RecordsError) {
        func table(_ name: String) throws(RecordsError) -> ChecksummedTable {
            guard let table = tables[name] else { throw .badDeclaration("the table \(name) is not declared") }
            return table
        }
        name = collection.name
        isTracked = collection.isTracked
        number = Self.number(of: collection.name)
        records = try table(collection.name)
        declaredTables = collection.parts.map { $0.tableName(in: collection.name) }
        var indexes: [BoundPart] = []
        var indexKeys: [@Sendable (R) -> KeyBytes?] = []
        var multiIndexes: [BoundPart] = []
        var multiKeys: [MultiKeys<R>] = []
        var rollUps: [BoundPart] = []
        var rollUpInstants: [@Sendable (R) -> Instant?] = []
        var tallies: [BoundPart] = []
        var tallyShares: [@Sendable (R) -> TallyShare?] = []
        var references: [(position: Int, target: UInt32, rule: ReferenceRule<R>)] = []
        for part in collection.parts {
            guard var own = tables[part.tableName(in: collection.name)] else { continue }
            own.showsKeys = part.showsKeys
            var bound = BoundPart(
                name: part.name, isShared: part.isShared, isUnique: part.isUnique, hasPendingList: part.hasPendingList,
                table: own, version: part.version, idWidth: R.ID.width)
            if part.hasPendingList { bound.pendingList = tables[PendingListRow.tableName(of: own.name)] }
            switch part.kind {
            case .index(let key):
                if let rule = part.reference {
                    references.append((indexes.count, Self.number(of: rule.target()), rule))
                }
                indexes.append(bound)
                indexKeys.append(key)
            case .multiIndex(let keys):
                multiIndexes.append(bound)
                multiKeys.append(keys)
            case .rollUp(let instant, let indexName):
                // The ends of a range are counted in the index.
                _ = try table(part.isShared ? indexName : "\(collection.name).\(indexName)")
                rollUps.append(bound)
                rollUpInstants.append(instant)
            case .tally(let share):
                tallies.append(bound)
                tallyShares.append(share)
            }
        }
        self.indexes = indexes
        self.indexKeys = indexKeys
        self.multiIndexes = multiIndexes
        self.multiKeys = multiKeys
        self.rollUps = rollUps
        self.rollUpInstants = rollUpInstants
        self.tallies = tallies
        self.tallyShares = tallyShares
        self.references = references
        derivedTables =
            (indexes + multiIndexes).map { DerivedTable(part: $0, kind: .index) }
            + rollUps.map { DerivedTable(part: $0, kind: .rollUp) }
            + tallies.map { DerivedTable(part: $0, kind: .tally) }
    }

    /// The collection's number in rows of the change log.
    static func number(of name: String) -> UInt32 {
        Checksum.collectionNumber(of: name)
    }

    /// Found by its short name: to put the table's name together for every read costs more than the search.
    func bound<Key>(_ index: Index<R, Key>) throws(RecordsError) -> BoundPart {
        for bound in indexes where bound.name == index.name && bound.isShared == index.isShared { return bound }
        for bound in multiIndexes where bound.name == index.name { return bound }
        throw missing(index.tableName, "index")
    }

    func bound(_ rollUp: RollUp<R>) throws(RecordsError) -> BoundPart {
        for bound in rollUps where bound.name == rollUp.name && bound.isShared == rollUp.index.isShared {
            return bound
        }
        throw missing(rollUp.tableName, "roll-up")
    }

    func bound<Key>(_ tally: Tally<R, Key>) throws(RecordsError) -> BoundPart {
        for bound in tallies where bound.name == tally.name { return bound }
        throw missing(tally.tableName, "tally")
    }

    /// A record's keys in one of these indexes, each once, in order: so that they are written to neighboring pages, and two
    /// lists can be compared in one walk.
    ///
    /// - Parameter isInOrder: false where that does not matter.
    static func entries(
        of record: R, _ key: KeyBytes, _ keys: MultiKeys<R>, inOrder isInOrder: Bool = true
    ) -> [KeyBytes] {
        var entries = keys.of(record)
        for place in entries.indices { entries[place].append(contentsOf: key) }
        guard isInOrder else { return entries }
        entries.sort()
        var count = 0
        for place in entries.indices where count == 0 || entries[place] != entries[count - 1] {
            entries[count] = entries[place]
            count += 1
        }
        entries.removeLast(entries.count - count)
        return entries
    }

    /// A record's key in each of the indexes, nil where it has none.
    func keys(of record: R) -> [KeyBytes?] {
        var keys: [KeyBytes?] = []
        keys.reserveCapacity(indexKeys.count)
        for key in indexKeys { keys.append(key(record)) }
        return keys
    }

    /// What the records that a transaction shows in place of stored ones change of a roll-up.
    func shownInstants(
        inRollUp table: String, in transaction: ReadTransaction
    ) throws -> [(instant: Instant, change: Int)] {
        guard let place = rollUps.firstIndex(where: { $0.table.name == table }) else { return [] }
        let instant = rollUpInstants[place]
        var changes: [(instant: Instant, change: Int)] = []
        for (id, edit) in transaction.overlay[number] {
            let old = try transaction.withEngine { try record(id, in: $0) }
            let new = try edit.bytes.map { try decode(id.bytes, $0.span.bytes) }
            if let instant = old.flatMap(instant) { changes.append((instant, -1)) }
            if let instant = new.flatMap(instant) { changes.append((instant, 1)) }
        }
        return changes
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

    /// Reads the record of a key that is lent from the map and adds it to a list. Returns its hash; nil when there is none.
    func append(_ key: RawSpan, from cursor: inout Cursor, to list: inout [R]) throws -> UInt64? {
        guard try cursor.find(key) else { return nil }
        do {
            return try cursor.withEntry { _, checksummed in
                try records.open(key: key, checksummed: checksummed) { value, hash in
                    try R.append(decoding: key, value, to: &list)
                    return hash
                }
            }
        } catch RecordsError.damagedEntry, RecordsError.unreadableField {
            throw damage(key)
        }
    }

    /// Reads a record as above, but from the edits of a transaction where it has some, in place of the stored record.
    func append(
        _ key: RawSpan, from cursor: inout Cursor, or edits: [KeyBytes: RecordOverlay.Edit], to list: inout [R]
    ) throws -> UInt64? {
        guard !edits.isEmpty, let edit = edits[KeyBytes(copying: key)] else {
            return try append(key, from: &cursor, to: &list)
        }
        guard let bytes = edit.bytes else { return nil }
        list.append(try decode(key, bytes.span.bytes))
        return edit.hash
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

/// A derived table of a collection in an open store.
///
/// It does not depend on the record's type: in generic code, each value whose type depends on a type parameter costs a
/// metadata lookup at run time, which was a fifth of an import's time.
struct BoundPart: Sendable {
    let name: String
    let isShared: Bool
    let isUnique: Bool
    let hasPendingList: Bool
    let table: ChecksummedTable
    /// The version of its declaration.
    let version: UInt32
    /// How many bytes at the end of an entry are the record's id.
    let idWidth: Int
    /// The keys that are pending; nil without a pending list, and in a store that is only read and never had one.
    var pendingList: ChecksummedTable?
}

/// A table that is derived from records.
struct DerivedTable: Sendable {
    enum Kind: Sendable {
        case index
        case rollUp
        case tally
    }

    let part: BoundPart
    let kind: Kind

    var table: ChecksummedTable { part.table }
    /// Its table, and that of its pending list.
    var tables: [ChecksummedTable] { part.pendingList.map { [part.table, $0] } ?? [part.table] }

    /// What `built/` says of a table that was built by this declaration. A program without pending lists takes it
    /// for another version, and builds the index again.
    var version: UInt32 { part.hasPendingList ? part.version | PendingListRow.versionFlag : part.version }

    /// Notes that it was built. The table of its pending list has another note, so that its loss is noticed.
    func noteBuilt(in meta: ChecksummedTable, _ engine: borrowing RawWriteTransaction) throws {
        for table in tables { try meta.put(Meta.builtKey(table.number), Meta.encode(version), in: engine) }
    }
}

/// What the engine does with a collection without knowing its record type: undo, deletion rules, verification, rebuilding.
protocol StoredCollection: AnyObject, Sendable {
    var name: String { get }
    var number: UInt32 { get }
    var isTracked: Bool { get }
    var recordsTable: ChecksummedTable { get }
    /// The indexes, those with several keys, the roll-ups, the tallies.
    var derivedTables: [DerivedTable] { get }
    /// The references to other collections.
    var referrers: [Referrer] { get }

    /// Writes a record from its stored bytes. Throws `refusedRecord` for bytes that are no valid record.
    func put(_ key: KeyBytes, _ value: [UInt8], in transaction: WriteTransaction) throws
    /// Restores an earlier image of a record; nil removes it.
    func restore(_ key: KeyBytes, to image: [UInt8]?, in transaction: WriteTransaction) throws
    /// The fields that `restore` sets by itself, such as a time of change, where an image replaces present bytes.
    func fieldsOfRestoration(
        _ key: KeyBytes, to image: [UInt8], from current: [UInt8], in transaction: WriteTransaction
    ) throws -> UInt64
    /// Deletes a record because the one that it names was deleted.
    func deleteByRule(_ key: KeyBytes, in transaction: WriteTransaction) throws
    /// Sets the field of a reference to nil.
    func clearReference(at position: Int, of key: KeyBytes, in transaction: WriteTransaction) throws
    /// Reads every record and adds what is derived from it, and damage, to the audit.
    func audit(into audit: inout Audit, in transaction: borrowing RawReadTransaction) throws
    /// Adds what is derived from one record, and damage, to the audit. Returns the record's hash; nil when it cannot be read.
    @discardableResult
    func audit(
        _ key: RawSpan, _ checksummed: RawSpan, _ state: EntryState, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws -> UInt64?
    /// What the records that a transaction shows in place of stored ones change of a roll-up.
    func shownInstants(
        inRollUp table: String, in transaction: ReadTransaction
    ) throws -> [(instant: Instant, change: Int)]
    /// Writes what is derived from every readable record into tables that were emptied before.
    func derive(into tables: Set<String>, in transaction: WriteTransaction) throws
    /// An empty batch of records that are being loaded, for these places of `derivedTables`.
    func makeBatch(for places: [Int]) -> any RecordBatch
    /// The entries that a record has in some of the indexes, by their seeds; nil for bytes that are not a valid record of this
    /// collection.
    func indexEntries(of key: KeyBytes, _ value: [UInt8], in seeds: Set<UInt64>) -> IndexEvidence.Entries?
    /// The entries that a record has in the indexes, by their tables; nil for bytes that are not a valid record.
    func indexEntries(of key: KeyBytes, _ value: [UInt8]) -> [(table: ChecksummedTable, entry: KeyBytes)]?
    /// Whether bytes are a valid record of this collection.
    func accepts(_ key: RawSpan, _ value: [UInt8]) -> Bool
    /// Moves unreadable records to the quarantine. Returns their keys, and the count and digest of the others.
    func quarantineDamaged(
        as before: borrowing RawReadTransaction, in transaction: WriteTransaction
    ) throws -> (keys: [KeyBytes], left: RecordCount)
}
