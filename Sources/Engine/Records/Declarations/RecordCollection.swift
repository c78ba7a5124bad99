import CivilTime

/// The declaration of a record type's storage: its name, its fields, its indexes and its roll-ups, in one place.
public struct RecordCollection<R: Record>: Sendable {
    /// The name of the table that holds the records. It never changes.
    public let name: String
    /// The declared fields, in the order of their numbers.
    public let fields: [Field]
    let parts: [DerivedPart<R>]

    /// Declares a collection; list the fields, the indexes and the roll-ups.
    public init(_ name: String, @CollectionBuilder<R> _ parts: () -> [CollectionPart<R>] = { [] }) {
        var fields: [Field] = []
        var derived: [DerivedPart<R>] = []
        for part in parts() {
            switch part.content {
            case .field(let field): fields.append(field)
            case .derived(let part): derived.append(part)
            }
        }
        self.name = name
        self.fields = fields.sorted { $0.number < $1.number }
        self.parts = derived
    }
}

/// A field, an index or a roll-up in the declaration of a collection.
public struct CollectionPart<R: Record>: Sendable {
    enum Content: Sendable {
        case field(Field)
        case derived(DerivedPart<R>)
    }

    let content: Content
}

/// An index or a roll-up in the declaration of a collection.
struct DerivedPart<R: Record>: Sendable {
    enum Kind: Sendable {
        case index(key: @Sendable (R) -> KeyBytes?)
        case rollUp(instant: @Sendable (R) -> Instant?, indexName: String)
    }

    let name: String
    let isShared: Bool
    let version: UInt32
    let kind: Kind

    func tableName(in collection: String) -> String { isShared ? name : "\(collection).\(name)" }
}

/// Lets a collection be declared as a list of its fields, indexes and roll-ups.
@resultBuilder
public enum CollectionBuilder<R: Record> {
    /// A field.
    public static func buildExpression(_ field: Field) -> CollectionPart<R> {
        CollectionPart(content: .field(field))
    }

    /// An index of any key.
    public static func buildExpression<Key>(_ index: Index<R, Key>) -> CollectionPart<R> {
        CollectionPart(
            content: .derived(
                DerivedPart(
                    name: index.name, isShared: index.isShared, version: index.version,
                    kind: .index { record in index.key(record)?.keyBytes })))
    }

    /// A roll-up.
    public static func buildExpression(_ rollUp: RollUp<R>) -> CollectionPart<R> {
        CollectionPart(
            content: .derived(
                DerivedPart(
                    name: rollUp.name, isShared: rollUp.index.isShared, version: rollUp.index.version,
                    kind: .rollUp(instant: rollUp.index.key, indexName: rollUp.index.name))))
    }

    /// All parts.
    public static func buildBlock(_ parts: CollectionPart<R>...) -> [CollectionPart<R>] { parts }
}

/// Ordered keys derived from records, kept in the same transaction.
///
/// Declare it as a constant of the record type and name it in the collection; queries take the constant, so that a
/// typing error does not compile:
///
///     static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
public struct Index<R: Record, Key: OrderedKey>: Sendable {
    let name: String
    let isShared: Bool
    let version: UInt32
    let key: @Sendable (R) -> Key?

    /// An index of a collection's own, kept in the table `<collection>.<name>`.
    ///
    /// - Parameters:
    ///   - version: raise it when `key` changes its meaning; the index is then rebuilt at the next open.
    ///   - key: the key that the record is sorted by; nil leaves the record out.
    public init(_ name: String, version: UInt32 = 1, _ key: @escaping @Sendable (R) -> Key?) {
        self.init(name: name, isShared: false, version: version, key)
    }

    /// An index that several collections feed under one name, so that a record which moves from one to the other (a
    /// task and its tombstone) keeps its entry.
    public init(shared name: String, version: UInt32 = 1, _ key: @escaping @Sendable (R) -> Key?) {
        self.init(name: name, isShared: true, version: version, key)
    }

    private init(name: String, isShared: Bool, version: UInt32, _ key: @escaping @Sendable (R) -> Key?) {
        self.name = name
        self.isShared = isShared
        self.version = version
        self.key = key
    }

    /// The table that holds the entries.
    public var tableName: String { isShared ? name : "\(R.collection.name).\(name)" }
}

/// Counts of records by time, kept in the same transaction: a day of UTC and its quarters of an hour.
///
/// A count over any range costs a few small reads, however much is stored (decision D3). It is declared over an index
/// of the instants, which settles the ends that do not fall on a quarter of an hour:
///
///     static let perDay = RollUp("perDay", over: byTime)
public struct RollUp<R: Record>: Sendable {
    let name: String
    let index: Index<R, Instant>

    /// Counts the entries of an index by time. Shared between collections if the index is.
    public init(_ name: String, over index: Index<R, Instant>) {
        self.name = name
        self.index = index
    }

    /// The table that holds the counts.
    public var tableName: String { index.isShared ? name : "\(R.collection.name).\(name)" }
}
