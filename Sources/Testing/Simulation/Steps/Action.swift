import Daybook

/// What can happen in a story. Tasks are known by their names: the text they were created with.
public indirect enum Action: Sendable, Equatable {
    // The task list.

    /// Creates a task: in a view, on a day, or in the Inbox when neither is said.
    case create(String, on: When?, in: TaskView?)
    /// Starts, completes or reopens a task.
    case setState(String, TaskState)
    /// Moves a task on to its next state.
    case cycle(String)
    /// Gives a task a day, or sends it to the Inbox.
    case schedule(String, on: When, at: Place?)
    /// Gives a task another place within its day.
    case reorder(String, to: Place)
    /// Carries tasks over to another day.
    case carry([String], to: When)
    /// Gives a task another text; it keeps its name in the story.
    case edit(String, text: String)
    /// Sets a reminder at a time of day, or takes it away.
    case remind(String, at: Moment?)
    /// Deletes a task.
    case delete(String)
    /// Removes every trace of a task.
    case purge(String)
    /// Several of the above in one transaction.
    case together([Action])
    /// Takes back the last operation.
    case undo
    /// Brings back what was taken back last.
    case redo
    /// Takes back what the last notice offers, within its time.
    case undoNotice

    // Time.

    /// Time goes by.
    case advance(Duration)
    /// Time goes by until a moment.
    case advanceTo(Moment)
    /// The wall clock is set, by so much; the monotonic clock runs along when that is said.
    case jump(Duration, monotonic: Bool)
    /// The wall clock is set to a moment.
    case jumpTo(Moment)
    /// The person travels to another zone.
    case travel(String)
    /// The machine falls asleep: time goes by, nothing runs.
    case sleep
    /// The machine wakes up.
    case wake

    // The machine.

    /// The store is closed.
    case close
    /// The store is opened again.
    case open
    /// The process dies or the power fails, during an operation when one is given; then the store is opened again.
    case crash(Crash, during: Action?, choice: UInt64)
    /// So many of the next writes fail.
    case fault(Fault, writes: Int)
    /// Another process does something to the store.
    case elsewhere(Action)

    // The story.

    /// What has to be so now.
    case expect([Expectation])
    /// A step of the program's own vocabulary.
    case custom(String, ScenarioValue)
}

/// How a machine stops.
public enum Crash: String, Sendable, CaseIterable {
    /// The process dies; what it has written so far stays.
    case process
    /// The power fails: of what was not flushed yet, any part may be lost.
    case power
}

/// How a disk fails.
public enum Fault: String, Sendable, CaseIterable {
    /// There is no space left.
    case fullDisk = "full disk"
    /// The system is short of something, for now.
    case busy
}
