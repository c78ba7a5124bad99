import BenchCommands
import CommandSupport
import Daybook
import DeviceSimulation
import FoundationEssentials
import Simulation

/// Runs a share of a campaign and prints the result of each seed, until one fails.
struct CampaignWorker {
    let plan: CampaignPlan
    let share: CampaignShare
    let writesTrace: Bool

    /// The result of a seed, and what shortens a failing scenario.
    private typealias Outcome = (run: SeedRun, shortened: () throws -> String?)

    func run() throws {
        CrashMessage.remove()
        let player = StoryPlayer(
            scratch: share.folder, isPlain: plan.isPlain, isTwice: plan.isTwice, pack: plan.pack,
            injectionPoint: plan.injectionPoint)
        for seed in stride(from: plan.firstSeed + share.place, to: plan.seeds.upperBound, by: share.count) {
            var line = WorkerLine(seed: seed)
            try write(line)
            let (run, shortened) = try plan.isSync ? runDevices(seed) : runStory(seed, by: player)
            line.run = run
            try write(line)
            guard run.failure != nil else { continue }
            (line.run, line.scenario) = (nil, try shortened())
            return line.scenario == nil ? () : try write(line)
        }
    }

    private func runStory(_ seed: Int, by player: StoryPlayer) throws -> Outcome {
        let (story, coverage) = try player.playRandom(seed: seed, steps: plan.steps)
        // The trace must exist before the result is announced.
        if writesTrace { try AtomicFile.replace(share.tracePath(of: seed), with: story.traceBytes) }
        return (SeedRun(story, coverage), { try player.shortened(story) })
    }

    private func runDevices(_ seed: Int) throws -> Outcome {
        let simulation = SyncSimulation(seed: UInt64(seed), breaking: plan.injectionPoint, in: share.folder)
        let (steps, isTwice) = (plan.steps, plan.isTwice)
        let report = try blocking {
            var report = try await simulation.run(steps: steps)
            if isTwice { report.compare(with: try await simulation.run(steps: steps)) }
            return report
        }
        // A broken rule is broken in every run.
        let isBroken = plan.injectionPoint != nil
        return (
            SeedRun(report), { isBroken ? nil : try blocking { try await simulation.shortened(from: steps) }.text }
        )
    }

    private func write(_ line: WorkerLine) throws {
        try Output.standard.write(Array(try JSONEncoder().encode(line)) + [0x0A])
    }
}

/// A line of JSON that a worker process prints.
struct WorkerLine: Codable {
    /// The seed. A line without any other field announces that the seed begins.
    var seed: Int
    /// The result.
    var run: SeedRun?
    /// A shortened scenario file that fails for the same reason.
    var scenario: String?
}

/// The result of one seed.
struct SeedRun: Codable {
    var steps = 0
    var digest: UInt64 = 0
    /// The simulated time, in periods of 24 hours.
    var days = 0
    /// The situations that were reached, by group and name.
    var coverage: [String: [String: Int]] = [:]
    var failure: SeedFailure?
}

extension SeedRun {
    /// Creates the result of a run that was completed or has failed.
    init(_ story: Story, _ coverage: Coverage) {
        self.init(
            steps: story.events.count, digest: story.digest,
            days: Int((story.events.last?.monotonic.microseconds ?? 0) / 86_400_000_000),
            coverage: coverage.groups.mapValues { $0.filter { $0.value > 0 } },
            failure: story.failure.map { SeedFailure($0, in: story) })
    }

    /// Creates the result of a run of several devices.
    init(_ report: SyncReport) {
        self.init(
            steps: report.steps, digest: report.digest, days: Int(report.microseconds / 86_400_000_000),
            coverage: report.counts, failure: report.problems.isEmpty ? nil : SeedFailure(report))
    }
}

/// The failure of a seed.
struct SeedFailure: Codable {
    var seed = 0
    var subject, expected, found: String
    var step = 0
    /// The last steps and the difference, for people.
    var excerpt: [String]
    var scenario: String?
    /// Whether the process was ended by the run.
    var hasEndedProcess = false
}

extension SeedFailure {
    init(_ failure: StoryFailure, in story: Story) {
        self.init(
            subject: failure.subject, expected: failure.expected, found: failure.found, step: story.events.count,
            excerpt: story.excerpt.map(VisibleText.of))
    }

    /// Creates the failure of a run of several devices.
    init(_ report: SyncReport) {
        self.init(
            subject: report.problems.first ?? "", expected: "no problem", found: "\(report.problems.count) problems",
            step: report.steps, excerpt: (report.problems + report.history.suffix(20)).map(VisibleText.of))
    }

    /// Creates the failure of a run whose process was ended by a signal.
    init(signal: Int32, lastWords: [String]) {
        self.init(
            subject: "the process of the run", expected: "no signal", found: "signal \(signal)",
            excerpt: ["ended by signal \(signal)"] + lastWords.map(VisibleText.of), hasEndedProcess: true)
    }
}

extension SyncReport {
    /// Notes when a second run of the same seed differs.
    mutating func compare(with second: SyncReport) {
        if digest != second.digest { problems.append("the second run differs from the first") }
    }

    /// What is known of a failure, for people.
    fileprivate var text: String {
        (["\(steps) steps; what could happen: \(traits.joined(separator: ", "))"] + problems.prefix(5) + [""]
            + history.suffix(30)).joined(separator: "\n")
    }
}
