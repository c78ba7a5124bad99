import CommandSupport
import Daybook
import FoundationEssentials
import Simulation

/// Plays a share of a campaign and says what came of each seed, until one fails.
struct CampaignWorker {
    let plan: CampaignPlan
    let share: CampaignShare
    let writesTrace: Bool

    func run() throws {
        let player = StoryPlayer(
            scratch: share.folder, isPlain: plan.isPlain, isTwice: plan.isTwice, sabotage: plan.sabotage)
        for seed in stride(from: plan.firstSeed + share.place, to: plan.seeds.upperBound, by: share.count) {
            var line = WorkerLine(seed: seed)
            try say(line)
            let (story, coverage) = try player.playRandom(seed: seed, steps: plan.steps)
            // Before it is said that there is one.
            if writesTrace { try writeTrace(of: story, seed: seed) }
            line.run = SeedRun(story, coverage)
            try say(line)
            guard story.isGood else {
                line.run = nil
                line.scenario = try player.shortened(story)
                if line.scenario != nil { try say(line) }
                return
            }
        }
    }

    private func say(_ line: WorkerLine) throws {
        try Output.standard.write(Array(try JSONEncoder().encode(line)) + [0x0A])
    }

    private func writeTrace(of story: Story, seed: Int) throws {
        let file = try AtomicFile(path: share.tracePath(of: seed), overwrite: true)
        try file.write(TraceFile.bytes(of: story))
        try file.commit()
    }
}

/// What a process that plays a share of a campaign says: a line of JSON each.
struct WorkerLine: Codable {
    /// The seed it is about. A line that says no more says that it begins.
    var seed: Int
    /// What came of it.
    var run: SeedRun?
    /// The scenario file of a shorter story that fails for the same reason.
    var scenario: String?

    init(seed: Int) {
        self.seed = seed
    }
}

/// What came of one seed.
struct SeedRun: Codable {
    var steps = 0
    var digest: UInt64 = 0
    /// How much time went by in it, in periods of 24 hours.
    var days = 0
    /// What was reached, by group and name.
    var coverage: [String: [String: Int]] = [:]
    var failure: SeedFailure?

    /// What came of a story that was told to its end, or to its failure.
    init(_ story: Story, _ coverage: Coverage) {
        steps = story.events.count
        digest = story.digest
        days = Int((story.events.last?.monotonic.microseconds ?? 0) / 86_400_000_000)
        self.coverage = coverage.groups.mapValues { $0.filter { $0.value > 0 } }
        failure = story.failure.map { SeedFailure($0, in: story) }
    }

    /// A run that ended in this way and told no more.
    init(_ failure: SeedFailure) {
        self.failure = failure
    }
}

/// How the story of a seed went wrong.
struct SeedFailure: Codable {
    var seed = 0
    var subject: String
    var expected: String
    var found: String
    var step = 0
    /// The story's last steps and what was wrong, for a person.
    var excerpt: [String]
    var scenario: String?
    /// Whether it ended the process that played it.
    var hasEndedProcess = false

    init(_ failure: StoryFailure, in story: Story) {
        subject = failure.subject
        expected = failure.expected
        found = failure.found
        step = story.events.count
        excerpt = story.excerpt.map(VisibleText.of)
    }

    /// A signal ended the process.
    init(signal: Int32, lastWords: [String]) {
        subject = "the process that played it"
        expected = "that it goes on"
        found = "signal \(signal)"
        excerpt = ["ended by signal \(signal)"] + lastWords.map(VisibleText.of)
        hasEndedProcess = true
    }
}
