/// What a run of the lab found.
public struct CrashReport: Sendable {
    /// What was asked for.
    public let options: CrashLabOptions
    /// Broken promises; none is what everyone hopes for.
    public internal(set) var violations: [CrashViolation] = []
    /// Whether the lab noticed each promise that was broken on purpose.
    public internal(set) var canaries: [CanaryResult] = []
    /// Whether every small workload was explored to its end.
    public internal(set) var smallWorkloadsAreComplete = false
    /// What must be tried by every run, and was not.
    public internal(set) var unreached: [String] = []
    /// How many kinds must be tried by every run; 0 for a run of some phases only, of which nothing is asked.
    public internal(set) var requiredKinds = 0
    /// Whether every call of every operation was made to fail in every way.
    public internal(set) var faultsAreComplete = false
    /// Whether every damage was tried: 2,720, of which 2,040 are single flipped bits.
    public internal(set) var damagesAreComplete = false
    /// How often each kind of thing was tried, by group.
    public internal(set) var coverage: [String: [String: Int]] = [:]
    /// Images that were put together.
    public internal(set) var imagesBuilt = 0
    /// Those of them that differ from every other in some byte.
    public internal(set) var imagesDifferent = 0
    /// Those that were opened and judged; the others are equal to one of these in all that LMDB can reach.
    public internal(set) var imagesOpened = 0
    /// Images whose recovery was crashed at each of its calls.
    public internal(set) var recoveriesInterrupted = 0
    /// The images which that left; each was opened as well.
    public internal(set) var imagesOfRecoveries = 0
    /// Images of small stores that were opened, those of interrupted recoveries included.
    public internal(set) var smallImagesOpened = 0
    /// How long building and opening these took.
    public internal(set) var smallImagesSeconds = 0.0
    /// Races between processes that were run, each from the beginning.
    public internal(set) var races = 0
    /// Whether every race was run at every system call.
    public internal(set) var racesAreComplete = false
    /// The most system calls of a process that were raced, each with others before it was killed or resumed.
    public internal(set) var callsRaced = 0
    /// Processes that were killed at random moments, and what became of what they wrote.
    public internal(set) var kills = KillResult()
    /// How long everything took.
    public internal(set) var seconds = 0.0

    init(options: CrashLabOptions) {
        self.options = options
    }

    /// Whether nothing is wrong, neither with Daybook nor with the lab.
    public var isClean: Bool {
        violations.isEmpty && unreached.isEmpty && canaries.allSatisfy { $0.trialsUntilFound != nil }
    }

    mutating func take(_ coverage: Coverage, seconds: Double) {
        self.coverage = coverage.counts
        imagesBuilt = coverage.imagesBuilt
        imagesDifferent = coverage.imagesDifferent
        imagesOpened = coverage.imagesOpened
        recoveriesInterrupted = coverage.recoveriesInterrupted
        imagesOfRecoveries = coverage.imagesOfRecoveries
        self.seconds = seconds
    }
}
