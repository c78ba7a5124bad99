import Records

/// What was done to tasks, as the change log says it. The numbers are stored and keep their meaning.
public enum TaskOperation: UInt8, Sendable, CaseIterable {
    /// Several steps in one transaction.
    case several = 0
    /// A task was created.
    case create = 1
    /// A task changed its state.
    case changeState = 2
    /// A task was given another day, or sent to the Inbox.
    case schedule = 3
    /// A task changed its place within its day.
    case reorder = 4
    /// A task's text or details changed.
    case edit = 5
    /// Tasks of past days were carried over.
    case carry = 6
    /// A task was deleted.
    case delete = 7
    /// Tasks came from a file.
    case importing = 8
    /// A deleted task's traces were removed.
    case purge = 9
    /// A task was given a reminder, or lost it.
    case remind = 10

    var label: ChangeLabel { ChangeLabel(operation: rawValue) }
}
