import ArgumentParser
import Daybook
import DeviceSimulation
import Injection
import Simulation

/// The random scenarios to run, and the options.
struct CampaignPlan {
    let firstSeed: Int
    let runs: Int
    /// The number of steps of each scenario.
    let steps: Int
    let isTwice: Bool
    let isPlain: Bool
    /// The domain whose operations are drawn, too.
    let pack: PackChoice?
    /// The rule of time that the stores break.
    let injectionPoint: InjectionPoint?
    /// Whether several devices sync, instead of one store beside a model.
    var isSync = false

    var seeds: Range<Int> { firstSeed..<firstSeed + runs }

    /// Everything that determines the campaign: the first and the last line of its report.
    var headline: String {
        var words = ["simulate: seed \(firstSeed)", "commit \(BuiltCommit.current)", "\(runs) runs of \(steps) steps"]
        if isSync { words.append("sync") }
        if isTwice { words.append("twice") }
        if isPlain { words.append("plain") }
        if let pack { words.append("pack \(pack.rawValue)") }
        if let injectionPoint { words.append(injectionPoint.name) }
        return words.joined(separator: ", ")
    }

    /// Returns the command that repeats one seed.
    func replay(of seed: Int) -> String {
        "daybook simulate\(isSync ? " sync" : "") --seed \(seed) --steps \(steps)" + flags.map { " \($0)" }.joined()
    }

    /// The arguments for a process that runs a share of the campaign.
    var arguments: [String] {
        ["simulate", isSync ? "sync" : "run", "--seed", "\(firstSeed)", "--runs", "\(runs)", "--steps", "\(steps)"]
            + flags
    }

    private var flags: [String] {
        (isTwice ? ["--twice"] : []) + (isPlain ? ["--plain"] : []) + (pack.map { ["--pack", $0.rawValue] } ?? [])
            + (injectionPoint.map { ["--inject", $0.name] } ?? [])
    }
}

/// The part of a campaign that one process runs: every `count`-th seed.
struct CampaignShare {
    /// The index of the process, from 0.
    let place: Int
    /// The number of processes.
    let count: Int
    /// The folder for stores and traces.
    let folder: String

    var argument: String { "\(place):\(count):\(folder)" }

    func tracePath(of seed: Int) -> String { "\(folder)/\(seed).trace" }
}

extension CampaignShare: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let place = Int(parts[0]), let count = Int(parts[1]),
            (0..<max(1, count)).contains(place)
        else { return nil }
        self.init(place: place, count: count, folder: String(parts[2]))
    }
}

/// The results of random scenarios up to the first failed seed, in the order of seeds.
struct CampaignReport {
    let plan: CampaignPlan
    /// The number of scenarios.
    private(set) var runs = 0
    private(set) var coverage: Coverage
    /// The simulated time, in periods of 24 hours.
    private(set) var days = 0
    /// A digest of all runs: equal campaigns have equal digests.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var failure: SeedFailure?
    var processes = 0
    var seconds = 0.0

    /// The number of steps from which on every required situation must be reached.
    static let judgedSteps = 50_000

    init(_ plan: CampaignPlan) {
        self.plan = plan
        coverage =
            plan.isSync ? Coverage(requiring: SyncCoverage.required) : Coverage(ofAll: plan.pack?.packs ?? [])
    }

    var steps: Int { coverage.steps }

    var stepsPerSecond: Int { seconds > 0 ? Int(Double(steps) / seconds) : 0 }

    /// Whether an unreached situation is a failure.
    var isJudged: Bool { !plan.isPlain && failure == nil && steps >= Self.judgedSteps }

    var isGood: Bool { failure == nil && (!isJudged || coverage.unreached.isEmpty) }

    /// Adds the result of the next seed.
    mutating func add(_ run: SeedRun) {
        runs += 1
        coverage.add(steps: run.steps)
        days += run.days
        for (group, rows) in run.coverage {
            for (name, count) in rows { coverage.add(count, to: name, in: group) }
        }
        // 64-bit FNV-1a, as in the digest of a run.
        for shift in stride(from: 56, through: 0, by: -8) {
            digest = (digest ^ (run.digest >> UInt64(shift) & 0xFF)) &* 0x100_0000_01B3
        }
    }
}
