import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import ProgramCrashes

/// The command `crashtest --program`.
struct CrashProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        // One word of the arranged arguments, so that usage errors show what a person types.
        commandName: "crashtest --program",
        abstract: "Test what a power failure does to the data of any program.",
        usage: """
            daybook crashtest --program --work <command> --check <command> [options]
            daybook crashtest --program --replay <dir> --image <reproducer> [--into <dir>]
            """,
        discussion: """
            Records one run of the command --work in a new folder, which CRASH_FOLDER and HOME name, builds the disks that a \
            power failure could leave of it, and runs the command --check on each. 'sh -c' runs the commands.

            Every line that --before or --work prints acknowledges something. The check reads the acknowledged lines from \
            standard input. It exits with 0 if every promise is kept, and with 1 if one is broken; its first line is then \
            'kind: text'. Acknowledged work must be there. Other work may be there or not.

            The disk 'killed' keeps everything that the system had, 'ext4' and 'xfs' keep what these file systems keep, and \
            'posix' only what the standard promises.

            The exit code is 0 if all promises are kept, 1 if one is broken, and 3 if the program or the check cannot be \
            tested. Needs Linux on x86-64 or aarch64. Documentation/CrashTestingPrograms.md has an example.

            Examples:
              daybook crashtest --program --before 'echo old > f && echo old' --work 'echo new >> f && echo new' \\
                --check 'while read line; do grep -qx "$line" f || { echo "lost: $line"; exit 1; }; done'
              daybook crashtest --program --replay crash-report --image 'xfs:4:kept=0,2' --into copy
            """, shouldDisplay: false)

    @Option(help: ArgumentHelp("The command to record.", valueName: "command"))
    var work: String?

    @Option(help: ArgumentHelp("The command that checks an image.", valueName: "command"))
    var check: String?

    @Option(help: ArgumentHelp("The command that prepares the folder. Its result is durable.", valueName: "command"))
    var before: String?

    @Option(help: ArgumentHelp("The disks: killed, ext4, xfs, posix. Default: killed,ext4,xfs.", valueName: "disks"))
    var disk: DiskList?

    @Option(
        help: ArgumentHelp("The folder of the commands, new or empty. Default: a temporary one.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    @Option(help: ArgumentHelp("The descriptor of the acknowledged lines.", valueName: "n"))
    var ackFd = 1

    @Option(help: ArgumentHelp("A kind of broken promise that the program documents. Repeatable.", valueName: "kind"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("How many distinct images to check for each disk.", valueName: "n"))
    var images = 20_000

    @Option(help: ArgumentHelp("The time limit for all images.", valueName: "seconds"))
    var time = 600

    @Option(help: ArgumentHelp("Record the check on so many intact images, and crash it at each call.", valueName: "n"))
    var recoveries = 0

    @Flag(help: "Ignore one flush at a time, and list those that were not shown to be needed.")
    var eachFlush = false

    @Option(help: ArgumentHelp("How many checks to run at a time. Default: one for each processor.", valueName: "n"))
    var jobs: Int?

    @Option(help: ArgumentHelp("The seed of all random choices.", valueName: "s"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Record another order of the calls that processes make at the same time: one for each n from 1.",
            valueName: "n"))
    var interleaving: UInt64 = 0

    @Option(
        help: ArgumentHelp("The folder of the report, which a replay needs.", valueName: "dir"),
        completion: .directory)
    var out = "crash-report"

    @Option(
        help: ArgumentHelp("Replay an image of the report in this folder.", valueName: "dir"), completion: .directory)
    var replay: String?

    @Option(help: ArgumentHelp("The image to replay, as the report prints it.", valueName: "reproducer"))
    var image: String?

    @Option(
        help: ArgumentHelp("Write the image to this new or empty folder instead of checking it.", valueName: "dir"),
        completion: .directory)
    var into: String?

    @OptionGroup var options: GlobalOptions

    /// Removes `--program`, by which `crashtest` becomes this command.
    static func arranged(_ arguments: [String]) -> [String]? {
        guard arguments.first == "crashtest", let index = arguments.firstIndex(of: "--program") else { return nil }
        var words = arguments
        words.remove(at: index)
        words[0] = configuration.commandName ?? ""
        return words
    }

    func validate() throws {
        if replay != nil || image != nil || into != nil {
            guard replay != nil, image != nil, work == nil, check == nil, before == nil else {
                throw ValidationError("--replay and --image belong together; --into may follow them.")
            }
            return
        }
        guard let work, let check, !work.isEmpty, !check.isEmpty else {
            throw ValidationError("--work and --check are needed.")
        }
        guard (1...1000).contains(ackFd) else { throw ValidationError("--ack-fd must be from 1 to 1000.") }
        guard (1...10_000_000).contains(images) else { throw ValidationError("--images must be from 1 to 10000000.") }
        guard (1...604_800).contains(time) else { throw ValidationError("--time must be from 1 to 604800 seconds.") }
        guard (0...10_000).contains(recoveries) else { throw ValidationError("--recoveries must be from 0 to 10000.") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be from 1 to 256.") }
    }

    func run() throws {
        Interruption.begin()
        let scratch = try ScratchFolder.make(for: "crashtest")
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        if let replay, let image { return try runReplay(of: replay, image, scratch) }
        var test = ProgramCrashOptions(work: work ?? "", check: check ?? "", scratch: scratch)
        test.before = before
        if let disk { test.disks = disk.models }
        (test.folder, test.acknowledgmentDescriptor, test.allowed) = (folder, ackFd, Set(allow))
        (test.images, test.seconds, test.recoveries, test.triesEachFlush) = (images, time, recoveries, eachFlush)
        (test.seed, test.interleaving, test.report) = (seed, interleaving, out)
        test.jobs = jobs ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        if !options.json { try Output.standard.write(headline + "\n") }
        let progress = Progress()
        let report: ProgramCrashReport
        do {
            report = try ProgramCrashTest(
                test, clock: SystemClock(), checkpoint: { try Interruption.check() }, progress: progress.show
            ).run()
        } catch {
            progress.end()
            throw error
        }
        progress.end()
        let table = ProgramCrashTable(report: report, folder: out)
        if options.json {
            try Output.standard.json { table.write(to: &$0, commit: BuiltCommit.current, options: headline) }
        } else {
            try Output.standard.write(table.text + headline + "\n" + table.verdict + "\n")
        }
        if !report.isKept { throw CommandError.finished(.checkFailed) }
    }

    private func runReplay(of report: String, _ image: String, _ scratch: String) throws {
        let result = try ProgramCrashTest.replay(report: report, reproducer: image, into: into, scratch: scratch)
        let table = ReplayedImageTable(result: result)
        if options.json {
            try Output.standard.json { table.write(to: &$0) }
        } else {
            try Output.standard.write(table.text(into: into))
        }
        if result.isBroken == true { throw CommandError.finished(.checkFailed) }
    }

    /// Everything that determines the run.
    private var headline: String {
        var words = ["crashtest --program: seed \(seed)", "commit \(BuiltCommit.current)"]
        words.append("disks \((disk?.models ?? [.killed, .ext4, .xfs]).map(\.rawValue).joined(separator: ","))")
        if !allow.isEmpty { words.append("allow \(allow.joined(separator: ","))") }
        if recoveries > 0 { words.append("recoveries \(recoveries)") }
        if interleaving > 0 { words.append("interleaving \(interleaving)") }
        return words.joined(separator: ", ")
    }
}

/// Disks, separated by commas.
struct DiskList: ExpressibleByArgument {
    let models: [DiskModel]

    init?(argument: String) {
        let models = argument.split(separator: ",").map { DiskModel(rawValue: String($0)) }
        guard !models.isEmpty, !models.contains(nil) else { return nil }
        self.models = Set(models.compactMap(\.self)).sorted()
    }
}

extension ProgramCrashError: ExitCodeError {
    package var exitCode: ProgramExit {
        switch self {
        case .noSuchImage: .usage
        default: .unusable
        }
    }
}
