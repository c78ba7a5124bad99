import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import LabSupport
import Measuring
import Processes
import Workloads

/// Times complete processes from start to exit, interleaved: the program's commands, a minimal program as a lower
/// bound, and Taskwarrior's commands.
struct StartTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start-times",
        abstract: "Measure how long 'daybook add' and 'daybook today' take as processes.",
        discussion: """
            Programs run one after the other in each round, in a store with generated tasks, so that noise affects all \
            of them. Ratios are medians of the rounds' ratios, with 95 % intervals. Scripts/start builds everything \
            that this command needs.

            Examples:
              daybook-lab start-times --program default=.build/release/daybook --floor default=.build/release/StartFloor
            """)

    @Option(help: ArgumentHelp("A build of daybook with its label.", valueName: "label=path"))
    var program: [NamedProgram]

    @Option(
        help: ArgumentHelp(
            "A build of StartFloor; it is compared with the program of its label.", valueName: "label=path"))
    var floor: [NamedProgram] = []

    @Option(help: ArgumentHelp("The program 'task'. Default: none.", valueName: "path"))
    var taskwarrior: String?

    @Option(help: ArgumentHelp("The number of tasks in the stores.", valueName: "n"))
    var tasks = 10_000

    @Option(help: ArgumentHelp("The number of rounds.", valueName: "n"))
    var rounds = 60

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !program.isEmpty else { throw ValidationError("Name a program with --program.") }
        guard (1...1_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 1000000.") }
        guard (6...10_000).contains(rounds) else { throw ValidationError("--rounds must be from 6 to 10000.") }
    }

    func run() async throws {
        Interruption.begin()
        try await ScratchFolder.onDisk(for: "start", measure)
    }

    private func measure(in folder: String) async throws {
        let progress = Progress()
        defer { progress.end() }
        progress.show("filling the store with \(tasks) tasks")
        let store = folder + "/store"
        let session = try options.session()
        let daybook = try DaybookStore.open(at: store, context: session.context)
        try await daybook.generate(taskCount: tasks, seed: 1)
        daybook.close()
        var runs = try Self.runs(program, store: store) + floors(in: folder)
        if let taskwarrior { runs += try taskwarriorRuns(taskwarrior, store: store, in: folder, progress) }
        for round in -2..<rounds {
            try progress.step("round \(max(round, 0)) of \(rounds)")
            // The order rotates.
            for offset in runs.indices {
                let index = (offset + round + 2) % runs.count
                let time = try runs[index].time()
                if round >= 0 { runs[index].times.append(time) }
            }
        }
        progress.end()
        let rows = rows(runs)
        if options.json { return try Output.standard.json(rows) }
        try Output.standard.write(rows.markdown)
    }

    private static func runs(_ programs: [NamedProgram], store: String) -> [ProcessRun] {
        programs.flatMap { program in
            [["add", "Buy milk and bread"], ["today"]].map { words in
                ProcessRun(
                    label: "`daybook \(words[0])`, \(program.label) build", command: words[0], build: program.label,
                    path: program.path, words: words + ["--store", store])
            }
        }
    }

    private func floors(in folder: String) throws -> [ProcessRun] {
        try floor.map { program in
            let path = "\(folder)/floor-\(program.label)"
            try ScratchFolder.create(path)
            return ProcessRun(
                label: "the least, \(program.label) build", command: "floor", build: program.label, path: program.path,
                words: [path])
        }
    }

    /// Imports the same tasks into Taskwarrior.
    private func taskwarriorRuns(
        _ path: String, store: String, in folder: String, _ progress: Progress
    ) throws -> [ProcessRun] {
        progress.show("importing the tasks into Taskwarrior")
        let (file, settings) = (folder + "/tasks.json", folder + "/taskrc")
        try ScratchFolder.create(folder + "/taskwarrior")
        let text = "data.location=\(folder)/taskwarrior\nconfirmation=off\nverbose=nothing\nnews.version=99.0.0\n"
        guard FileManager.default.createFile(atPath: settings, contents: Data(text.utf8)) else {
            throw CommandError.unusable("\(settings) could not be written. Set TMPDIR to another folder.")
        }
        setenv("TASKRC", settings, 1)
        _ = try ProcessRun(
            path: program[0].path, words: ["export", "--format", "taskwarrior", "-o", file, "--store", store]
        ).time()
        _ = try ProcessRun(path: path, words: ["import", file]).time()
        return [
            ProcessRun(
                label: "`task add`", command: "add", build: Self.taskwarrior, path: path,
                words: ["add", "Buy milk and bread"]),
            ProcessRun(
                label: "`task scheduled:today list`", command: "today", build: Self.taskwarrior, path: path,
                words: ["scheduled:today", "list"], acceptsFailure: true),
        ]
    }

    private static let taskwarrior = "taskwarrior"

    /// Returns the time of each process, and the ratios of the program's to the floor and to Taskwarrior.
    private func rows(_ runs: [ProcessRun]) -> [MeasuredRow] {
        var rows = runs.map { MeasuredRow(nil, "\($0.label), \(tasks) tasks", .time(Timings($0.times).median)) }
        for run in runs where run.command != "floor" && run.build != Self.taskwarrior {
            let (isAdd, isStatic) = (run.command == "add", run.build == "static")
            func compare(with other: ProcessRun, limit: Double?) {
                rows.append(
                    MeasuredRow(
                        nil, "\(run.label), against \(other.label)",
                        .paired(PairedRatio(of: run.times, to: other.times)),
                        limit: limit.map { .ratio($0) }))
            }
            for other in runs {
                if other.command == "floor", other.build == run.build {
                    compare(with: other, limit: isAdd && isStatic ? 1.3 : nil)
                } else if other.command == run.command, other.build == Self.taskwarrior {
                    // Five times faster, but for the build that waits for the dynamic linker before it writes.
                    compare(with: other, limit: isAdd && !isStatic ? 1 : 0.2)
                }
            }
        }
        return rows
    }
}

/// A program with a label, as in `static=/usr/local/bin/daybook`.
struct NamedProgram: ExpressibleByArgument {
    let label, path: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        (label, path) = (String(parts[0]), String(parts[1]))
    }
}

/// A process that is run repeatedly.
struct ProcessRun {
    var label = "", command = "", build = ""
    let path: String
    let words: [String]
    /// Taskwarrior exits with 1 if a report is empty.
    var acceptsFailure = false
    var times: [Int64] = []

    /// Runs the process once and returns the nanoseconds from start to exit.
    func time() throws -> Int64 {
        try Stopwatch.nanoseconds {
            let (ending, _) = try ChildProcess.run(path, words)
            try Interruption.check()
            guard ending == .exited(0) || acceptsFailure && ending == .exited(1) else {
                throw CommandError.unusable("'\(path) \(words[0])' failed. Run it in a terminal to see the error.")
            }
        }
    }

    /// Runs the process so often, after some runs that are not counted, and returns the nanoseconds of each.
    func times(rounds: Int, warmUp: Int) throws -> [Int64] {
        try (0..<warmUp + rounds).map { _ in try time() }.suffix(rounds)
    }
}
