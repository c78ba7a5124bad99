import Daybook

/// One thing that can happen in a scenario. Tasks are identified by name: the text they were created with.
public indirect enum Action: Sendable, Equatable {
    // The task list.

    /// Creates a task in a view, on a day, or in the Inbox if neither is given.
    case create(String, on: When?, in: TaskView?)
    /// Starts, completes or reopens a task.
    case setState(String, TaskState)
    /// Advances a task to its next state.
    case cycle(String)
    /// Schedules a task on a day or moves it to the Inbox.
    case schedule(String, on: When, at: Place?)
    /// Moves a task within its day.
    case reorder(String, to: Place)
    /// Carries tasks over to another day.
    case carry([String], to: When)
    /// Changes a task's text; the scenario keeps using its original name.
    case edit(String, text: String)
    /// Sets a reminder, or removes it.
    case remind(String, at: Moment?)
    /// Deletes a task.
    case delete(String)
    /// Removes every trace of a task.
    case purge(String)
    /// Performs a verb about lists, due times, the planner, recurrence or dependencies, with the fields beside it, such as
    /// `.perform("due", .text("Pay the rent"), with: [.init("at", .text("friday"))])` (Documentation/Scenarios.md).
    case perform(String, ScenarioValue, with: [ScenarioValue.Entry])
    /// Performs several of the above in one transaction.
    case together([Action])
    /// Undoes the last operation.
    case undo
    /// Redoes the operation that was undone last.
    case redo
    /// Undoes the operation of the last undo notice, before the notice expires.
    case undoNotice

    // Time.

    /// Lets a duration pass.
    case advance(Duration)
    /// Lets time pass until a moment.
    case advanceTo(Moment)
    /// Steps the wall clock forward or backward; the monotonic clock advances only if `monotonic` is true.
    case jump(Duration, monotonic: Bool)
    /// Sets the wall clock to a moment.
    case jumpTo(Moment)
    /// Moves the user to another zone.
    case travel(String)
    /// Puts the machine to sleep: time passes, nothing runs.
    case sleep
    /// Wakes the machine.
    case wake

    // The machine.

    /// Closes the store.
    case close
    /// Reopens the store.
    case open
    /// Kills the process or cuts the power, during an operation if one is given, and reopens the store.
    case crash(Crash, during: Action?, choice: UInt64)
    /// Lets the given number of writes fail.
    case fault(Fault, writes: Int)
    /// Performs an operation on the store in another process.
    case elsewhere(Action)

    // Checks and extensions.

    /// Checks expectations.
    case expect([Expectation])
    /// Runs a verb of the application's ``Vocabulary``.
    case custom(String, ScenarioValue)
}

/// How a machine stops.
public enum Crash: String, Sendable, CaseIterable {
    /// The process dies; what it has written so far remains.
    case process
    /// The power fails: any part of what was not flushed may be lost.
    case power
}

/// How a disk fails.
public enum Fault: String, Sendable, CaseIterable {
    /// No space left.
    case fullDisk = "full disk"
    /// A temporary shortage of a system resource.
    case busy
}

/// One step of a scenario: an action, and whether it must be refused.
public struct Step: Sendable, Equatable {
    /// The action.
    public var action: Action
    /// The code of the error that must refuse the step; nil if it must succeed.
    public var refusal: String?
    /// The line of the file; nil for a generated step.
    public var line: Int?

    /// Creates a step.
    public init(_ action: Action, refusal: String? = nil, line: Int? = nil) {
        self.action = action
        self.refusal = refusal
        self.line = line
    }
}

/// What must hold at a point of a scenario: a subject and the value expected there.
public struct Expectation: Sendable, Equatable {
    /// The subject: `today`, `statistics`, or one of the application's ``Vocabulary``.
    public var subject: String
    /// The expected value.
    public var value: ScenarioValue
    /// The line of the file.
    public var line: Int?

    /// Creates an expectation.
    public init(_ subject: String, _ value: ScenarioValue, line: Int? = nil) {
        self.subject = subject
        self.value = value
        self.line = line
    }
}

/// A place within a task's day, relative to other tasks of the scenario.
public enum Place: Sendable, Equatable {
    /// Before every other task.
    case first
    /// After every other task.
    case last
    /// Directly before a task.
    case before(String)
    /// Directly after a task.
    case after(String)
    /// At an index of the view, from 0.
    case index(Int)
}

/// The day that a step gives a task.
public enum When: Sendable, Equatable {
    /// No day.
    case inbox
    /// Today, as of when the step runs.
    case today
    /// Tomorrow, as of when the step runs.
    case tomorrow
    /// A day as users write it: `2026-02-11`, `+3d`, `fri`.
    case day(String)

    /// Parses `inbox`, `today`, `tomorrow`, or a day as users write it.
    public init(_ text: String) throws(DatePhraseError) {
        switch text {
        case "inbox": self = .inbox
        case "today": self = .today
        case "tomorrow": self = .tomorrow
        default:
            // Whether the text is a day does not depend on today.
            if let epoch = Day(daysSince1970: 0) { _ = try Day(parsing: text, today: epoch) }
            self = .day(text)
        }
    }

    /// The text that ``init(_:)`` parses.
    public var text: String {
        switch self {
        case .inbox: "inbox"
        case .today: "today"
        case .tomorrow: "tomorrow"
        case .day(let text): text
        }
    }
}
