import ArgumentParser
import CommandSupport
import FoundationEssentials
import Measuring
import PerformanceTesting
import ProgramCrashes
import Workloads

/// The command `gate`.
struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Judge a command of any program by another one, by budgets, or by a baseline of counts.",
        usage: "daybook-lab gate [options] -- <command> ...",
        discussion: """
            Runs the command in a fresh copy of a folder, which is its current folder and HOME, so name programs by absolute \
            paths; the first word after -- may be a relative one. With --against, it alternates with another command, until \
            the interval of the ratio of their times decides or the time is over.

            The counts are those of the calls that change the folder: calls, flushes, writes, bytes. They are the same on \
            every machine, and need Linux on x86-64 or aarch64, as does the memory of the largest process.

            A budget is a list of NAME=VALUE: wall and cpu with ms or s, memory with kB or MB, and the counts. No run may \
            exceed it in one of three measurements.

            The exit code is 0 if nothing is worse than allowed, 1 if something is, and 6 if a comparison was inconclusive.

            Examples:
              daybook-lab gate --against '/opt/old/notes add milk' --in notes-folder -- ./notes add milk
              daybook-lab gate --budget 'wall=100ms,flushes=2' -- ./notes add milk
              daybook-lab gate --write-baseline counts.json -- ./notes add milk
              daybook-lab gate --baseline counts.json -- ./notes add milk
              daybook-lab gate --self-test --in notes-folder -- ./notes add milk
            """)

    @Option(help: ArgumentHelp("The command to compare with. 'sh -c' runs it.", valueName: "command"))
    var against: String?

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The folder that each run gets a copy of. Default: none.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    @Option(help: ArgumentHelp("The ratio of the times that is allowed.", valueName: "ratio"))
    var limit = 1.05

    @Option(help: ArgumentHelp("The time limit for the compared runs.", valueName: "seconds"))
    var time = 20

    @Option(help: ArgumentHelp("What one run may use.", valueName: "budget"))
    var budget: GateBudget?

    @Option(
        help: ArgumentHelp("Compare the counts with a file; more fails.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp("Write the counts to a file as the new baseline.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    @Flag(help: "Test the gate with this command: compare it with itself, and with itself slowed down.")
    var selfTest = false

    @Option(help: ArgumentHelp("The number of comparisons with itself in the self-test.", valueName: "n"))
    var runs = 100

    @OptionGroup var options: GlobalOptions

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to judge.", valueName: "command"))
    var command: [String]

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Name the command after --.") }
        guard (1.001...100).contains(limit) else { throw ValidationError("--limit must be from 1.001 to 100.") }
        guard (1...86_400).contains(time) else { throw ValidationError("--time must be from 1 to 86400 seconds.") }
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs must be from 1 to 10000.") }
        guard !selfTest || against == nil && budget == nil && baseline == nil && writeBaseline == nil else {
            throw ValidationError("--self-test cannot be combined with what the command is judged by.")
        }
    }

    func run() async throws {
        Interruption.begin()
        let file = try baseline.map { try ProgramBaseline(path: $0) }
        var words = command
        if let program = words.first, program.contains("/"), !program.hasPrefix("/") {
            words[0] = "\(FileManager.default.currentDirectoryPath)/\(program)"
        }
        let command = words.map(\.quotedForShell).joined(separator: " ")
        if selfTest { return try await testGate(with: command) }
        let report = try await ScratchFolder.onDisk(for: "gate") { scratch in
            let progress = Progress()
            defer { progress.end() }
            let runs = try GateRuns(of: folder, in: scratch)
            var report = GateReport()
            progress.show("count")
            let counts = try runs.counts(
                of: command, isNeeded: file != nil || writeBaseline != nil || budget?.counts == true)
            report.add(counts, budget)
            if against == nil || budget?.times == true {
                progress.show("measure")
                report.add(try runs.measure(command, budget), budget)
            }
            if let counts, let file { report.add(counts, baseline: file.counts) }
            if let against {
                progress.show("compare")
                report.add(try await runs.compare(command, with: against, limit: limit, seconds: time))
            }
            if let counts, let writeBaseline { try ProgramBaseline(counts: counts).write(to: writeBaseline) }
            return report
        }
        if options.json {
            try Output.standard.json(report)
        } else {
            try Output.standard.write(report.text)
        }
        switch report.verdict {
        case .better, .same: break
        case .worse: throw CommandError.finished(.checkFailed)
        case .inconclusive: throw CommandError.finished(.inconclusive)
        }
    }

    /// Prints how often the gate reports that the command is slower than itself, and which slowdowns it finds.
    private func testGate(with command: String) async throws {
        let name = "a run"
        let report = try await ScratchFolder.onDisk(for: "gate") { scratch in
            let progress = Progress()
            defer { progress.end() }
            let runs = try GateRuns(of: folder, in: scratch)
            return try await SelfTest.run(of: [name], runs: self.runs, progress: progress, as: "daybook-lab") {
                try await runs.compare(command, with: command, limit: limit, seconds: time, slowedBy: $1).time
            }
        }
        try report.write(of: [name], asJSON: options.json)
    }
}

extension String {
    /// The word as the shell reads it as one.
    fileprivate var quotedForShell: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
