import CivilTime

/// Ordered keys derived from records, kept in the same transaction.
///
/// Declare it as a constant of the record type and name it in the collection; queries take the constant, so that a
/// typing error does not compile:
///
///     static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
///     static let byName = Index<Sensor, TextKey>("byName", isUnique: true) { TextKey($0.name) }
///     static let byTag = Index<Sensor, TextKey>(each: "byTag") { $0.tags.map { TextKey($0) } }
///     static let newestFirst = Index<Reading, Descending<Instant>>("newestFirst") { Descending($0.takenAt) }
public struct Index<R: Record, Key: OrderedKey>: Sendable {
    /// How a record's keys are derived.
    enum Keys: Sendable {
        case one(@Sendable (R) -> Key?)
        case several(@Sendable (R) -> [Key], areUnchanged: (@Sendable (R, R) -> Bool)?)
    }

    let name: String
    let isShared: Bool
    let isUnique: Bool
    let version: UInt32
    let keys: Keys
    /// Whether the keys of new records go to a pending list first, to be put into the index together.
    let hasPendingList: Bool

    /// An index of a collection's own, kept in the table `<collection>.<name>`.
    ///
    /// - Parameters:
    ///   - version: raise it when `key` changes its meaning; the index is then rebuilt at the next open.
    ///   - isUnique: whether two records may not have the same key. It is checked at the end of each transaction, which
    ///     fails with `duplicateKey`, so that two records can exchange their keys.
    ///   - key: the key that the record is sorted by; nil leaves the record out.
    public init(
        _ name: String, version: UInt32 = 1, isUnique: Bool = false, _ key: @escaping @Sendable (R) -> Key?
    ) {
        self.init(name: name, isShared: false, isUnique: isUnique, version: version, keys: .one(key))
    }

    /// An index with several keys for a record, such as its tags or the words of its text. Equal keys of one record count
    /// once.
    ///
    /// - Parameters:
    ///   - hasPendingList: whether the keys of new records go to a pending list first, one row for each record, and from there
    ///     into the index together when it has 128 rows. For many keys that are far from each other, such as words: a new
    ///     record then writes one page for them instead of one for each. What is found is the same; reading also looks at the
    ///     pending list. Not for unique keys.
    ///   - areUnchanged: whether two states of a record surely have the same keys. Give it where comparing what the
    ///     keys are made of costs less than making them, so that a change of something else does not.
    public init(
        each name: String, version: UInt32 = 1, isUnique: Bool = false, hasPendingList: Bool = false,
        unless areUnchanged: (@Sendable (R, R) -> Bool)? = nil, _ keys: @escaping @Sendable (R) -> [Key]
    ) {
        self.init(
            name: name, isShared: false, isUnique: isUnique, version: version,
            keys: .several(keys, areUnchanged: areUnchanged), hasPendingList: hasPendingList)
    }

    /// An index that several collections feed under one name, so that a record which moves from one to the other (a
    /// task and its tombstone) keeps its entry.
    public init(shared name: String, version: UInt32 = 1, _ key: @escaping @Sendable (R) -> Key?) {
        self.init(name: name, isShared: true, isUnique: false, version: version, keys: .one(key))
    }

    private init(
        name: String, isShared: Bool, isUnique: Bool, version: UInt32, keys: Keys, hasPendingList: Bool = false
    ) {
        self.name = name
        self.isShared = isShared
        self.isUnique = isUnique
        self.version = version
        self.keys = keys
        self.hasPendingList = hasPendingList
    }

    /// The table that holds the entries.
    public var tableName: String { isShared ? name : "\(R.collection.name).\(name)" }

    /// Whether a record can have more than one key.
    var hasSeveralKeys: Bool {
        if case .several = keys { true } else { false }
    }

    /// The record's keys. An index with several can return one more than once.
    func keys(of record: R) -> [Key] {
        switch keys {
        case .one(let key): key(record).map { [$0] } ?? []
        case .several(let keys, _): keys(record)
        }
    }
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

    /// When a record counts.
    var instant: @Sendable (R) -> Instant? {
        switch index.keys {
        case .one(let key): key
        // Refused when a store is opened with it: see `RecordCollection.check(in:)`.
        case .several: { _ in nil }
        }
    }

    /// Counts the entries of an index by time. Shared between collections if the index is.
    public init(_ name: String, over index: Index<R, Instant>) {
        self.name = name
        self.index = index
    }

    /// The table that holds the counts.
    public var tableName: String { index.isShared ? name : "\(R.collection.name).\(name)" }
}
