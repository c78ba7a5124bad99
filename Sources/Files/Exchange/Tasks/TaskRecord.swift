/// One record of a file.
public enum TaskRecord: Sendable, Equatable {
    /// A task.
    case task(TaskDocument)
    /// The trace of a deleted task.
    case tombstone(TombstoneDocument)
    /// A record that breaks a rule and is left out.
    case invalid(InvalidRecord)
}
