/// Everything that one run of `daybook bench` found out.
public struct BenchReport: Sendable, Equatable, Codable {
    /// What it ran on.
    public let machine: Machine
    /// When it began, ISO 8601 in UTC; and the version or commit of the program.
    public let date, program: String
    /// How many tasks the history of the measured store has.
    public let taskCount: Int
    /// The operations against their budgets.
    public var budgets: [BudgetRow] = []
    /// Sizes against theirs.
    public var sizes: [SizeRow] = []
    /// How the questions grow.
    public var scale: [ScaleRow] = []
    /// What was counted.
    public var counts: [ExactCounts] = []
    /// This program against another, in turn.
    public var comparisons: [Comparison] = []
    /// What the gate found. Empty until it has been asked.
    public var findings: [GateFinding] = []

    /// A report without results yet.
    public init(machine: Machine, date: String, program: String, taskCount: Int) {
        self.machine = machine
        self.date = date
        self.program = program
        self.taskCount = taskCount
    }
}
