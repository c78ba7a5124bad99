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

    func run() throws {
        if plan.isSync { return try runDevices() }
        let player = StoryPlayer(
            scratch: share.folder, isPlain: plan.isPlain, isTwice: plan.isTwice, pack: plan.pack,
            injectionPoint: plan.injectionPoint)
        for seed in stride(from: plan.firstSeed + share.place, to: plan.seeds.upperBound, by: share.count) {
            var line = WorkerLine(seed: seed)
            try write(line)
            let (story, coverage) = try player.playRandom(seed: seed, steps: plan.steps)
            // The trace must exist before the result is announced.
            if writesTrace { try writeTrace(of: story, seed: seed) }
            line.run = SeedRun(story, coverage)
            try write(line)
            guard story.isGood else {
                line.run = nil
                line.scenario = try player.shortened(story)
                if line.scenario != nil { try write(line) }
                return
            }
        }
    }

    /// The same for devices that sync.
    private func runDevices() throws {
        for seed in stride(from: plan.firstSeed + share.place, to: plan.seeds.upperBound, by: share.count) {
            var line = WorkerLine(seed: seed)
            try write(line)
            let simulation = SyncSimulation(
                seed: UInt64(seed), breaking: plan.injectionPoint, in: share.folder)
            let steps = plan.steps
            let isTwice = plan.isTwice
            let report = try blocking {
                var report = try await simulation.run(steps: steps)
                if isTwice { report.compare(with: try await simulation.run(steps: steps)) }
                return report
            }
            line.run = SeedRun(report)
            try write(line)
            guard report.problems.isEmpty else {
                // A broken rule is broken in every run.
                guard plan.injectionPoint == nil else { return }
                line.run = nil
                line.scenario = try blocking { try await simulation.shortened(from: steps) }.text
                return try write(line)
            }
        }
    }

    private func write(_ line: WorkerLine) throws {
        try Output.standard.write(Array(try JSONEncoder().encode(line)) + [0x0A])
    }

    private func writeTrace(of story: Story, seed: Int) throws {
        let file = try AtomicFile(path: share.tracePath(of: seed), overwrite: true)
        try file.write(TraceFile.bytes(of: story))
        try file.commit()
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

    init(seed: Int) {
        self.seed = seed
    }
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

    /// Creates the result of a run that was completed or has failed.
    init(_ story: Story, _ coverage: Coverage) {
        steps = story.events.count
        digest = story.digest
        days = Int((story.events.last?.monotonic.microseconds ?? 0) / 86_400_000_000)
        self.coverage = coverage.groups.mapValues { $0.filter { $0.value > 0 } }
        failure = story.failure.map { SeedFailure($0, in: story) }
    }

    /// Creates the result of a run of several devices.
    init(_ report: SyncReport) {
        steps = report.steps
        digest = report.digest
        days = Int(report.microseconds / 86_400_000_000)
        coverage = report.counts
        failure = report.problems.isEmpty ? nil : SeedFailure(report)
    }

    /// Creates the result of a run that ended its process.
    init(_ failure: SeedFailure) {
        self.failure = failure
    }
}

/// The failure of a seed.
struct SeedFailure: Codable {
    var seed = 0
    var subject: String
    var expected: String
    var found: String
    var step = 0
    /// The last steps and the difference, for people.
    var excerpt: [String]
    var scenario: String?
    /// Whether the process was ended by the run.
    var hasEndedProcess = false

    init(_ failure: StoryFailure, in story: Story) {
        subject = failure.subject
        expected = failure.expected
        found = failure.found
        step = story.events.count
        excerpt = story.excerpt.map(VisibleText.of)
    }

    /// Creates the failure of a run of several devices.
    init(_ report: SyncReport) {
        subject = report.problems.first ?? ""
        expected = "no problem"
        found = "\(report.problems.count) problems"
        step = report.steps
        excerpt = (report.problems + report.history.suffix(20)).map(VisibleText.of)
    }

    /// Creates the failure of a run whose process was ended by a signal.
    init(signal: Int32, lastWords: [String]) {
        subject = "the process of the run"
        expected = "no signal"
        found = "signal \(signal)"
        excerpt = ["ended by signal \(signal)"] + lastWords.map(VisibleText.of)
        hasEndedProcess = true
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
