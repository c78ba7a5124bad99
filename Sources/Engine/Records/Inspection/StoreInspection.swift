import CivilTime
import FoundationEssentials
import KeyValue

/// A store's content without its record types, at one moment: collections by their declared fields, records in the order of any
/// index, and the change log. For tools that show stores, also those of applications that they do not know.
///
///     try store.inspect { inspection in
///         for collection in try inspection.collections() { print(collection.name, collection.count) }
///     }
///
/// Valid inside its closure only.
public struct StoreInspection {
    /// A value of a field or of a part of a key.
    public enum Value: Sendable, Hashable {
        /// No day, in a key.
        case none
        /// A text; of a long one in a key, the beginning and an ellipsis.
        case text(String)
        /// Bytes of which nothing else is known.
        case bytes([UInt8])
        /// A number.
        case integer(Int64)
        /// A number beyond those.
        case unsigned(UInt64)
        /// A floating-point number.
        case double(Double)
        /// A Boolean.
        case boolean(Bool)
        /// An instant.
        case instant(Instant)
        /// A day.
        case day(Day)
        /// A UUID.
        case uuid(UUID)
        /// A case of an enumeration, with its name if the declaration has one.
        case enumeration(UInt8, name: String?)
    }

    /// Where the declaration of a collection is from.
    public enum Declaration: String, Sendable, Hashable {
        /// This program has the record type.
        case program
        /// The program that wrote the records noted it in the store.
        case store
        /// There is none: a version before such notes wrote the records, or another one restored them.
        case missing
    }

    /// A collection of the store.
    public struct CollectionSummary: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// How many records it has.
        public let count: Int
        /// Where its fields and keys are known from.
        public let declaration: Declaration
        /// The declared fields, in the order of their numbers.
        public let fields: [Field]
        /// The parts of a record's key; empty if they are not known.
        public let key: [KeyPart]
        /// The indexes.
        public let indexes: [IndexSummary]
    }

    /// An index of a collection.
    public struct IndexSummary: Sendable, Hashable {
        /// The name of its table.
        public let name: String
        /// The parts of its keys; empty if they are not known.
        public let key: [KeyPart]
        /// Whether two records may not have the same key.
        public let isUnique: Bool
    }

    /// A field as it is stored.
    public struct StoredField: Sendable, Hashable {
        /// Its number.
        public let number: Int
        /// Its name; nil if it is not declared.
        public let name: String?
        /// Its value. That of a field that is not declared is what its bytes look like.
        public let value: Value
    }

    /// A record as it is stored.
    public struct StoredRecord: Sendable, Hashable {
        /// The bytes of its key.
        public let key: [UInt8]
        /// The parts of its key.
        public let id: [Value]
        /// The fields that are stored. Fields that have their default are not.
        public let fields: [StoredField]
        /// How many bytes its fields take up.
        public let byteCount: Int
        /// Whether its checksum is wrong, so that nothing of it is shown.
        public let isDamaged: Bool
    }

    /// A row of a page of records.
    public struct Row: Sendable, Hashable {
        /// The key in the index by which it is sorted, or the record's own.
        public let place: [Value]
        /// The record's key.
        public let key: [UInt8]
        /// The record; nil for an entry of an index that names none.
        public let record: StoredRecord?
    }

    /// Rows in the order of a collection or of an index.
    public struct RowPage: Sendable, Hashable {
        /// The rows. A record with several keys in an index has several.
        public var rows: [Row]
        /// The entry after which the next page begins; nil if this is the last one.
        public var next: [UInt8]?
    }

    /// An entry of a record in an index.
    public struct IndexEntry: Sendable, Hashable {
        /// The name of the index.
        public let index: String
        /// The parts of its key.
        public let key: [Value]
        /// Whether the index has it, as it should.
        public let isThere: Bool
    }

    let transaction: ReadTransaction
    /// The tables that were opened for this, by name, besides those of the schema.
    let tables: [String: ChecksummedTable]
    let stored: StoredTables
    /// The names of all tables.
    let names: [String]
    let hides: (String) -> Bool

    var schema: BoundSchema { transaction.schema }
}

