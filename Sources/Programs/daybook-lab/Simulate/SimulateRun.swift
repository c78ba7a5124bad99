import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Injection
import Simulation

/// The default subcommand of `simulate`: one store beside a model.
struct SimulateRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run scenarios of one store, written or random.",
        discussion: """
            A scenario is a YAML file with the steps of a store, its clock and its user, and the expected results. \
            Without FILE and --runs, the command runs every scenario below the folder Simulations. With --runs, it \
            generates random scenarios and compares the store with a model after every step; a failing scenario is \
            shortened and printed as a scenario file.
            """)

    @Argument(
        help: ArgumentHelp("Scenario files and folders of them. Default: the folder Simulations.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @OptionGroup var random: RandomOptions

    @Option(
        help: ArgumentHelp("Write the events to a file, one line of JSON for each.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Write an HTML page with a timeline of each scenario.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Also draw the operations of a domain, or use them as verbs of files: garden, planner, lists, recurrence, or all, "
                + "of which each seed takes one.", valueName: "name"))
    var pack: PackChoice?

    @Flag(help: "Exclude crashes, faults and second processes, for measurements and for other systems.")
    var plain = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try random.validate(beside: files, isRandom: random.areGiven, breaking: InjectionPoint.ofSimulations)
        if !random.areGiven, pack == .all {
            throw ValidationError("--pack all applies to random scenarios: name one pack for files.")
        }
        for (name, path) in [("--trace", trace), ("--html", html)] where path?.isEmpty ?? false {
            throw ValidationError("\(name) needs the name of a file.")
        }
    }

    func run() throws {
        if let share = random.share {
            try CampaignWorker(plan: plan(nil), share: share, writesTrace: trace != nil).run()
        } else if random.areGiven {
            try options.simulate { try runCampaign(plan($1), scratch: $0) }
        } else {
            try options.simulate { scratch, _ in try playFiles(scratch: scratch) }
        }
    }

    private func plan(_ context: Context?) -> CampaignPlan { random.plan(context, isPlain: plain, pack: pack) }

    private func player(_ scratch: String, isTwice: Bool) -> StoryPlayer {
        StoryPlayer(
            scratch: scratch, isPlain: plain, isTwice: isTwice, pack: pack, injectionPoint: random.injectionPoint)
    }

    private func playFiles(scratch: String) throws -> ScenarioTable {
        let scenarios = try ScenarioFiles(named: files).scenarios()
        // Report unusable paths before the work.
        let traceFile = try trace.map { try AtomicFile(path: $0, overwrite: true) }
        let pageFile = try html.map { try AtomicFile(path: $0, overwrite: true) }
        let player = player(scratch, isTwice: random.twice)
        let progress = Progress()
        let clock = SystemClock()
        var played: [PlayedScenario] = []
        for (number, scenario) in scenarios.enumerated() {
            progress.show("\(number + 1) of \(scenarios.count): \(VisibleText.of(scenario.name))")
            let start = clock.monotonic
            let story = try player.play(scenario)
            played.append(PlayedScenario(story: story, microseconds: clock.monotonic.microseconds(since: start)))
            try traceFile?.write(story.traceBytes)
            try Interruption.check()
        }
        progress.end()
        try traceFile?.commit()
        try pageFile?.end(with: played.map(\.story))
        return ScenarioTable(played: played)
    }

    private func runCampaign(_ plan: CampaignPlan, scratch: String) throws -> CampaignReport {
        let traceFile = try trace.map { try AtomicFile(path: $0, overwrite: true) }
        let pageFile = try html.map { try AtomicFile(path: $0, overwrite: true) }
        let report = try Campaign(plan, scratch: scratch, trace: traceFile).run(quietly: options.json)
        try traceFile?.commit()
        if let pageFile { try pageFile.end(with: try storiesToDraw(of: report, scratch: scratch)) }
        return report
    }

    /// The maximum number of random scenarios on a page.
    private static let drawnMax = 20

    /// Repeats the runs, which took place in other processes.
    private func storiesToDraw(of report: CampaignReport, scratch: String) throws -> [Story] {
        let player = player(scratch, isTwice: false)
        let plan = report.plan
        if let failure = report.failure {
            guard !failure.hasEndedProcess else {
                Output.report("Seed \(failure.seed) ends its process, so the page contains no scenario.")
                return []
            }
            return [try player.playRandom(seed: failure.seed, steps: plan.steps).story]
        }
        let count = min(plan.runs, Self.drawnMax)
        if count < plan.runs { Output.report("The page contains the first \(count) of \(plan.runs) scenarios.") }
        return try (0..<count).map { try player.playRandom(seed: plan.firstSeed + $0, steps: plan.steps).story }
    }
}

extension AtomicFile {
    /// Writes the page of these runs and commits the file.
    fileprivate func end(with stories: [Story]) throws {
        try write(Array(TimeLinePage(stories).html.utf8))
        try commit()
    }
}
