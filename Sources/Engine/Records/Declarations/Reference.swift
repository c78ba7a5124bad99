import KeyValue

/// A field of a record that names another record, with the rule for what happens when that one is deleted.
///
/// Declare it as a constant of the record type and name it in the collection. It is an index as well, so that the records
/// that name another one can be read: `transaction[Reading.sensor.index].prefix(id)`.
///
///     static let sensor = Reference<Reading, Sensor>("sensor", whenDeleted: .cascade, \.sensorID)
///
/// The rules hold at the end of each transaction, whatever made the change: a record cannot name one that is not there, and
/// undo restores what a deletion removed as part of the same operation.
public struct Reference<R: Record, Target: Record>: Sendable {
    /// The index of the records by the id that they name.
    public let index: Index<R, Target.ID>
    let rule: DeletionRule
    let clear: (@Sendable (inout R) -> Void)?

    /// A field that always names a record.
    public init(
        _ name: String, whenDeleted rule: RequiredDeletionRule, version: UInt32 = 1,
        _ field: KeyPath<R, Target.ID> & Sendable
    ) {
        index = Index(name, version: version) { $0[keyPath: field] }
        self.rule = rule == .cascade ? .cascade : .restrict
        clear = nil
    }

    /// A field that may name a record.
    public init(
        _ name: String, whenDeleted rule: DeletionRule, version: UInt32 = 1,
        _ field: WritableKeyPath<R, Target.ID?> & Sendable
    ) {
        index = Index(name, version: version) { $0[keyPath: field] }
        self.rule = rule
        clear = { $0[keyPath: field] = nil }
    }
}

/// What happens to the records that name a deleted one.
public enum DeletionRule: Sendable, Hashable {
    /// They are deleted as well.
    case cascade
    /// Their field is set to nil.
    case nullify
    /// There must be none at the end of the transaction, which fails with `stillReferenced` otherwise.
    case restrict
}

/// What happens to the records that name a deleted one, if their field cannot be nil.
public enum RequiredDeletionRule: Sendable, Hashable {
    /// They are deleted as well.
    case cascade
    /// There must be none at the end of the transaction, which fails with `stillReferenced` otherwise.
    case restrict
}

/// A reference in the declaration of a collection, without the type of the records that it names.
struct ReferenceRule<R: Record>: Sendable {
    /// The name of the collection that is referred to. A closure: a type may refer to itself, and its declaration must not
    /// need itself.
    let target: @Sendable () -> String
    let rule: DeletionRule
    let clear: (@Sendable (inout R) -> Void)?

    init<Target>(_ reference: Reference<R, Target>) {
        target = { Target.collection.name }
        rule = reference.rule
        clear = reference.clear
    }
}

/// A reference of a collection in an open store, seen from the collection that it refers to.
struct Referrer: Sendable {
    let collection: any StoredCollection
    /// Which of the collection's indexes has the ids that its records name.
    let index: BoundPart
    let position: Int
    /// The number of the collection that is referred to.
    let target: UInt32
    let rule: DeletionRule

    /// The keys of up to `limit` records that name a record.
    func keys(
        naming target: KeyBytes, limit: Int, in engine: borrowing RawReadTransaction
    ) throws -> [KeyBytes] {
        var keys: [KeyBytes] = []
        try engine.withCursor(over: index.table.table) { cursor in
            try index.table.forEachKey(KeyRange(prefix: target), backwards: false, by: &cursor) { entry in
                keys.append(KeyBytes(copying: entry.extracting(last: index.idWidth)))
                return keys.count < limit
            }
        }
        return keys
    }
}
