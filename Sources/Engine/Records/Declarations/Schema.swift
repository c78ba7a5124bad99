import Injection
import KeyValue

/// The collections that a store is opened with.
public struct Schema: Sendable {
    /// Raise it when a new version of the program writes what an older one would misread. Adding a field, an index, a
    /// roll-up or a collection needs no new number.
    public let version: UInt32
    private(set) var collections: [AnyCollection] = []
    private(set) var operations: [OperationDeclaration] = []
    private(set) var followers: [any TransactionObserver] = []
    /// The versions of the domains that it was put together from, by their names.
    private(set) var domains: [String: UInt32] = [:]

    /// A schema of no collection yet.
    ///
    /// - Parameter domain: the permanent name of what the collections belong to. A store that a newer version of this domain
    ///   has written is refused; one that a newer version of another domain has written is not. Without a name, the version
    ///   is that of the store.
    public init(domain: String? = nil, version: UInt32 = 1) {
        self.version = domain == nil ? version : 1
        if let domain { domains = [domain: version] }
    }

    /// The schema with a collection more.
    public func adding<R: Record>(_ collection: RecordCollection<R>) -> Schema {
        var schema = self
        schema.collections.append(AnyCollection(collection, isOfApplication: domains.isEmpty))
        return schema
    }

    /// The schema with declared operations.
    public func declaring(_ operations: OperationDeclaration...) -> Schema { declaring(operations) }

    /// The schema with declared operations.
    public func declaring(_ operations: [OperationDeclaration]) -> Schema {
        var schema = self
        schema.operations += operations
        return schema
    }

    /// The schema with a part of the program that takes part in every transaction.
    package func following(_ follower: any TransactionObserver) -> Schema {
        var schema = self
        schema.followers.append(follower)
        return schema
    }

    /// The schema with the collections and operations of another one.
    public func adding(_ other: Schema) -> Schema {
        var schema = Schema(version: max(version, other.version))
        schema.collections = collections + other.collections
        schema.operations = operations + other.operations
        schema.followers = followers + other.followers
        schema.domains = domains.merging(other.domains) { max($0, $1) }
        return schema
    }

    /// The names of the collections, in the order in which they were added.
    package var collectionNames: [String] { collections.map(\.name) }

    /// Refuses names that would put two kinds of entries into one table, before anything is opened or created.
    func check() throws(RecordsError) {
        let names = operations.map(\.name)
        guard Set(names).count == names.count, names.allSatisfy({ 1...60 ~= $0.utf8.count }) else {
            throw .badDeclaration("the names of operations must differ, and have 1 to 60 bytes")
        }
        guard domains.keys.allSatisfy({ 1...32 ~= $0.utf8.count }) else {
            throw .badDeclaration("the name of a domain must have 1 to 32 bytes")
        }
        var own: Set<String> = [Meta.tableName, ChangeLog.tableName, Quarantine.tableName]
        for collection in collections {
            guard !collection.name.isEmpty, own.insert(collection.name).inserted else {
                throw .badDeclaration("the name \(collection.name) is taken; a collection is listed once")
            }
        }
        for collection in collections {
            try collection.declaration.check()
            try collection.check(self)
            for name in collection.tableNames.dropFirst() where own.contains(name) {
                throw .badDeclaration(
                    "a part of \(collection.name) has the name of another table, \(name)")
            }
        }
    }

    /// The names of all tables that a store of this schema has.
    public var tableNames: [String] {
        var names = [Meta.tableName, ChangeLog.tableName, Quarantine.tableName]
        var known = Set(names)
        for name in collections.flatMap(\.tableNames) where known.insert(name).inserted { names.append(name) }
        return names
    }
}

/// A collection of any record type, to be bound to the tables of an open store.
struct AnyCollection: Sendable {
    let name: String
    let type: ObjectIdentifier
    let tableNames: [String]
    let declaration: CollectionDeclaration
    let isTracked: Bool
    /// Whether it belongs to no domain: the store then keeps its layout, for programs that have no types for it.
    let isOfApplication: Bool
    let layout: @Sendable () -> CollectionLayout
    /// The collection whose deleted records this one has a trace of.
    let tombstonesOf: String?
    let bind: @Sendable ([String: ChecksummedTable]) throws(RecordsError) -> any StoredCollection
    /// Refuses declarations that cannot be kept.
    let check: @Sendable (Schema) throws(RecordsError) -> Void

    init<R: Record>(_ collection: RecordCollection<R>, isOfApplication: Bool) {
        name = collection.name
        self.isOfApplication = isOfApplication
        layout = { collection.layout }
        check = { schema throws(RecordsError) in try collection.check(in: schema) }
        type = ObjectIdentifier(R.self)
        isTracked = collection.isTracked
        tombstonesOf = (R.self as? any TombstoneRecord.Type)?.recordsOfTombstones
        tableNames = [collection.name] + collection.parts.flatMap { $0.tableNames(in: collection.name) }
        declaration = collection.declaration
        bind = { tables throws(RecordsError) in try BoundCollection(collection, tables: tables) }
    }
}

