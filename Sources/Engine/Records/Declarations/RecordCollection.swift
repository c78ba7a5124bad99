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
