import ArgumentParser
import Daybook
import Injection
import Simulation

/// Which random stories are to be played, and how.
struct CampaignPlan {
    let firstSeed: Int
    let runs: Int
    /// In each story.
    let steps: Int
    let isTwice: Bool
    let isPlain: Bool
    /// The rule of time that the stores are to break.
    let sabotage: InjectionPoint?

    var seeds: Range<Int> { firstSeed..<firstSeed + runs }

    /// What makes the campaign the same campaign again; its first line and its last.
    var headline: String {
        var words = ["simulate: seed \(firstSeed)", "commit \(BuiltCommit.current)", "\(runs) runs of \(steps) steps"]
        if isTwice { words.append("twice") }
        if isPlain { words.append("plain") }
        if let sabotage { words.append(sabotage.rawValue) }
        return words.joined(separator: ", ")
    }

    /// The command that plays one seed again.
    func replay(of seed: Int) -> String {
        "daybook simulate --seed \(seed) --steps \(steps)" + flags.map { " \($0)" }.joined()
    }

    /// What else a process has to know that plays a share of it.
    var arguments: [String] {
        ["--seed", "\(firstSeed)", "--runs", "\(runs)", "--steps", "\(steps)"] + flags
    }

    private var flags: [String] {
        (isTwice ? ["--twice"] : []) + (isPlain ? ["--plain"] : [])
            + (sabotage.map { ["--sabotage", $0.rawValue] } ?? [])
    }
}

/// The part of a campaign that one process plays: every so manieth seed.
struct CampaignShare: ExpressibleByArgument {
    /// Its number among the processes, from 0.
    let place: Int
    /// How many processes there are.
    let count: Int
    /// Where it works, and leaves traces of stories.
    let folder: String

    init(place: Int, of count: Int, in folder: String) {
        self.place = place
        self.count = count
        self.folder = folder
    }

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let place = Int(parts[0]), let count = Int(parts[1]),
            (0..<max(1, count)).contains(place)
        else { return nil }
        self.init(place: place, of: count, in: String(parts[2]))
    }

    var argument: String { "\(place):\(count):\(folder)" }

    func tracePath(of seed: Int) -> String { "\(folder)/\(seed).trace" }
}

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
