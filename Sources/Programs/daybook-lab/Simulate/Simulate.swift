import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Injection
import Simulation

/// `daybook simulate`
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Plays stories about time: written ones, or random ones beside a model.",
        discussion: """
            A scenario is a YAML file that tells what happens to a store, its clock and its owner, and what has to be so \
            then. Without FILE and without --runs it plays all below the folder Simulations. With --runs it draws stories, \
            and compares everything with a model after every step; a story that fails is made as short as it can be and \
            printed as a scenario. Works in memory ($TMPDIR, else /dev/shm, else /tmp) and leaves nothing.

            Exits with 1 when a simulation failed, with 2 when a scenario is malformed, with 3 when a file cannot be read.

            Examples:
              daybook simulate Simulations/midnight
              daybook simulate --html stories.html
              daybook simulate --runs 1000
              daybook simulate --seed 7 --steps 500 --trace steps.ndjson
              daybook simulate --zones ../shared/data/time
            """)

    @Argument(
        help: ArgumentHelp("Scenarios, and folders of them. Default: the folder Simulations.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @Option(
        help: ArgumentHelp("Draws stories from this seed on. Default: a new one, which is printed.", valueName: "s"))
    var seed: Int?

    @Option(help: ArgumentHelp("How many stories are drawn, each from a seed of its own. Default: 1.", valueName: "n"))
    var runs: Int?

    @Option(help: ArgumentHelp("How many steps a drawn story has. Default: 500.", valueName: "k"))
    var steps: Int?

    @Option(
        help: ArgumentHelp("Writes what happened to a file, one line of JSON an event.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Writes a page that draws the stories as time lines.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Flag(help: "Plays each story twice, and fails when anything was different.")
    var twice = false

    @Flag(help: "Leaves out crashes, faults and other processes: for measuring, or for other systems.")
    var plain = false

    @Option(
        help: ArgumentHelp(
            "Checks every zone on every day from 1970 to 2037 instead, against the truth in a folder.",
            valueName: "folder"),
        completion: .directory)
    var zones: String?

    /// A share of a campaign: what this program starts itself with.
    @Option(help: .hidden)
    var share: CampaignShare?

    /// For those who want to see the simulator find something.
    @Option(help: .hidden)
    var sabotage: InjectionPoint?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let runs, !(1...1_000_000_000).contains(runs) {
            throw ValidationError("--runs must be from 1 to 1000000000.")
        }
        if let steps, !(1...1_000_000).contains(steps) {
            throw ValidationError("--steps must be from 1 to 1000000.")
        }
        if let seed, !(0...Int.max - (runs ?? 1)).contains(seed) {
            throw ValidationError("--seed must be from 0 to \(Int.max - (runs ?? 1)).")
        }
        if isRandom, !files.isEmpty {
            throw ValidationError("Name files, or draw stories with --seed and --runs: not both at once.")
        }
        if !isRandom, steps != nil {
            throw ValidationError("--steps is for drawn stories: give --runs or --seed as well.")
        }
        if zones != nil, isRandom || !files.isEmpty || trace != nil || html != nil || twice || plain {
            throw ValidationError("--zones is a check of its own: leave the other options out.")
        }
        for (name, path) in [("--trace", trace), ("--html", html), ("--zones", zones)] where path?.isEmpty ?? false {
            throw ValidationError("\(name) needs a name of a file or folder.")
        }
    }

    private var isRandom: Bool { seed != nil || runs != nil }

    func run() throws {
        // A failed assertion of LMDB's is a verdict on the simulation, not on a person's store.
        CrashMessage.remove()
        if let share {
            let worker = CampaignWorker(plan: plan(seed: seed ?? 0), share: share, writesTrace: trace != nil)
            return try worker.run()
        }
        let context = try options.session().context
        Interruption.begin()
        let scratch = ScratchFolder.path(for: "simulate")
        do {
            try FileManager.default.createDirectory(
                atPath: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError.unusable("The folder \(scratch) could not be made. Set TMPDIR to another place.")
        }
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let isGood: Bool
        if let zones {
            isGood = try checkZones(truth: zones, scratch: scratch)
        } else if isRandom {
            isGood = try runCampaign(
                plan(seed: seed ?? Int(context.random.next() % 1_000_000)), scratch: scratch)
        } else {
            isGood = try playFiles(scratch: scratch)
        }
        if !isGood { throw CommandError.finished(.checkFailed) }
    }

    private func checkZones(truth: String, scratch: String) throws -> Bool {
        let table = try ZonesRun(truth: truth, scratch: scratch).run()
        if options.json {
            try Output.standard.json { table.write(to: &$0) }
        } else {
            try Output.standard.write(table.text)
        }
        return table.report.isClean
    }

    private func plan(seed: Int) -> CampaignPlan {
        CampaignPlan(
            firstSeed: seed, runs: runs ?? 1, steps: steps ?? 500, isTwice: twice, isPlain: plain,
            sabotage: sabotage)
    }

    // MARK: Files

    private func playFiles(scratch: String) throws -> Bool {
        let scenarios = try ScenarioFiles(named: files).scenarios()
        // Told before the work rather than after it.
        let traceFile = try trace.map { try TraceFile($0) }
        let pageFile = try html.map { try AtomicFile(path: $0, overwrite: true) }
        let player = StoryPlayer(scratch: scratch, isPlain: plain, isTwice: twice, sabotage: sabotage)
        let progress = Progress()
        let clock = SystemClock()
        var played: [PlayedScenario] = []
        for (number, scenario) in scenarios.enumerated() {
            progress.show("\(number + 1) of \(scenarios.count): \(VisibleText.of(scenario.name))")
            let start = clock.monotonic
            let story = try player.play(scenario)
            played.append(
                PlayedScenario(story: story, microseconds: clock.monotonic.microseconds(since: start)))
            try traceFile?.add(story)
            if Interruption.isRequested { throw CommandError.finished(.interrupted) }
        }
        progress.end()
        try traceFile?.end()
        try pageFile?.end(with: played.map(\.story))
        let table = ScenarioTable(played: played)
        if options.json {
            try Output.standard.json { table.write(to: &$0) }
        } else {
            try Output.standard.write(table.text)
        }
        return table.isGood
    }

    // MARK: Random stories

    private func runCampaign(_ plan: CampaignPlan, scratch: String) throws -> Bool {
        if !options.json { try Output.standard.write(plan.headline + "\n") }
        let traceFile = try trace.map { try TraceFile($0) }
        let pageFile = try html.map { try AtomicFile(path: $0, overwrite: true) }
        let campaign = Campaign(plan, scratch: scratch, trace: traceFile)
        let report = try campaign.run()
        try traceFile?.end()
        if let pageFile { try pageFile.end(with: try storiesToDraw(of: report, scratch: scratch)) }
        let table = CampaignTable(report: report)
        if options.json {
            try Output.standard.json { table.write(to: &$0) }
        } else {
            try Output.standard.write(table.text + plan.headline + "\n")
        }
        return report.isGood
    }

    /// A page of more stories than these is none to look at.
    private static let drawnMax = 20

    /// The stories were told by other processes, so they are played again here.
    private func storiesToDraw(of report: CampaignReport, scratch: String) throws -> [Story] {
        let player = StoryPlayer(scratch: scratch, isPlain: plain, isTwice: false, sabotage: sabotage)
        let plan = report.plan
        if let failure = report.failure {
            guard !failure.hasEndedProcess else {
                Output.report("Seed \(failure.seed) ends the process that plays it, so the page shows no story.")
                return []
            }
            return [try player.playRandom(seed: failure.seed, steps: plan.steps).story]
        }
        let count = min(plan.runs, Self.drawnMax)
        if count < plan.runs { Output.report("The page shows the first \(count) of \(plan.runs) stories.") }
        return try (0..<count).map { try player.playRandom(seed: plan.firstSeed + $0, steps: plan.steps).story }
    }
}

extension AtomicFile {
    /// Writes the page of these stories and puts the file in its place.
    fileprivate func end(with stories: [Story]) throws {
        try write(Array(TimeLinePage(stories).html.utf8))
        try commit()
    }
}

/// Only the rules of time can be broken here; the rest is the crash lab's.
extension InjectionPoint: ExpressibleByArgument {
    /// Reads the name of a point.
    public init?(argument: String) {
        self.init(named: argument, among: InjectionPoint.ofTime)
    }

    /// The names that help lists.
    public static var allValueStrings: [String] { ofTime.map(\.rawValue) }
}
