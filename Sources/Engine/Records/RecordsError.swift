import KeyValue

/// Everything that can go wrong with records, their indexes, counters and history. Never carries content of a record.
public enum RecordsError: Error, Equatable, Sendable {
    /// The engine below refused or failed.
    case engine(KeyValueError)
    /// The folder holds something else than a Daybook store.
    case notAStore(path: String)
    /// The folder holds a data file without `store.json`, as a copy made with LMDB's tools does. It was left untouched; a
    /// salvage reads it.
    case manifestMissing(path: String)
    /// The store was written by a newer version. It was not touched.
    case newerFormat(path: String, found: Int, known: Int)
    /// Bytes of a record are not what was written.
    case damagedRecord(collection: String, key: String)
    /// Bytes of an index entry, a counter or a log row are not what was written.
    case damagedEntry(table: String, key: String)
    /// A record lacks a field that its type requires, or holds it in another form.
    case unreadableField(number: Int)
    /// A record of this key is there already.
    case duplicate(collection: String, key: String)
    /// A bulk load needs a store without records to which nothing else is written meanwhile.
    case notEmpty
    /// Two records would have the same key in a unique index.
    case duplicateKey(index: String)
    /// A record names another one that is not there.
    case missingTarget(reference: String)
    /// A record cannot be deleted while others name it.
    case stillReferenced(by: String)
    /// A page token belongs to another view.
    case foreignPageToken
    /// A record was to be moved in an order that it, or the record to place it beside, is not in.
    case noSuchPlace(index: String)
    /// A collection was used that the store was not opened with.
    case unknownCollection(name: String)
    /// A consumer of changes was used that is not registered, or not any more.
    case unknownConsumer(name: String)
    /// There is nothing to undo.
    case nothingToUndo
    /// There is nothing to redo.
    case nothingToRedo
    /// The change can no longer be undone on its own, since its records were changed again.
    case changedSince
    /// The change log no longer contains the requested sequence number.
    case changesTrimmed(oldest: UInt64)
    /// A purge or a rebuild since that change removed earlier states of records, so the changes are unknown.
    case changesPurged(after: UInt64)
    /// The store has not reached the requested change: it is another store, or an older copy.
    case changeNotReached(last: UInt64)
    /// Bytes that were to be loaded are not a record of the collection, or not in order.
    case refusedRecord(collection: String, key: String)
    /// A transaction was used after its closure had returned.
    case transactionEnded
    /// The declaration of the collections contradicts itself, or a consumer of changes has an unusable name.
    case badDeclaration(String)
    /// A closure inside the store failed with an error of another type, which names none of a record's content.
    case unexpected(type: String)
}

extension RecordsError: CustomStringConvertible {
    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .engine(let error):
            error.description
        case .notAStore(let path):
            "\(path) is not a Daybook store. Name an empty or new folder, or the folder of a store."
        case .manifestMissing(let path):
            "\(path) has a file data.mdb, but no store.json. Restore store.json, or salvage data.mdb into a new store."
        case .newerFormat(let path, let found, let known):
            "The store at \(path) has format \(found), newer than \(known), the newest this version knows. Update Daybook."
        case .damagedRecord(let collection, let key):
            "The record \(key) of \(collection) is damaged. Rebuild the store, which quarantines it, and import it from a backup."
        case .damagedEntry(let table, let key):
            "The entry \(key) of \(table) is damaged. Verify the store, and rebuild it."
        case .unreadableField(let number):
            "A record lacks its field \(number) or holds it in another form. Verify the store, and restore a backup."
        case .duplicate(let collection, let key):
            "\(collection) has a record \(key) already. Change that one, or use another id."
        case .notEmpty:
            "The store has records, or is written to by others. Insert the records in ordinary transactions."
        case .duplicateKey(let index):
            "Another record has the same key in \(index), which is unique. Change one of them."
        case .missingTarget(let reference):
            "A record names, by \(reference), one that does not exist. Create that one first, or in the same transaction."
        case .stillReferenced(let reference):
            "The record is named by others, by \(reference). Delete or change those first, or in the same transaction."
        case .foreignPageToken:
            "The page token belongs to another view. Begin with the first page."
        case .noSuchPlace(let index):
            "There is no such place in \(index). Read the order again, and name a record of the same part of it."
        case .unknownCollection(let name):
            "The store was opened without the collection \(name). Name it when opening."
        case .unknownConsumer(let name):
            "The store has no consumer of changes named \(name). Register it, then read the present state."
        case .nothingToUndo:
            "There is nothing to undo."
        case .nothingToRedo:
            "There is nothing to redo."
        case .changedSince:
            "This can no longer be undone on its own: it was changed again. Undo the later changes first, or change it by hand."
        case .changesTrimmed(let oldest):
            "The change log begins at \(oldest). Read the present state, then follow from there."
        case .changesPurged(let sequence):
            "A purge or a rebuild after change \(sequence) removed what was there before. Take a full snapshot."
        case .changeNotReached(let last):
            "The store's last change is \(last). Was an older store put in its place? Take a full snapshot."
        case .refusedRecord(let collection, let key):
            "The record \(key) cannot be loaded into \(collection): its bytes are not those of one. Use another backup."
        case .transactionEnded:
            "A transaction was used after its end. Use it only inside its closure."
        case .badDeclaration(let problem):
            "A declaration is wrong: \(problem)."
        case .unexpected(let type):
            "An unexpected error of type \(type) ended the operation. Nothing was changed."
        }
    }
}