extension RecordStore {
    /// Reads the store from one consistent moment, without its record types.
    ///
    /// - Parameter isHidden: the names of the collections of which nothing is shown.
    /// - Throws: `damaged` where records are counted that have no table; what the closure throws.
    package func inspect<Result>(
        hiding isHidden: @escaping (String) -> Bool = { _ in false }, _ body: (StoreInspection) throws -> Result
    ) throws -> Result {
        // A table must be opened before the transaction that reads it begins.
        while true {
            let opened = try rethrowing {
                let known = Set(declaredSchema.tableNames)
                let all = try environment.read { try $0.tableNames() }
                return try environment.openPresentTables(all.filter { !known.contains($0) })
            }
            let result: Result? = try read { transaction in
                let found: StoreInspection? = try transaction.withEngine { engine in
                    let names = try engine.tableNames()
                    var tables = Dictionary(
                        opened.map { ($0.name, ChecksummedTable($0)) }, uniquingKeysWith: { first, _ in first })
                    for table in [schema.meta, schema.changes] { tables[table.name] = table }
                    if let quarantine = schema.quarantine { tables[quarantine.table.name] = quarantine.table }
                    for collection in schema.collections {
                        for table in [collection.recordsTable] + collection.derivedTables.flatMap(\.tables) {
                            tables[table.name] = table
                        }
                    }
                    let stored = try StoredTables(in: engine, of: schema, path: path)
                    // Another process has created one in between.
                    guard stored.counts.keys.allSatisfy({ tables[$0] != nil }) else { return nil }
                    return StoreInspection(
                        transaction: transaction, tables: tables, stored: stored, names: names, hides: isHidden)
                }
                return try found.map(body)
            }
            if let result { return result }
        }
    }
}

extension StoreInspection {
    /// Whether nothing of a collection is shown now.
    public func isHidden(_ collection: String) -> Bool { hides(collection) }

    /// The store's id; nil for a store of an earlier version that was never opened for writing since.
    public var storeID: UUID? {
        get throws {
            try transaction.withEngine { engine in
                try schema.meta.get(Meta.storeKey, in: engine) { value, _ in try? UUID(keyArray: value.copied) } ?? nil
            }
        }
    }

    /// Every table with its size, also of collections of other programs.
    ///
    /// - Parameter pageSize: how many bytes a page has.
    public func tableSizes(pageSize: Int) throws -> [StoreInformation.TableSize] {
        try transaction.withEngine { engine in
            try tables.values.sorted { $0.name < $1.name }.map { table in
                StoreInformation.TableSize(
                    name: table.name, entries: try engine.entryCount(of: table.table),
                    bytes: try engine.pageCount(of: table.table) * pageSize)
            }
        }
    }

    /// Every collection that has records or is declared by this program, by name, without hidden ones.
    public func collections() throws -> [CollectionSummary] {
        let declared = schema.declared.map(\.name).filter { tables[$0] != nil }
        return try Set(declared).union(stored.counts.keys).sorted().compactMap { try collection($0) }
    }

    /// A collection; nil when there is none of this name, or it is hidden.
    public func collection(_ name: String) throws -> CollectionSummary? {
        guard !isHidden(name), let table = tables[name] else { return nil }
        let declared = schema.declared.first { $0.name == name }
        guard declared != nil || stored.counts[name] != nil else { return nil }
        return try transaction.withEngine { engine in
            let count = try engine.entryCount(of: table.table)
            if let declared { return summary(name, count, .program, declared.layout()) }
            let noted = try? schema.meta.get(Meta.declaredKey(Checksum.collectionNumber(of: name)), in: engine) {
                value, _ in CollectionLayout(decoding: value.copied)
            }
            if let layout = noted ?? nil { return summary(name, count, .store, layout) }
            return summary(
                name, count, .missing, CollectionLayout(fields: [], key: [], indexes: try guess(name, engine)))
        }
    }

    private func summary(
        _ name: String, _ count: Int, _ declaration: Declaration, _ layout: CollectionLayout
    ) -> CollectionSummary {
        CollectionSummary(
            name: name, count: count, declaration: declaration, fields: layout.fields, key: layout.key,
            indexes: layout.indexes.map {
                IndexSummary(name: $0.isShared ? $0.name : "\(name).\($0.name)", key: $0.key, isUnique: $0.isUnique)
            }.filter { tables[$0.name] != nil })
    }

    /// The tables named after a collection whose entries have no values: they are indexes.
    private func guess(
        _ name: String, _ engine: borrowing RawReadTransaction
    ) throws -> [CollectionLayout.IndexLayout] {
        var found: [CollectionLayout.IndexLayout] = []
        for table in names.compactMap({ tables[$0] }) where table.name.hasPrefix(name + ".") {
            var isIndex = false
            try table.forEachEntry(in: engine) { _, checksummed in
                isIndex = checksummed.byteCount == Checksum.byteCount
                return false
            }
            guard isIndex else { continue }
            let short = String(table.name.dropFirst(name.count + 1))
            found.append(CollectionLayout.IndexLayout(name: short, isShared: false, isUnique: false, key: []))
        }
        return found
    }
}