extension RecordCollection {
    fileprivate func check(in schema: Schema) throws(RecordsError) {
        guard R.ID.hasFixedWidth else { throw .badDeclaration("the ids of \(name) must all have the same length") }
        for part in parts {
            guard part.keyWidth + R.ID.width <= 64 else {
                throw .badDeclaration("the keys of \(part.tableName(in: name)) can be longer than 64 bytes with the id")
            }
            if part.hasPendingList, part.isUnique {
                throw .badDeclaration(
                    "the keys of \(part.tableName(in: name)) cannot be unique and have a pending list")
            }
            if case .rollUp(_, let indexName) = part.kind,
                parts.contains(where: { $0.name == indexName && $0.kind.hasSeveralKeys })
            {
                throw .badDeclaration("the roll-up \(part.tableName(in: name)) is over an index with several keys")
            }
            guard let rule = part.reference else { continue }
            guard let target = schema.collections.first(where: { $0.name == rule.target() }) else {
                throw .badDeclaration("\(part.tableName(in: name)) refers to \(rule.target()), which is not listed")
            }
            // Undoing a deletion would bring back records that refer to nothing.
            guard target.isTracked || !isTracked else {
                throw .badDeclaration("\(name) is tracked and refers to \(target.name), which is not")
            }
        }
    }
}

/// The schema with the tables of an open store.
final class BoundSchema: Sendable {
    let version: UInt32
    let meta: ChecksummedTable
    let changes: ChecksummedTable
    /// The quarantine of rebuilds; nil in a read-only store that was never written by a version that has it.
    let quarantine: Quarantine?
    let collections: [any StoredCollection]
    /// The tables of what is derived, by their names.
    let derivedTables: [String: ChecksummedTable]
    let injectionPoint: ArmedInjectionPoints
    /// How many rows a pending list has at most.
    let pendingListLimit: Int
    let domains: [String: UInt32]
    let operations: [String: OperationDeclaration]
    let followers: [any TransactionObserver]
    /// The collections as they were declared, also those that have no table yet.
    let declared: [AnyCollection]
    private let formerOperations: [UInt8: String]
    /// The references to each collection, by its number.
    let referrers: [UInt32: [Referrer]]
    /// Of a collection the one that has its tombstones, and the other way around.
    let twins: [UInt32: UInt32]
    /// The names of the collections that have no table yet, in a store that is only read.
    private let absent: Set<String>
    private let byType: [ObjectIdentifier: any StoredCollection]
    private let byNumber: [UInt32: any StoredCollection]

    init(
        _ schema: Schema, tables opened: [String: Table], injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints(),
        pendingListLimit: Int = PendingListRow.limit
    ) throws(RecordsError) {
        let tables = opened.mapValues { ChecksummedTable($0, isChecked: !injectionPoint(.ignoresChecksums)) }
        self.injectionPoint = injectionPoint
        self.pendingListLimit = pendingListLimit
        guard let meta = tables[Meta.tableName], let changes = tables[ChangeLog.tableName] else {
            throw .badDeclaration("a table is missing")
        }
        version = schema.version
        domains = schema.domains
        followers = schema.followers
        declared = schema.collections
        operations = Dictionary(schema.operations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        formerOperations = Dictionary(
            schema.operations.compactMap { operation in operation.formerNumber.map { ($0, operation.name) } },
            uniquingKeysWith: { first, _ in first })
        quarantine = tables[Quarantine.tableName].map(Quarantine.init)
        self.meta = meta
        self.changes = changes
        var collections: [any StoredCollection] = []
        var byType: [ObjectIdentifier: any StoredCollection] = [:]
        var byNumber: [UInt32: any StoredCollection] = [:]
        var absent: Set<String> = []
        for collection in schema.collections {
            // A reader does without a collection that the store never had.
            guard tables[collection.name] != nil else {
                absent.insert(collection.name)
                continue
            }
            let bound = try collection.bind(tables)
            guard byNumber[bound.number] == nil else {
                throw .badDeclaration("the collection \(collection.name) is listed twice, or its name must be another")
            }
            collections.append(bound)
            byType[collection.type] = bound
            byNumber[bound.number] = bound
        }
        self.collections = collections
        derivedTables = Dictionary(
            collections.flatMap(\.derivedTables).map { ($0.table.name, $0.table) },
            uniquingKeysWith: { first, _ in first })
        self.absent = absent
        referrers = Dictionary(grouping: collections.flatMap(\.referrers), by: \.target)
        var twins: [UInt32: UInt32] = [:]
        for collection in schema.collections {
            guard let other = collection.tombstonesOf.map(Checksum.collectionNumber) else { continue }
            let own = Checksum.collectionNumber(of: collection.name)
            (twins[own], twins[other]) = (other, own)
        }
        self.twins = twins
        self.byType = byType
        self.byNumber = byNumber
    }

    func collection<R: Record>(of type: R.Type) throws(RecordsError) -> BoundCollection<R> {
        guard let bound = byType[ObjectIdentifier(type)] as? BoundCollection<R> else {
            let name = R.collection.name
            throw absent.contains(name) ? .engine(.tableMissing(name: name)) : .unknownCollection(name: name)
        }
        return bound
    }

    /// The label of a row; the name of an operation that was stored as a number is that of the declaration.
    func label(of row: ChangeRow) -> ChangeLabel {
        var label = row.label
        if let number = row.formerOperation { label.operation = formerOperations[number] ?? "" }
        return label
    }

    /// The layouts of the collections of applications, as they are stored.
    var storedLayouts: [(collection: UInt32, layout: [UInt8])] {
        declared.filter(\.isOfApplication).map { (Checksum.collectionNumber(of: $0.name), $0.layout().encoded) }
    }

    func collection(number: UInt32) -> (any StoredCollection)? { byNumber[number] }
}
