/// What a run of the lab is asked to do.
public struct CrashLabOptions: Sendable {
    /// What every draw follows from.
    public var seed: UInt64
    /// How long to go on, in seconds.
    public var budgetSeconds: Int
    /// Whether every small workload is explored to its end, however long that takes.
    public var isExhaustive: Bool
    /// The parts of the work to do.
    public var phases = Set(CrashPhase.allCases)
    /// The promise that Daybook is to break in this run, to see what the lab says then.
    package var sabotage: String?
    /// A folder on a fast file system, for the lab alone; it is made and removed.
    public var scratch: String
    /// How many images are opened at once.
    public var width: Int

    /// How many processes a run kills at random moments.
    static let killsOfARun = 2_000

    /// A run of three minutes.
    public init(
        seed: UInt64, budgetSeconds: Int = 180, isExhaustive: Bool = false, scratch: String, width: Int = 2
    ) {
        self.seed = seed
        self.budgetSeconds = budgetSeconds
        self.isExhaustive = isExhaustive
        self.scratch = scratch
        self.width = width
    }
}
