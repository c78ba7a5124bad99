import CivilTime

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
    ///   - version: raise it when `key` changes its meaning; the index is then built anew at the next open.
    ///   - key: what the record is sorted by; nil leaves it out.
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
