import CivilTime
import Records

/// The errors of operations on tasks. They never carry a task's text.
public enum TaskError: DomainError {
    /// The store failed.
    case store(RecordsError)
    /// There is no task of this id.
    case noSuchTask(id: String)
    /// The shortened id matches several tasks; up to 10 of their ids.
    case ambiguous(prefix: String, candidates: [String])
    /// The text is not an id, nor the beginning or the end of one.
    case notAnID(String)
    /// The text is empty or blank; nothing was done.
    case emptyText
    /// The text contains a NUL character or is longer than 16 MiB.
    case unusableText
    /// There is a task of this id already.
    case duplicate(id: String)
    /// A task cannot be scheduled on a day in the past.
    case pastDay(Day)
    /// The two tasks are not of the same day.
    case notInSameDay
    /// The two tasks are not in the same bucket of the same region and day.
    case notInSameBucket
    /// The bucket has no room for another task that is not completed.
    case bucketFull(TaskBucket)
    /// The task would wait for itself, at once or through others.
    case dependencyCycle
    /// The task would be a part of itself, at once or through others.
    case subtaskCycle
    /// The task would be deeper below others than tasks can be.
    case subtaskDepth
    /// The two tasks are not parts of the same task.
    case notInSameParent
    /// The index is beyond the end of the view.
    case noSuchIndex(Int)
    /// There is no such list.
    case noSuchList
    /// The beginning of a name fits several lists; their ids.
    case ambiguousList(candidates: [String])
    /// There is a list of exactly this name already.
    case duplicateList
    /// The name is empty or blank.
    case emptyName
    /// The color is not six hexadecimal digits.
    case badColor
    /// The two tasks are not in the same list.
    case notInSameList
    /// The URL is none that creates or opens a task; what is wrong with it.
    case badLink(String)
    /// The time for undoing this change is over.
    case undoExpired
    /// There is nothing to undo.
    case nothingToUndo
    /// There is nothing to redo.
    case nothingToRedo
    /// The change can no longer be undone on its own.
    case changedSince
    /// The write was cancelled before it began.
    case cancelled
    /// The field has a value that only a newer version of Daybook defines, so it cannot be changed here.
    case unknownValue(field: String)
    /// The task does not recur, or is completed.
    case notRecurring
    /// The recurrence rule has no day from the task's own on.
    case neverOccurs
    /// An error that no operation on tasks throws by itself, by the name of its type.
    case unexpected(type: String)
}

extension TaskError {
    /// The error of the store; nil for an error of the domain.
    public var storeError: RecordsError? { if case .store(let error) = self { error } else { nil } }

    /// A short name that is the same in every version; for an error of the store, the name of that.
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
        case .notInSameBucket: "not-in-same-bucket"
        case .bucketFull: "bucket-full"
        case .dependencyCycle: "dependency-cycle"
        case .subtaskCycle: "subtask-cycle"
        case .subtaskDepth: "subtask-depth"
        case .notInSameParent: "not-in-same-parent"
        case .noSuchIndex: "no-such-index"
        case .noSuchList: "no-such-list"
        case .ambiguousList: "ambiguous-list"
        case .duplicateList: "duplicate-list"
        case .emptyName: "empty-name"
        case .badColor: "bad-color"
        case .notInSameList: "not-in-same-list"
        case .badLink: "bad-link"
        case .undoExpired: "undo-expired"
        case .nothingToUndo: "nothing-to-undo"
        case .nothingToRedo: "nothing-to-redo"
        case .changedSince: "changed-since"
        case .cancelled: "cancelled"
        case .unknownValue: "unknown-value"
        case .notRecurring: "not-recurring"
        case .neverOccurs: "never-occurs"
        case .unexpected: "unexpected"
        }
    }

    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .store(let error):
            error.description
        case .noSuchTask(let id):
            "There is no task \(id): it was deleted, or the id is of another store. Read the tasks again."
        case .ambiguous(let prefix, let candidates):
            "The id \(prefix) matches several tasks: \(candidates.joined(separator: ", ")). Give more digits."
        case .notAnID(let text):
            "\(text.prefix(40)) is not an id. Give a full id, or 4 or more digits of its beginning or its end."
        case .emptyText:
            "The text is empty. Give the task a text."
        case .unusableText:
            "The text contains a NUL character, is not valid UTF-8, or is longer than 16 MiB. Correct it and try again."
        case .duplicate(let id):
            "There is a task \(id) already. Change that one, or use another id."
        case .pastDay(let day):
            "\(day) is in the past. Give today or a later day."
        case .notInSameDay:
            "Both tasks must be of the same day, or both in the Inbox. Schedule one of them first."
        case .notInSameBucket:
            "Both tasks must be in the same bucket of the same region and day. Place one of them first."
        case .bucketFull(let bucket):
            "Cannot add more tasks to \(bucket.heading). Complete one of them, or place one elsewhere."
        case .dependencyCycle:
            "A task cannot wait for itself, nor for one that waits for it. Unblock one of the tasks in between first."
        case .subtaskCycle:
            "A task cannot be a part of itself, nor of one of its own subtasks. Move that subtask out first."
        case .subtaskDepth:
            "Subtasks can be \(TaskItem.subtaskDepth) levels deep. Move the task below one that is higher up."
        case .notInSameParent:
            "Both tasks must be subtasks of the same task. Move one of them first."
        case .noSuchIndex(let index):
            "There is no place \(index) in this view. Count from 0."
        case .noSuchList:
            "There is no such list. Choose one that is there, or create it."
        case .ambiguousList(let candidates):
            "The name fits several lists: \(candidates.joined(separator: ", ")). Give more of it, or the list's id."
        case .duplicateList:
            "There is a list of this name already. Use that one, or choose another name."
        case .emptyName:
            "The name is empty. Give the list a name."
        case .badColor:
            "The color is not six hexadecimal digits. Give one such as FF6B6B."
        case .notInSameList:
            "Both tasks must be in the same list, or both in none. Move one of them first."
        case .badLink(let problem):
            "This URL cannot be opened: \(problem). Give one such as todoapp://create-task?title=Buy%20milk."
        case .undoExpired:
            "The time for undoing this is over. The task can still be changed by hand."
        case .nothingToUndo:
            "There is nothing to undo."
        case .nothingToRedo:
            "There is nothing to redo."
        case .changedSince:
            "This can no longer be undone on its own: the task was changed again. Change it by hand."
        case .cancelled:
            "The change was cancelled before it began. Nothing was changed."
        case .unknownValue(let field):
            "The task's \(field) was set by a newer version of Daybook and cannot be changed here. Update Daybook."
        case .notRecurring:
            "The task is completed or does not recur. Give it a rule first."
        case .neverOccurs:
            "The rule has no day from the task's own on. Give another rule, or schedule the task on an earlier day."
        case .unexpected(let type):
            "An unexpected error of type \(type) ended the operation. Nothing was changed."
        }
    }
}
