import CivilTime
import Records

/// Everything that an operation on tasks can refuse. Never carries a task's text.
public enum TaskError: Error, Equatable, Sendable {
    /// The store below refused or failed.
    case store(RecordsError)
    /// There is no task of this id.
    case noSuchTask(id: String)
    /// The shortened id fits several tasks.
    case ambiguous(prefix: String, candidates: [String])
    /// What was given is not an id, nor the beginning of one.
    case notAnID(String)
    /// The text is empty or blank; nothing was done.
    case emptyText
    /// The text holds a character that no text may hold (NUL), or is longer than 16 MiB.
    case unusableText
    /// A task of this id is there already.
    case duplicate(id: String)
    /// A day in the past cannot be given to a task.
    case pastDay(Day)
    /// The task to go before or after is not of the same day.
    case notInSameDay
    /// The index is beyond the end of the view.
    case noSuchIndex(Int)
    /// The time in which this could be undone is over.
    case undoExpired
    /// There is nothing to undo.
    case nothingToUndo
    /// There is nothing to redo.
    case nothingToRedo
    /// The change cannot be undone on its own any more.
    case changedSince
    /// The write was cancelled before it had begun.
    case cancelled
}

extension TaskError {
    /// What an application can do about an error.
    public typealias Kind = ErrorKind

    /// The error's class; that of the store's error, if it is one.
    public var kind: ErrorKind {
        switch self {
        case .store(let error): error.kind
        case .cancelled: .transient
        default: .recoverable
        }
    }

    /// Whether the store could not do what was asked, rather than there being a reason not to do it.
    var isOfStore: Bool {
        switch self {
        case .store, .cancelled: true
        default: false
        }
    }

    /// A short name that stays the same in every version; that of the store's error, if it is one.
    public var code: String {
        switch self {
        case .store(let error): error.code
        case .noSuchTask: "no-such-task"
        case .ambiguous: "ambiguous-id"
        case .notAnID: "not-an-id"
        case .emptyText: "empty-text"
        case .unusableText: "unusable-text"
        case .duplicate: "duplicate-id"
        case .pastDay: "past-day"
        case .notInSameDay: "not-in-same-day"
        case .noSuchIndex: "no-such-index"
        case .undoExpired: "undo-expired"
        case .nothingToUndo: "nothing-to-undo"
        case .nothingToRedo: "nothing-to-redo"
        case .changedSince: "changed-since"
        case .cancelled: "cancelled"
        }
    }

    /// Gives the errors of the layers below the type of this module.
    init(_ error: any Error) {
        switch error {
        case let error as TaskError: self = error
        case RecordsError.nothingToUndo: self = .nothingToUndo
        case RecordsError.nothingToRedo: self = .nothingToRedo
        case RecordsError.changedSince: self = .changedSince
        case let error as RecordsError: self = .store(error)
        case is CancellationError: self = .cancelled
        default: self = .store(.transactionEnded)
        }
    }
}

extension TaskError: CustomStringConvertible {
    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .store(let error):
            error.description
        case .noSuchTask(let id):
            "There is no task \(id). List the ids with a view or export, each with --json."
        case .ambiguous(let prefix, let candidates):
            "The id \(prefix) fits several tasks: \(candidates.joined(separator: ", ")). Give more of it."
        case .notAnID(let text):
            "\(text.prefix(40)) is not an id. Give a full id, or its first 4 characters or more."
        case .emptyText:
            "The text is empty, so there is no task to make."
        case .unusableText:
            "The text holds a NUL character, is not valid UTF-8, or is longer than 16 MiB. Take that out and try again."
        case .duplicate(let id):
            "There is a task \(id) already. Change that one, or use another id."
        case .pastDay(let day):
            "\(day) is in the past. Give today or a later day."
        case .notInSameDay:
            "Both tasks must be of the same day, or both in the Inbox. Schedule one of them first."
        case .noSuchIndex(let index):
            "There is no place \(index) in this view. Count from 0."
        case .undoExpired:
            "The time for undoing this is over. The task can still be changed by hand."
        case .nothingToUndo:
            "There is nothing to undo."
        case .nothingToRedo:
            "There is nothing to redo."
        case .changedSince:
            "This can no longer be undone on its own: the task was changed again."
        case .cancelled:
            "The change was cancelled before it had begun. Nothing was changed."
        }
    }
}

/// Runs a closure and gives whatever it throws the type of this module.
func rethrowing<Result>(_ body: () throws -> Result) throws(TaskError) -> Result {
    do {
        return try body()
    } catch {
        throw TaskError(error)
    }
}
