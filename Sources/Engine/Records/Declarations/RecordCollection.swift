import CivilTime

/// The declaration of a record type's storage: its name, its fields and everything that is derived from the records, in one
/// place.
public struct RecordCollection<R: Record>: Sendable {
    /// The name of the table that holds the records. It never changes.
    public let name: String
    /// The declared fields, in the order of their numbers.
    public let fields: [Field]
    /// Whether changes are in the change log. Those of an untracked collection are durable in the same transactions, but
    /// are neither undone nor observed: drafts that are saved every few seconds, settings, bookkeeping.
    public let isTracked: Bool
    let parts: [DerivedPart<R>]

    /// Declares a collection; list the fields, the indexes, the roll-ups, the tallies and the references.
    public init(
        _ name: String, isTracked: Bool = true, @CollectionBuilder<R> _ parts: () -> [CollectionPart<R>] = { [] }
    ) {
        var fields: [Field] = []
        var derived: [DerivedPart<R>] = []
        for part in parts() {
            switch part.content {
            case .field(let field): fields.append(field)
            case .derived(let part): derived.append(part)
            }
        }
        self.name = name
        self.isTracked = isTracked
        self.fields = fields.sorted { $0.number < $1.number }
        self.parts = derived
    }
}

/// A field, an index, a roll-up, a tally or a reference in the declaration of a collection.
public struct CollectionPart<R: Record>: Sendable {
    enum Content: Sendable {
        case field(Field)
        case derived(DerivedPart<R>)
    }

    let content: Content
}

/// How the keys of an index with several for a record are derived.
struct MultiKeys<R: Record>: Sendable {
    let of: @Sendable (R) -> [KeyBytes]
    /// Whether two states of a record surely have the same keys; nil where only the keys show it.
    let areUnchanged: (@Sendable (R, R) -> Bool)?
}

/// A table that is derived from the records of a collection.
struct DerivedPart<R: Record>: Sendable {
    enum Kind: Sendable {
        case index(key: @Sendable (R) -> KeyBytes?)
        case multiIndex(MultiKeys<R>)
        case rollUp(instant: @Sendable (R) -> Instant?, indexName: String)
        case tally(share: @Sendable (R) -> TallyShare?)

        var hasSeveralKeys: Bool { if case .multiIndex = self { true } else { false } }
    }

    let name: String
    let isShared: Bool
    let version: UInt32
    /// Whether two records may not have the same key.
    var isUnique = false
    /// Whether errors may show keys of it: not when a user's text may be part of them.
    var showsKeys = true
    /// Whether the keys of new records go to a pending list first: see `PendingListRow`.
    var hasPendingList = false
    /// How many bytes a key has at most, without the record's id.
    var keyWidth = 0
    /// The parts of a key. A closure: only inspection needs them.
    var keyParts: @Sendable () -> [KeyPart] = { [] }
    let kind: Kind
    /// The rule of a reference, whose index this is.
    var reference: ReferenceRule<R>?

    func tableName(in collection: String) -> String { isShared ? name : "\(collection).\(name)" }

    /// The names of the tables that it has.
    func tableNames(in collection: String) -> [String] {
        let name = tableName(in: collection)
        return hasPendingList ? [name, PendingListRow.tableName(of: name)] : [name]
    }
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
        CollectionPart(content: .derived(part(index)))
    }

    /// A roll-up.
    public static func buildExpression(_ rollUp: RollUp<R>) -> CollectionPart<R> {
        CollectionPart(
            content: .derived(
                DerivedPart(
                    name: rollUp.name, isShared: rollUp.index.isShared, version: rollUp.index.version,
                    kind: .rollUp(instant: rollUp.instant, indexName: rollUp.index.name))))
    }

    /// A tally.
    public static func buildExpression<Key>(_ tally: Tally<R, Key>) -> CollectionPart<R> {
        CollectionPart(
            content: .derived(
                DerivedPart(
                    name: tally.name, isShared: false, version: tally.version, showsKeys: Key.isShownInErrors,
                    keyWidth: Key.width, kind: .tally { record in tally.share(of: record) })))
    }

    /// A reference, with its index.
    public static func buildExpression<Target>(_ reference: Reference<R, Target>) -> CollectionPart<R> {
        var part = part(reference.index)
        part.reference = ReferenceRule(reference)
        return CollectionPart(content: .derived(part))
    }

    private static func part<Key>(_ index: Index<R, Key>) -> DerivedPart<R> {
        let kind: DerivedPart<R>.Kind
        switch index.keys {
        case .one(let key): kind = .index { record in key(record)?.keyBytes }
        case .several(let keys, let areUnchanged):
            kind = .multiIndex(MultiKeys(of: { KeyBytes.all(of: keys($0)) }, areUnchanged: areUnchanged))
        }
        return DerivedPart(
            name: index.name, isShared: index.isShared, version: index.version, isUnique: index.isUnique,
            showsKeys: Key.isShownInErrors, hasPendingList: index.hasPendingList, keyWidth: Key.width,
            keyParts: { Key.parts }, kind: kind)
    }

    /// All parts.
    public static func buildBlock(_ parts: CollectionPart<R>...) -> [CollectionPart<R>] { parts }
}
