import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Injection
import Simulation

/// The `simulate` command.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run scenarios about time: scenario files, or random ones checked against a model.",
        discussion: """
            A scenario is a YAML file with the steps of a store, its clock and its user, and the expected results. \
            Without FILE and --runs, the command runs every scenario below the folder Simulations. With --runs, it \
            generates random scenarios and compares the store with a model after every step; a failing scenario is \
            shortened and printed as a scenario file. Works in memory ($TMPDIR, else /dev/shm, else /tmp) and leaves \
            no files. With --sync, two to five devices change the same tasks and sync them over a hub, on a network and \
            with clocks, hubs, disks and programs that fail. With --service-levels, it uses journals under injected faults and crashes, and reports the shares of \
            operations, entries, drafts and exports that succeeded.

            Exits with 1 if a scenario failed or a service level is missed, with 2 if a scenario file is invalid, with 3 if a file cannot be read.

            Examples:
              daybook simulate Simulations/midnight
              daybook simulate --html scenarios.html
              daybook simulate --runs 1000
              daybook simulate --runs 1000 --steps 100 --pack all
              daybook simulate --sync --seed 1 --runs 1000 --steps 500
              daybook simulate --sync Simulations/sync
              daybook simulate --seed 7 --steps 500 --trace steps.ndjson
              daybook simulate --zones ../shared/data/time
              daybook simulate --service-levels --seed 1
            """)

    @Argument(
        help: ArgumentHelp("Scenario files and folders of them. Default: the folder Simulations.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @Option(
        help: ArgumentHelp("Run random scenarios from this seed on. Default: random; it is printed.", valueName: "s"))
    var seed: Int?

    @Option(help: ArgumentHelp("The number of random scenarios, with consecutive seeds. Default: 1.", valueName: "n"))
    var runs: Int?

    @Option(help: ArgumentHelp("The number of steps of a random scenario. Default: 500.", valueName: "k"))
    var steps: Int?

    @Option(
        help: ArgumentHelp("Write the events to a file, one line of JSON for each.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Write an HTML page with a timeline of each scenario.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Flag(help: "Run each scenario twice and fail if the results differ.")
    var twice = false

    @Option(
        help: ArgumentHelp(
            "Also draw the operations of a domain, or use them as verbs of files: garden, planner, lists, recurrence, or all, "
                + "of which each seed takes one.", valueName: "name"))
    var pack: PackChoice?

    @Flag(help: "Simulate several devices that sync over a hub, instead of one store beside a model.")
    var sync = false

    /// The option's name of before.
    @Flag(help: .hidden)
    var garden = false

    @Flag(help: "Exclude crashes, faults and second processes, for measurements and for other systems.")
    var plain = false

    @Option(
        help: ArgumentHelp(
            "Check every zone on every day from 1970 to 2037 against independent results in a folder.",
            valueName: "folder"),
        completion: .directory)
    var zones: String?

    @Flag(help: "Measure the service levels of journals under injected faults and crashes.")
    var serviceLevels = false

    @Option(help: ArgumentHelp("The number of operations for --service-levels. Default: 25000.", valueName: "n"))
    var operations: Int?

    /// Saves entries without retries, to show that --service-levels detects it.
    @Flag(help: .hidden)
    var withoutRetries = false

    /// The share of a campaign that this process runs. The program starts itself with this option.
    @Option(help: .hidden)
    var share: CampaignShare?

    /// Arms a fault injection point, to show that the simulator detects it.
    @Option(name: [.customLong("inject"), .customLong("sabotage")], help: .hidden)
    var injectionPoint: InjectionPoint?

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
            throw ValidationError("Name files, or use --seed and --runs for random scenarios, but not both.")
        }
        if !isRandom, steps != nil {
            throw ValidationError("--steps applies to random scenarios: use it with --runs or --seed.")
        }
        if let operations, !(1...10_000_000).contains(operations) {
            throw ValidationError("--operations must be from 1 to 10000000.")
        }
        if !serviceLevels, operations != nil || withoutRetries {
            throw ValidationError("--operations applies to --service-levels: use them together.")
        }
        if serviceLevels,
            runs != nil || steps != nil || !files.isEmpty || trace != nil || html != nil || twice || plain
                || chosenPack != nil || zones != nil || injectionPoint != nil
        {
            throw ValidationError("--service-levels can be combined with --seed and --operations only.")
        }
        if zones != nil,
            isRandom || !files.isEmpty || trace != nil || html != nil || twice || plain || chosenPack != nil
        {
            throw ValidationError("--zones cannot be combined with other options of this command.")
        }
        if sync,
            trace != nil || html != nil || plain || chosenPack != nil || zones != nil || serviceLevels
        {
            throw ValidationError(
                "--sync can be combined with files, or with --seed, --runs, --steps and --twice, only.")
        }
        if let injectionPoint, InjectionPoint.ofSync.contains(injectionPoint) != sync {
            throw ValidationError("\(injectionPoint.rawValue) is no rule of this simulation: add --sync, or leave it.")
        }
        if garden, pack != nil {
            throw ValidationError("--garden is --pack garden: use one of them.")
        }
        if !isRandom, pack == .all {
            throw ValidationError("--pack all applies to random scenarios: name one pack for files.")
        }
        for (name, path) in [("--trace", trace), ("--html", html), ("--zones", zones)] where path?.isEmpty ?? false {
            throw ValidationError("\(name) needs the name of a file or folder.")
        }
    }

    private var chosenPack: PackChoice? { pack ?? (garden ? .garden : nil) }

    private var isRandom: Bool { seed != nil || runs != nil || sync && files.isEmpty }

    func run() throws {
        // A failed assertion of LMDB is a result of the simulation, not a crash of this program.
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
            throw CommandError.unusable("The folder \(scratch) could not be created. Set TMPDIR to another folder.")
        }
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let isGood: Bool
        if serviceLevels {
            isGood = try measureServiceLevels(seed: seed ?? Int(context.random.next() % 1_000_000), scratch: scratch)
        } else if let zones {
            isGood = try checkZones(truth: zones, scratch: scratch)
        } else if isRandom {
            isGood = try runCampaign(
                plan(seed: seed ?? Int(context.random.next() % 1_000_000)), scratch: scratch)
        } else if sync {
            isGood = try playDevices(scratch: scratch)
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
            pack: chosenPack, injectionPoint: injectionPoint, isSync: sync)
    }

    // MARK: Files

    private func playFiles(scratch: String) throws -> Bool {
        let scenarios = try ScenarioFiles(named: files).scenarios()
        // Report unusable paths before the work.
        let traceFile = try trace.map { try TraceFile($0) }
        let pageFile = try html.map { try AtomicFile(path: $0, overwrite: true) }
        let player = StoryPlayer(
            scratch: scratch, isPlain: plain, isTwice: twice, pack: chosenPack, injectionPoint: injectionPoint)
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

    private func playDevices(scratch: String) throws -> Bool {
        let player = DeviceScenarioPlayer(
            paths: try ScenarioFiles(named: files).paths, isTwice: twice, injectionPoint: injectionPoint,
            scratch: scratch)
        let played = try player.play()
        if options.json {
            try Output.standard.json { played.write(to: &$0) }
        } else {
            try Output.standard.write(played.text)
        }
        return played.isGood
    }

    // MARK: Random scenarios

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

    /// The maximum number of random scenarios on a page.
    private static let drawnMax = 20

    /// Repeats the runs, which took place in other processes.
    private func storiesToDraw(of report: CampaignReport, scratch: String) throws -> [Story] {
        let player = StoryPlayer(
            scratch: scratch, isPlain: plain, isTwice: false, pack: chosenPack, injectionPoint: injectionPoint)
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

/// Parses the injection points about time, declarations, rules of tasks and sync; the crash test has the others.
extension InjectionPoint: ExpressibleByArgument {
    /// Parses the name of an injection point.
    public init?(argument: String) {
        self.init(named: argument, among: InjectionPoint.ofSimulations + InjectionPoint.ofSync)
    }

    /// The names for help texts.
    public static var allValueStrings: [String] { (ofSimulations + ofSync).map(\.rawValue) }
}
