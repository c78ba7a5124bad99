import Records

/// The errors of operations on journals. They never carry a person's text.
public enum JournalError: DomainError {
    /// The store failed.
    case store(RecordsError)
    /// There is no such thread, or it is deleted.
    case noSuchThread
    /// There is no such entry, or it is deleted.
    case noSuchEntry
    /// There is no such field in this thread, or it is deleted.
    case noSuchField
    /// A text fits several threads; up to 10 of their ids.
    case ambiguousThread(candidates: [String])
    /// The shortened id fits several entries; up to 10 of their ids.
    case ambiguousEntry(candidates: [String])
    /// The text is neither an id nor 4 or more digits of one.
    case notAnID
    /// The title is empty or blank.
    case emptyTitle
    /// The content of an entry is empty or blank; nothing was written.
    case emptyContent
    /// The name of a field does not have 1 to 50 characters, or is blank.
    case badFieldName
    /// The thread has a field of this name already.
    case duplicateField
    /// A text contains a NUL character or is longer than 16 MiB.
    case unusableText
    /// There is a thread, an entry or a field of this id already.
    case duplicateID
    /// Fields can only be put into a group.
    case notAGroup
    /// A group has no value, and a field that entries have values for cannot become one.
    case groupWithValue
    /// A group would be in itself, at once or through others.
    case groupCycle
    /// The field belongs to another thread.
    case foreignField
    /// The journal is locked.
    case locked
    /// The system cannot recognize the person, so that the lock cannot be turned on.
    case lockUnavailable
    /// The time for undoing this change is over.
    case undoExpired
    /// There is nothing to undo.
    case nothingToUndo
    /// The change can no longer be undone on its own.
    case changedSince
    /// The write was cancelled before it began.
    case cancelled
    /// An error that no operation on journals throws by itself, by the name of its type.
    case unexpected(type: String)
}

extension JournalError {
    /// Journals are redone with the rest of the store.
    public static var nothingToRedo: Self { .store(.nothingToRedo) }

    /// The error of the store; nil for an error of the domain.
    public var storeError: RecordsError? { if case .store(let error) = self { error } else { nil } }

    /// A short name that is the same in every version; for an error of the store, the name of that.
    public var code: String {
        switch self {
        case .store(let error): error.code
        case .noSuchThread: "no-such-thread"
        case .noSuchEntry: "no-such-entry"
        case .noSuchField: "no-such-field"
        case .ambiguousThread: "ambiguous-thread"
        case .ambiguousEntry: "ambiguous-entry"
        case .notAnID: "not-an-id"
        case .emptyTitle: "empty-title"
        case .emptyContent: "empty-content"
        case .badFieldName: "bad-field-name"
        case .duplicateField: "duplicate-field"
        case .unusableText: "unusable-text"
        case .duplicateID: "duplicate-id"
        case .notAGroup: "not-a-group"
        case .groupWithValue: "group-with-value"
        case .groupCycle: "group-cycle"
        case .foreignField: "foreign-field"
        case .locked: "locked"
        case .lockUnavailable: "lock-unavailable"
        case .undoExpired: "undo-expired"
        case .nothingToUndo: "nothing-to-undo"
        case .changedSince: "changed-since"
        case .cancelled: "cancelled"
        case .unexpected: "unexpected"
        }
    }

    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .store(let error):
            error.description
        case .noSuchThread:
            "There is no such thread. Choose one that is there; deleted ones can be restored."
        case .noSuchEntry:
            "There is no such entry. Choose one of its thread's."
        case .noSuchField:
            "The thread has no such field. Choose one that it has, or create it."
        case .ambiguousThread(let candidates):
            "The text fits several threads: \(candidates.joined(separator: ", ")). Give more of it, or the thread's id."
        case .ambiguousEntry(let candidates):
            "The id fits several entries: \(candidates.joined(separator: ", ")). Give more digits."
        case .notAnID:
            "This is not an id. Give a full id, or 4 or more digits of its beginning or its end."
        case .emptyTitle:
            "The title is empty. Give the thread a title."
        case .emptyContent:
            "The entry is empty, so nothing was written. Give it a text."
        case .badFieldName:
            "The name of a field must have 1 to 50 characters, and not be blank. Choose another name."
        case .duplicateField:
            "The thread has a field of this name already. Use that one, or choose another name."
        case .unusableText:
            "The text contains a NUL character, is not valid UTF-8, or is longer than 16 MiB. Correct it and try again."
        case .duplicateID:
            "There is a record of this id already. Change that one, or use another id."
        case .notAGroup:
            "Fields can only be put into a group. Name a group of this thread."
        case .groupWithValue:
            "A group has no values. Use one of its fields, or another field as the group."
        case .groupCycle:
            "A group cannot be in itself, at once or through others. Choose another group."
        case .foreignField:
            "The field belongs to another thread. Use a field of this thread."
        case .locked:
            "The journal is locked. Unlock it and try again."
        case .lockUnavailable:
            "This device cannot recognize its owner, so the journal cannot be locked. Set that up first."
        case .undoExpired:
            "The time for undoing this is over. A deleted thread can still be restored."
        case .nothingToUndo:
            "There is nothing to undo."
        case .changedSince:
            "This can no longer be undone on its own: the thread was changed again. Change it by hand."
        case .cancelled:
            "The change was cancelled before it began. Nothing was changed."
        case .unexpected(let type):
            "An unexpected error of type \(type) ended the operation. Nothing was changed."
        }
    }
}
