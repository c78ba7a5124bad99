import Daybook

/// A story about time: where and when it begins, and what happens.
public struct Scenario: Sendable, Equatable {
    /// What it shows, in a sentence.
    public var name: String
    /// The requirements that it checks, such as `C-S3.9`.
    public var requirements: [String] = []
    /// What the clock on the wall shows at first.
    public var start: Moment
    /// The zone it begins in.
    public var zone: String
    /// The day that a week starts on.
    public var weekStart = Weekday.monday
    /// What every id and draw follows from.
    public var seed: UInt64 = 1
    /// Other zones, from which people look at the same store: their statistics are compared after every step, too.
    public var lookers: [String] = ["UTC", "Pacific/Auckland", "America/Los_Angeles"]
    /// The views that are followed live.
    public var follows: [TaskView] = TaskView.allCases
    /// What happens.
    public var steps: [Step] = []
    /// The file it was read from.
    public var file: String?

    /// A scenario without steps.
    public init(name: String, start: Moment, zone: String) {
        self.name = name
        self.start = start
        self.zone = zone
    }

    /// Whether it can be played only on a machine on which things can go wrong (``SimulatedMachine/canFail``): the power
    /// fails, a crash comes within an operation, the disk is full, or another process is there.
    public var needsFailingMachine: Bool {
        steps.contains { step in
            switch step.action {
            case .crash(let crash, let during, _): crash == .power || during != nil
            case .fault, .elsewhere: true
            default: false
            }
        }
    }
}

extension Scenario: CustomStringConvertible {
    /// Its file and its name.
    public var description: String { (file.map { "\($0): " } ?? "") + name }
}
