import Records

/// How the records of one collection are divided for merging: the declaration that makes a record type take part in sync.
///
///     SyncedCollection(Reading.self, createdAt: 2, updatedAt: 3) {
///         FieldGroup(2, "value", fields: [1])
///         FieldGroup(3, "place", fields: [4, 5])
///     }
///
/// Edits of different units of one record are both kept; of edits of the same unit the later one stays. Numbers and fields of a
/// unit are permanent, as the numbers of fields are.
public struct SyncedCollection: Sendable {
    /// The collection's name and number.
    let name: String
    let number: UInt32
    /// The units besides existence (0) and base (1), ascending.
    private(set) var units: [FieldGroup]
    /// The field with the time of creation, of which the smallest is kept; nil for a type without one.
    let createdAt: Int?
    /// The field with the time of the last change, of which the largest is kept; nil for a type without one.
    let updatedAt: Int?
    /// The collection whose records stand for deleted ones of the same id.
    let tombstones: (name: String, number: UInt32)?
    /// The fields that name a record of another collection, which may be missing here.
    let references: [MergeReference]
    /// The records without which one of this collection cannot be there. While one is missing, it is kept beside its stamps.
    let parents: [MergeParent]
    /// Whether the collection takes part only where a person has switched journals on.
    let isOfJournals: Bool
    /// The name of the stamps' collection.
    let stamps: (name: String, number: UInt32)
    /// The schema with the stamps' collection.
    let schema: Schema

    /// Declares how the records of a type are merged.
    public init<R: Record>(
        _ type: R.Type, createdAt: Int? = nil, updatedAt: Int? = nil, @FieldGroupBuilder _ units: () -> [FieldGroup]
    ) {
        self.init(
            type, createdAt: createdAt, updatedAt: updatedAt, tombstones: nil, units)
    }

    init<R: Record>(
        _ type: R.Type, createdAt: Int?, updatedAt: Int?, tombstones: (name: String, number: UInt32)?,
        references: [MergeReference] = [], parents: [MergeParent] = [], isOfJournals: Bool = false,
        @FieldGroupBuilder _ units: () -> [FieldGroup]
    ) {
        name = R.collection.name
        number = R.collection.number
        self.units = units().sorted { $0.number < $1.number }
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.tombstones = tombstones
        self.references = references
        self.parents = parents
        self.isOfJournals = isOfJournals
        let stamps = RecordStamps<R>.collection
        self.stamps = (stamps.name, stamps.number)
        schema = Schema(domain: "sync").adding(stamps)
    }

    /// Returns the collection as an older version of the program declared it, which does not know some units.
    func without(_ numbers: Set<UInt16>) -> SyncedCollection {
        var older = self
        older.units.removeAll { numbers.contains($0.number) }
        return older
    }

    func unit(_ number: UInt16) -> FieldGroup? { units.first { $0.number == number } }

    /// The unit of a change of nothing but the time of change.
    var touch: FieldGroup? { units.first { $0.rule == .touch } }

    /// Whether this version can merge a unit of this number.
    func knows(_ number: UInt16) -> Bool {
        number == SyncUnit.existence || number == SyncUnit.base || unit(number) != nil
    }

    /// The fields that a base sets whatever other units there are.
    func isInNoUnit(_ field: Int) -> Bool {
        field != updatedAt && !units.contains { $0.fields.contains(field) }
    }
}

/// Some fields of a record that are merged as one value.
public struct FieldGroup: Sendable, Hashable {
    /// How two values of a unit are merged.
    enum Rule: Sendable, Hashable {
        /// The latest one stays.
        case latest
        /// `done` in the field `state` stays, until it is reopened, which raises `epoch`.
        case completion(state: Int, done: UInt8, epoch: Int)
        /// A place within another unit, which counts while that one is what it was when the place was taken.
        case placed(in: UInt16)
        /// Nothing but the time of the last change, where no other unit has changed.
        case touch
    }

    /// The permanent number, 2 to 65,535, on the wire and in the stamps.
    public let number: UInt16
    /// The name, for documentation and reports of conflicts.
    public let name: String
    /// The numbers of the fields.
    public let fields: [Int]
    let rule: Rule
    /// Whether a value that is replaced by another device's is kept in the log of conflicts: texts that a person wrote.
    let keepsLosers: Bool

    /// A unit whose latest value stays.
    ///
    /// - Parameter keepsLosers: whether a value that loses against another device's is kept in the log of conflicts.
    public init(_ number: UInt16, _ name: String, fields: [Int], keepsLosers: Bool = false) {
        self.init(number, name, fields: fields, rule: .latest, keepsLosers: keepsLosers)
    }

    init(_ number: UInt16, _ name: String, fields: [Int], rule: Rule, keepsLosers: Bool = false) {
        self.number = number
        self.name = name
        self.fields = fields
        self.rule = rule
        self.keepsLosers = keepsLosers
    }

    /// Bit n for field n.
    var mask: UInt64 { fields.reduce(0) { $0 | 1 << UInt64($1) } }
}

/// A field that names a record of another collection. While that record is missing, the field reads as nil here, and what it
/// named is kept beside the record.
struct MergeReference: Sendable {
    /// The unit of the field.
    let unit: UInt16
    /// The field, of kind `uuid`.
    let field: Int
    /// The number of the collection that it names a record of.
    let target: UInt32
    /// The keys of up to so many records that name a record.
    let referrers: @Sendable (_ target: [UInt8], _ limit: Int, ReadTransaction) throws -> [[UInt8]]
}

/// A record that must be there for another one to be: the thread of an entry, each of the two tasks that are linked.
struct MergeParent: Sendable {
    /// The number of the collection that the parent is in.
    let target: UInt32
    /// The key of a record's parent.
    let key: @Sendable (_ record: [UInt8], StoredFields) -> [UInt8]?

    /// A parent whose id is 16 bytes of the record's key.
    static func keyPart(_ offset: Int, of target: UInt32) -> MergeParent {
        MergeParent(target: target) { key, _ in Array(key.dropFirst(offset).prefix(16)) }
    }

    /// A parent whose id is in a field.
    static func field(_ field: Int, of target: UInt32) -> MergeParent {
        MergeParent(target: target) { $1[field]?.content }
    }
}

/// Lets units be declared as a list.
@resultBuilder
public enum FieldGroupBuilder {
    /// All units.
    public static func buildBlock(_ units: FieldGroup...) -> [FieldGroup] { units }
}
