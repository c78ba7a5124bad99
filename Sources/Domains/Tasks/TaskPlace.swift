import FoundationEssentials

/// A place within a task's day, or within the Inbox.
public enum TaskPlace: Sendable, Hashable {
    /// Before every other task of the day.
    case first
    /// After every other task of the day.
    case last
    /// Just before another task of the same day.
    case before(UUID)
    /// Just after another task of the same day.
    case after(UUID)
    /// At an index of the view as it is shown, counted from 0; kept within the group of the task's state.
    case index(Int)
}
