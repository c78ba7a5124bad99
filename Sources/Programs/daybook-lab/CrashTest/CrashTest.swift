import ArgumentParser
import CommandSupport
import CrashTesting
import Daybook
import DiskRecording
import Glibc
import LabSupport

/// The `crashtest` command.
struct CrashTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crashtest",
        abstract: "Test durability with crashes, failing disks and damaged pages.",
        discussion: """
            Builds the disk images that a crash could leave, opens each one, and checks the five promises of a store and the \
            integrity of exports; makes each file system call fail; flips bits throughout a store; and breaks each promise \
            on purpose to verify that this is detected. Works in memory ($TMPDIR, else /dev/shm, else /tmp) and leaves no \
            files.

            The last line is the verdict: OK, BROKEN, or NOT PROVEN if a required case was not tried, usually because the \
            time limit was too low, or if a promise broken on purpose was not detected. The exit code is 1 unless the \
            verdict is OK. Each broken promise is reported with a command that reproduces it.

            With --program, tests what a power failure does to the data of any other program: 'daybook crashtest --program \
            --help'.

            Examples:
              daybook crashtest
              daybook crashtest --seed 7 --budget 600
              daybook crashtest --exhaustive
              daybook crashtest --kills 100000
            """)

    @Option(help: ArgumentHelp("The seed of all random choices. Default: random; it is printed.", valueName: "s"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("The time limit.", valueName: "seconds"))
    var budget = 180

    @Flag(help: "Explore every small workload completely, regardless of the time limit.")
    var exhaustive = false

    @Option(
        help: ArgumentHelp(
            "Replay one image, fault, damage or situation from a report.", valueName: "reproducer"))
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Only kill this many processes that open a store, create a task and close it, eight at a time.",
            valueName: "n"))
    var kills: Int?

    /// Runs some phases only. For work on the lab itself, and for long runs in parts.
    @Option(help: .hidden)
    var only: [CrashPhase] = []

    /// Arms a fault injection point, to show that the lab detects it.
    @Option(name: [.customLong("inject"), .customLong("sabotage")], help: .hidden)
    var injectionPoint: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...604_800).contains(budget) else {
            throw ValidationError("--budget must be from 1 to 604800 seconds.")
        }
        if let injectionPoint, !CrashLab.injectionPoints.contains(injectionPoint) {
            throw ValidationError("--inject must be one of \(CrashLab.injectionPoints.joined(separator: ", ")).")
        }
        if let kills, !(1...100_000_000).contains(kills) {
            throw ValidationError("--kills must be from 1 to 100000000.")
        }
        if kills != nil, replay != nil { throw ValidationError("--kills cannot be combined with --replay.") }
        if let replay, !CrashLab.isReproducer(replay) {
            throw ValidationError("--replay needs a reproducer from a report of this program.")
        }
    }

    func run() throws {
        let context = try options.session().context
        // A failed assertion of LMDB in a child process is a result of the test, not a crash of this program.
        CrashMessage.remove()
        let seed = seed ?? context.random.next() % 1_000_000
        let headline = headline(seed: seed)
        if !options.json { try Output.standard.write(headline + "\n") }
        let progress = Progress()
        var labOptions = CrashLabOptions(
            seed: seed, budgetSeconds: budget, isExhaustive: exhaustive, scratch: ScratchFolder.path(for: "crashtest"),
            width: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        labOptions.injectionPoint = injectionPoint
        if !only.isEmpty { labOptions.phases = Set(only) }
        let lab = CrashLab(labOptions, clock: SystemClock()) { progress.show($0) }
        let report: CrashReport
        do {
            report = try replay.map(lab.replay) ?? kills.map(lab.runStress) ?? lab.run()
        } catch CrashLabError.interrupted {
            progress.end()
            throw CommandError.finished(.interrupted)
        } catch let error as ScratchFull {
            progress.end()
            throw error
        } catch {
            progress.end()
            throw CommandError.unusable("The crash test failed to run: \(error)")
        }
        progress.end()
        let table = CrashTable(report: report, isReplay: replay != nil)
        if options.json {
            try Output.standard.json { table.write(to: &$0, commit: BuiltCommit.current) }
        } else {
            try Output.standard.write(table.text + headline + "\n" + table.verdict + "\n")
        }
        if !report.isClean { throw CommandError.finished(.checkFailed) }
    }

    /// Everything that determines the run: the first line, and the last but one.
    private func headline(seed: UInt64) -> String {
        var words = ["crashtest: seed \(seed)", "commit \(BuiltCommit.current)", "budget \(budget) s"]
        if exhaustive { words.append("exhaustive") }
        if let kills { words.append("kills \(kills)") }
        if let replay { words.append("replay '\(replay)'") }
        return words.joined(separator: ", ")
    }
}

extension CrashPhase: ExpressibleByArgument {}
