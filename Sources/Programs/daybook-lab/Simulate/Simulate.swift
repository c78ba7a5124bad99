import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Injection

/// The `simulate` command: a simulation for each of its subcommands.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run scenarios about time: scenario files, or random ones checked against a model.",
        discussion: """
            Works in memory ($TMPDIR, else /dev/shm, else /tmp) and leaves no files. Exits with 1 if a scenario failed or a \
            service level is missed, with 2 if a scenario file is invalid, with 3 if a file cannot be read. The options \
            --sync, --zones FOLDER and --service-levels are other spellings of the subcommands.

            Examples:
              daybook simulate Simulations/midnight
              daybook simulate --html scenarios.html
              daybook simulate --runs 1000
              daybook simulate --runs 1000 --steps 100 --pack all
              daybook simulate --seed 7 --steps 500 --trace steps.ndjson
              daybook simulate sync --seed 1 --runs 1000 --steps 500
              daybook simulate sync Simulations/sync
              daybook simulate zones ../shared/data/time
              daybook simulate service-levels --seed 1
            """,
        subcommands: [
            SimulateRun.self, SimulateSync.self, SimulateZones.self, SimulateServiceLevels.self,
        ], defaultSubcommand: SimulateRun.self)

    /// Returns the arguments of a program with the subcommand right behind `simulate`: global options may stand between them,
    /// and the subcommands but the default one have another spelling.
    static func arranged(_ arguments: [String]) -> [String] {
        guard arguments.first == "simulate" else { return arguments }
        let names = configuration.subcommands.map { $0._commandName }
        var words = Array(arguments.dropFirst())
        for name in names.dropFirst() {
            guard let index = words.firstIndex(where: { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }) else {
                continue
            }
            let value = words[index].dropFirst(name.count + 3)
            words.replaceSubrange(index...index, with: value.isEmpty ? [] : [String(value)])
            return ["simulate", name] + words
        }
        var index = 0
        while index < words.count, GlobalOptions.names.contains(words[index]) {
            index += GlobalOptions.namesWithValue.contains(words[index]) ? 2 : 1
        }
        guard index < words.count, names.contains(words[index]) else { return arguments }
        return ["simulate", words.remove(at: index)] + words
    }
}

/// What a simulation prints.
protocol SimulationReport {
    var isGood: Bool { get }
    var text: String { get }
    func write(to writer: inout JSONWriter)
}

extension GlobalOptions {
    /// Runs a simulation in a folder in memory and prints its report.
    func simulate<Report: SimulationReport>(_ simulation: (_ scratch: String, Context) throws -> Report) throws {
        // A failed assertion of LMDB is a result of the simulation, not a crash of this program.
        CrashMessage.remove()
        let context = try session().context
        Interruption.begin()
        let scratch = ScratchFolder.path(for: "simulate")
        try ScratchFolder.create(scratch)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let report = try simulation(scratch, context)
        if json {
            try Output.standard.json { report.write(to: &$0) }
        } else {
            try Output.standard.write(report.text)
        }
        if !report.isGood { throw CommandError.finished(.checkFailed) }
    }
}

extension Context {
    /// A seed for a simulation that got none.
    var drawnSeed: Int { Int(random.next() % 1_000_000) }
}

/// Options of random scenarios.
struct RandomOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Run random scenarios from this seed on. Default: random; it is printed.", valueName: "s"))
    var seed: Int?

    @Option(help: ArgumentHelp("The number of random scenarios, with consecutive seeds. Default: 1.", valueName: "n"))
    var runs: Int?

    @Option(help: ArgumentHelp("The number of steps of a random scenario. Default: 500.", valueName: "k"))
    var steps: Int?

    @Flag(help: "Run each scenario twice and fail if the results differ.")
    var twice = false

    /// The share of a campaign that this process runs. The program starts itself with this option.
    @Option(help: .hidden)
    var share: CampaignShare?

    /// Arms a fault injection point, to show that the simulator detects it.
    @Option(
        name: .customLong("inject"), help: .hidden,
        transform: { name in
            let points = InjectionPoint.ofSimulations + InjectionPoint.ofSync
            guard let point = InjectionPoint(named: name, among: points) else {
                throw ValidationError("Unknown: \(name).")
            }
            return point
        })
    var injectionPoint: InjectionPoint?

    /// Whether the number or the seed of random scenarios is given.
    var areGiven: Bool { seed != nil || runs != nil }

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
    }

    /// Checks what depends on the simulation.
    func validate(beside files: [String], isRandom: Bool, breaking points: [InjectionPoint]) throws {
        if areGiven, !files.isEmpty {
            throw ValidationError("Name files, or use --seed and --runs for random scenarios, but not both.")
        }
        if !isRandom, steps != nil {
            throw ValidationError("--steps applies to random scenarios: use it with --runs or --seed.")
        }
        if let injectionPoint, !points.contains(injectionPoint) {
            throw ValidationError("\(injectionPoint.name) is no rule of this simulation.")
        }
    }

    /// Returns the random scenarios to run.
    func plan(_ context: Context?, isSync: Bool = false, isPlain: Bool = false, pack: PackChoice? = nil) -> CampaignPlan
    {
        CampaignPlan(
            firstSeed: seed ?? context?.drawnSeed ?? 0, runs: runs ?? 1, steps: steps ?? 500,
            isTwice: twice, isPlain: isPlain, pack: pack, injectionPoint: injectionPoint, isSync: isSync)
    }
}
