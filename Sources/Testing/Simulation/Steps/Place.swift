/// A place within a task's day, beside other tasks of the story.
public enum Place: Sendable, Equatable {
    /// Before every other task.
    case first
    /// After every other task.
    case last
    /// Just before a task.
    case before(String)
    /// Just after a task.
    case after(String)
    /// At an index of the view, from 0.
    case index(Int)
}
