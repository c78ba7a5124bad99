import CivilTime

/// The declaration of what is stored of a record type: its name, its indexes and its roll-ups, in one place.
public struct RecordCollection<R: Record>: Sendable {
    /// The table that holds the records. It keeps this name for ever.
    public let name: String
    let parts: [CollectionPart<R>]

    /// Declares a collection; list the indexes and roll-ups.
    public init(_ name: String, @CollectionBuilder<R> _ parts: () -> [CollectionPart<R>] = { [] }) {
        self.name = name
        self.parts = parts()
    }
}

/// An index or a roll-up in the declaration of a collection.
public struct CollectionPart<R: Record>: Sendable {
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

/// Lets a collection be declared as a list of its indexes and roll-ups.
@resultBuilder
public enum CollectionBuilder<R: Record> {
    /// An index of any key.
    public static func buildExpression<Key>(_ index: Index<R, Key>) -> CollectionPart<R> {
        CollectionPart(
            name: index.name, isShared: index.isShared, version: index.version,
            kind: .index { record in index.key(record)?.keyBytes })
    }

    /// A roll-up.
    public static func buildExpression(_ rollUp: RollUp<R>) -> CollectionPart<R> {
        CollectionPart(
            name: rollUp.name, isShared: rollUp.index.isShared, version: rollUp.index.version,
            kind: .rollUp(instant: rollUp.index.key, indexName: rollUp.index.name))
    }

    /// All parts.
    public static func buildBlock(_ parts: CollectionPart<R>...) -> [CollectionPart<R>] { parts }
}
