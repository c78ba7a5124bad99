import Daybook

/// One step of a story as it happened, and how things were after it.
public struct StoryEvent: Sendable, Equatable {
    /// The kinds of step.
    public enum Kind: String, Sendable, CaseIterable {
        /// Something was done to tasks.
        case operation
        /// Time went by, a clock was set, someone travelled.
        case time
        /// The machine or the process: sleep, crashes, faults, closing and opening.
        case machine
        /// Something was looked at.
        case expectation
    }

    /// A task as a view shows it.
    public struct ShownTask: Sendable, Equatable {
        /// Its name in the story.
        public var name: String
        /// Its state.
        public var state: TaskState

        /// A task.
        public init(name: String, state: TaskState) {
            self.name = name
            self.state = state
        }
    }

    /// What a live view told during the step.
    public struct Told: Sendable, Equatable {
        /// The view.
        public var view: TaskView
        /// The steps, such as `inserted Buy milk at 0`.
        public var steps: [String]

        /// What a view told.
        public init(view: TaskView, steps: [String]) {
            self.view = view
            self.steps = steps
        }
    }

    /// Its place in the story, from 1.
    public var number: Int
    /// The line of the scenario it stands in.
    public var line: Int?
    /// The step, as a scenario says it, in one line.
    public var text: String
    /// What kind of step it was.
    public var kind: Kind
    /// What came of it: `done`, `refused: undo-expired`, `crashed after call 3 of 8`, ...
    public var outcome: String
    /// The wall clock after it.
    public var wall: Instant
    /// The monotonic clock after it.
    public var monotonic: MonotonicTime
    /// The zone of the person after it.
    public var zone: Zone
    /// Today after it.
    public var today: Day
    /// The views after it, in the order of ``TaskView``'s cases; empty while the store is closed.
    public var views: [[ShownTask]] = []
    /// The statistics after it; nil while the store is closed, and after a verb of the program's own has changed tasks.
    public var completed: CompletedCounts?
    /// What the live views told.
    public var told: [Told] = []

    /// An event of these parts.
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
    /// The code of the error that the step was refused with, if it was.
    public var refusal: String? {
        outcome.hasPrefix("refused: ") ? String(outcome.dropFirst("refused: ".count)) : nil
    }
}