extension RecordsError {
    /// Converts an error of the layers below.
    init(_ error: any Error) {
        switch error {
        case let error as RecordsError: self = error
        case let error as KeyValueError: self = .engine(error)
        default: self = .unexpected(type: String(describing: type(of: error)))
        }
    }
}

/// Converts what a closure throws, where a call that throws only `RecordsError` enters the module. Functions inside throw
/// plainly: closures of transactions are untyped.
func rethrowing<Result>(_ body: () throws -> Result) throws(RecordsError) -> Result {
    do {
        return try body()
    } catch {
        throw RecordsError(error)
    }
}

/// What an application can do about an error; re-exported for the modules above.
public typealias ErrorKind = KeyValue.ErrorKind

extension RecordsError {
    /// The error's class; that of the engine's error, if it is one.
    public var kind: ErrorKind {
        switch self {
        case .engine(let error): error.kind
        case .manifestMissing, .newerFormat, .damagedRecord, .damagedEntry, .unreadableField, .refusedRecord: .permanent
        case .notAStore, .duplicate, .notEmpty, .duplicateKey, .missingTarget, .stillReferenced, .foreignPageToken,
            .noSuchPlace,
            .unknownCollection, .unknownConsumer, .nothingToUndo, .nothingToRedo, .changedSince, .changesTrimmed,
            .changesPurged, .changeNotReached, .transactionEnded, .badDeclaration, .unexpected:
            .recoverable
        }
    }

    /// A short name that stays the same in every version; that of the engine's error, if it is one.
    public var code: String {
        switch self {
        case .engine(let error): error.code
        case .notAStore: "not-a-store"
        case .manifestMissing: "manifest-missing"
        case .newerFormat: "newer-format"
        case .damagedRecord: "damaged-record"
        case .damagedEntry: "damaged-entry"
        case .unreadableField: "unreadable-field"
        case .duplicate: "duplicate-record"
        case .notEmpty: "not-empty"
        case .duplicateKey: "duplicate-key"
        case .missingTarget: "missing-target"
        case .stillReferenced: "still-referenced"
        case .foreignPageToken: "foreign-page-token"
        case .noSuchPlace: "no-such-place"
        case .unknownCollection: "unknown-collection"
        case .unknownConsumer: "unknown-consumer"
        case .nothingToUndo: "nothing-to-undo"
        case .nothingToRedo: "nothing-to-redo"
        case .changedSince: "changed-since"
        case .changesTrimmed: "changes-trimmed"
        case .changesPurged: "changes-forgotten"
        case .changeNotReached: "change-not-reached"
        case .refusedRecord: "refused-record"
        case .transactionEnded: "transaction-ended"
        case .badDeclaration: "bad-declaration"
        case .unexpected: "unexpected"
        }
    }
}

extension RecordsError {
    /// Whether bytes of the store are not what was written, as opposed to an operation that was refused or failed.
    public var isDamage: Bool {
        switch self {
        case .damagedRecord, .damagedEntry, .unreadableField, .engine(.damaged): true
        default: false
        }
    }
}
