import Daybook

/// The record of one run of a scenario, up to its end or its first failure.
public struct Story: Sendable, Equatable {
    /// The scenario that was run.
    public var scenario: Scenario
    /// What happened, in order.
    public var events: [StoryEvent] = []
    /// The failure, if there was one.
    public var failure: StoryFailure?
    /// A digest of all events and of the store's final content: equal runs have equal digests.
    public var digest: UInt64 = 0

    /// Whether the run had no failure.
    public var isGood: Bool { failure == nil }

    /// Creates a record without events.
    public init(of scenario: Scenario) {
        self.scenario = scenario
    }
}

/// One step as it happened, and the state after it.
public struct StoryEvent: Sendable, Equatable {
    /// The kind of a step.
    public enum Kind: String, Sendable, CaseIterable {
        /// An operation on tasks.
        case operation
        /// Time passed, a clock was set, the user traveled.
        case time
        /// A change of the machine or the process: sleep, crashes, faults, closing and opening.
        case machine
        /// A check of expectations.
        case expectation
    }

    /// A task as a view shows it.
    public struct ShownTask: Sendable, Equatable {
        /// The name in the scenario.
        public var name: String
        /// The state.
        public var state: TaskState

        /// Creates a task.
        public init(name: String, state: TaskState) {
            self.name = name
            self.state = state
        }
    }

    /// What a live view reported during the step.
    public struct ViewReport: Sendable, Equatable {
        /// The view.
        public var view: TaskView
        /// The changes, such as `inserted Buy milk at 0`.
        public var steps: [String]

        /// Creates a report of a view.
        public init(view: TaskView, steps: [String]) {
            self.view = view
            self.steps = steps
        }
    }

    /// The position in the run, from 1.
    public var number: Int
    /// The line of the scenario.
    public var line: Int?
    /// The step in one line, as in a scenario.
    public var text: String
    /// The kind of the step.
    public var kind: Kind
    /// The outcome: `done`, `refused: undo-expired`, `crashed after call 3 of 8`, ...
    public var outcome: String
    /// The wall clock after the step.
    public var wall: Instant
    /// The monotonic clock after the step.
    public var monotonic: MonotonicTime
    /// The user's zone after the step.
    public var zone: Zone
    /// Today after the step.
    public var today: Day
    /// The views after the step, in the order of ``TaskView``'s cases; empty while the store is closed.
    public var views: [[ShownTask]] = []
    /// The statistics after the step; nil while the store is closed, and once a verb of the application has changed
    /// tasks.
    public var completed: CompletedCounts?
    /// What the live views reported.
    public var viewReports: [ViewReport] = []

    /// Creates an event.
    public init(
        number: Int, line: Int?, text: String, kind: Kind, outcome: String, wall: Instant, monotonic: MonotonicTime,
        zone: Zone, today: Day
    ) {
        self.number = number
        self.line = line
        self.text = text
        self.kind = kind
        self.outcome = outcome
        self.wall = wall
        self.monotonic = monotonic
        self.zone = zone
        self.today = today
    }
}

extension StoryEvent {
    /// The code of the error that refused the step, if any.
    public var refusal: String? {
        outcome.hasPrefix("refused: ") ? String(outcome.dropFirst("refused: ".count)) : nil
    }
}

/// The numbers of tasks completed in periods of one zone.
public struct CompletedCounts: Sendable, Equatable {
    /// Today, this week, this month, last month.
    public var today, week, month, lastMonth: Int

    /// Creates counts.
    public init(today: Int, week: Int, month: Int, lastMonth: Int) {
        self.today = today
        self.week = week
        self.month = month
        self.lastMonth = lastMonth
    }

    /// How this month compares with the last.
    var trend: CompletionStatistics.Trend {
        if lastMonth == 0 { return .noData }
        return month == lastMonth ? .same : month > lastMonth ? .up : .down
    }
}

/// A violated expectation or promise.
public struct StoryFailure: Error, Equatable {
    /// What the failure is about: `today`, `statistics in UTC`, `verify`.
    public var subject: String
    /// The expected value.
    public var expected: String
    /// The value found.
    public var found: String
    /// The line of the scenario.
    public var line: Int?

    /// Creates a failure.
    public init(_ subject: String, expected: String, found: String, line: Int? = nil) {
        self.subject = subject
        self.expected = expected
        self.found = found
        self.line = line
    }

    /// Converts any error; a failure is taken as it is.
    init(_ error: any Error, of subject: String, line: Int? = nil) {
        self = error as? StoryFailure ?? StoryFailure(subject, expected: "no error", found: "\(error)")
        self.line = self.line ?? line
    }
}
