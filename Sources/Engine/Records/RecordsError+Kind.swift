import KeyValue

/// What an application can do about an error; by this name modules above know the engine's type.
public typealias ErrorKind = KeyValue.ErrorKind

extension RecordsError {
    /// The error's class; that of the engine's error, if it is one.
    public var kind: ErrorKind {
        switch self {
        case .engine(let error): error.kind
        case .newerFormat, .damagedRecord, .damagedEntry, .unreadableField, .refusedRecord: .permanent
        case .notAStore, .duplicate, .unknownCollection, .nothingToUndo, .nothingToRedo, .changedSince,
            .changesTrimmed, .changesForgotten, .changeNotReached, .transactionEnded, .badDeclaration:
            .recoverable
        }
    }

    /// A short name that stays the same in every version; that of the engine's error, if it is one.
    public var code: String {
        switch self {
        case .engine(let error): error.code
        case .notAStore: "not-a-store"
        case .newerFormat: "newer-format"
        case .damagedRecord: "damaged-record"
        case .damagedEntry: "damaged-entry"
        case .unreadableField: "unreadable-field"
        case .duplicate: "duplicate-record"
        case .unknownCollection: "unknown-collection"
        case .nothingToUndo: "nothing-to-undo"
        case .nothingToRedo: "nothing-to-redo"
        case .changedSince: "changed-since"
        case .changesTrimmed: "changes-trimmed"
        case .changesForgotten: "changes-forgotten"
        case .changeNotReached: "change-not-reached"
        case .refusedRecord: "refused-record"
        case .transactionEnded: "transaction-ended"
        case .badDeclaration: "bad-declaration"
        }
    }
}
