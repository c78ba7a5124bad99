import Simulation

/// What came of random stories: all up to the first seed that failed, in the order of the seeds.
struct CampaignReport {
    let plan: CampaignPlan
    /// How many stories that were.
    private(set) var runs = 0
    private(set) var coverage = Coverage()
    /// How much time went by in them, in periods of 24 hours.
    private(set) var days = 0
    /// Of all their digests: equal campaigns have equal ones.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var failure: SeedFailure?
    var processes = 0
    var seconds = 0.0

    /// From so many steps on everything has to be reached.
    static let judgedSteps = 50_000

    init(_ plan: CampaignPlan) {
        self.plan = plan
    }

    var steps: Int { coverage.steps }

    var stepsPerSecond: Int { seconds > 0 ? Int(Double(steps) / seconds) : 0 }

    /// Whether what was not reached is a failure.
    var isJudged: Bool { !plan.isPlain && failure == nil && steps >= Self.judgedSteps }

    var isGood: Bool { failure == nil && (!isJudged || coverage.unreached.isEmpty) }

    /// Adds the next seed's.
    mutating func add(_ run: SeedRun) {
        runs += 1
        coverage.add(steps: run.steps)
        days += run.days
        for (group, rows) in run.coverage {
            for (name, count) in rows { coverage.add(count, to: name, in: group) }
        }
        // 64-bit FNV-1a, as a story's own.
        for shift in stride(from: 56, through: 0, by: -8) {
            digest = (digest ^ (run.digest >> UInt64(shift) & 0xFF)) &* 0x100_0000_01B3
        }
    }
}
