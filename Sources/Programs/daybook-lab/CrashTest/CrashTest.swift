import ArgumentParser
import CommandSupport
import CrashTesting
import Daybook
import Glibc

/// `daybook crashtest`
struct CrashTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crashtest",
        abstract: "Tries to lose what was acknowledged: crashes, failing disks, damaged pages.",
        discussion: """
            Builds the disk images that crashes could leave, opens each one, and looks whether the store keeps its five \
            promises, and whether an export is whole; makes the disk fail at every call; flips bits all over a store; and \
            breaks each promise on purpose to see that it would have noticed. Works in memory ($TMPDIR, else /dev/shm, \
            else /tmp) and leaves nothing.

            The last line is the verdict: OK, BROKEN, or NOT PROVEN when something that every full run must try was not \
            tried, for which the budget was too small. Exits with 1 unless it is OK. Each broken promise has a line above \
            that replays exactly that.

            Examples:
              daybook crashtest
              daybook crashtest --seed 7 --budget 600
              daybook crashtest --exhaustive
              daybook crashtest --kills 100000
            """)

    @Option(help: ArgumentHelp("What every draw follows from. Default: a new one, which is printed.", valueName: "s"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("How long to go on.", valueName: "seconds"))
    var budget = 180

    @Flag(help: "Explores every small workload to its end, however long that takes.")
    var exhaustive = false

    @Option(
        help: ArgumentHelp(
            "Replays one image, fault, damage or situation, as a report names it.", valueName: "reproducer"))
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Kills so many processes that open a store, create a task and close it, eight at once, and does nothing else.",
            valueName: "n"))
    var kills: Int?

    /// For those who work on the lab itself.
    @Option(help: .hidden)
    var only: CrashPhase?

    /// For those who want to see the lab find something.
    @Option(help: .hidden)
    var sabotage: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...604_800).contains(budget) else {
            throw ValidationError("--budget must be from 1 to 604800 seconds.")
        }
        if let sabotage, !CrashLab.injectionPoints.contains(sabotage) {
            throw ValidationError("--sabotage must be one of \(CrashLab.injectionPoints.joined(separator: ", ")).")
        }
        if let kills, !(1...100_000_000).contains(kills) {
            throw ValidationError("--kills must be from 1 to 100000000.")
        }
        if kills != nil, replay != nil { throw ValidationError("--kills does not go with --replay.") }
        if let replay, !CrashLab.isReproducer(replay) {
            throw ValidationError("--replay needs a reproducer as printed in a report of this program.")
        }
    }

    func run() throws {
        let context = try options.session().context
        // A failed assertion of LMDB's in a child is a verdict, and must not look like the end of this program.
        CrashMessage.remove()
        let seed = seed ?? context.random.next() % 1_000_000
        let headline = headline(seed: seed)
        if !options.json { try Output.standard.write(headline + "\n") }
        let progress = Progress()
        var labOptions = CrashLabOptions(
            seed: seed, budgetSeconds: budget, isExhaustive: exhaustive, scratch: ScratchFolder.path(for: "crashtest"),
            width: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        labOptions.injectionPoint = sabotage
        if let only { labOptions.phases = [only] }
        let lab = CrashLab(labOptions, clock: SystemClock()) { progress.show($0) }
        let report: CrashReport
        do {
            report = try replay.map(lab.replay) ?? kills.map(lab.runStress) ?? lab.run()
        } catch {
            progress.end()
            throw CommandError.unusable("The crash lab could not do its work: \(error)")
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

    /// What makes the run the same run again; the first line and the last but one.
    private func headline(seed: UInt64) -> String {
        var words = ["crashtest: seed \(seed)", "commit \(BuiltCommit.current)", "budget \(budget) s"]
        if exhaustive { words.append("exhaustive") }
        if let kills { words.append("kills \(kills)") }
        if let replay { words.append("replay '\(replay)'") }
        return words.joined(separator: ", ")
    }
}

extension CrashPhase: ExpressibleByArgument {}
