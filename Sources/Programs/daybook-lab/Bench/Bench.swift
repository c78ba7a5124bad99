import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import Workloads

/// `daybook bench`
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times the budgets on this machine, counts what every operation does, and prints the tables.",
        discussion: """
            Beside each time stands what cannot be beaten here, run in turn with it: for changes one 4 KiB write and flush \
            on the same disk, for views plain LMDB in C reading the same bytes. The temporary stores are made in $TMPDIR, \
            else /tmp, and removed at the end; the largest takes 500 MB.

            With --check it is a gate. It exits with 1 when something is worse than it may be, and with 6 when it could not \
            measure well enough to tell.

            Examples:
              daybook bench
              daybook bench --only today,create --scale 0
              daybook bench --html bench.html --history bench.history
              daybook bench --check --baseline Benchmarks/baseline.json --against ../base/daybook --markdown bench.md
              daybook bench --counts-only --check --baseline Benchmarks/baseline.json
              daybook bench --self-test
            """)

    @Option(help: ArgumentHelp("How many tasks the store of the budgets has.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("Measures with the tasks of a file instead.", valueName: "file"), completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Measures some operations only: their names, with commas.", valueName: "names"))
    var only: String?

    @Option(help: ArgumentHelp("The largest store of the scale table; 0 leaves it out.", valueName: "n"))
    var scale = 1_000_000

    @Flag(help: "Counts instructions, too, by valgrind where it is installed. A minute longer.")
    var instructions = false

    @Flag(help: "Only counts, and times nothing: some seconds, and no noise.")
    var countsOnly = false

    @Flag(help: "Exits with 1 when something is worse than it may be, with 6 when that could not be told.")
    var check = false

    @Flag(help: "Shows how often the gate is wrong, and which slowdowns it finds. Some minutes.")
    var selfTest = false

    @Option(help: ArgumentHelp("How often --self-test compares this program with itself.", valueName: "n"))
    var runs = 200

    @OptionGroup(title: "What it is compared with") var references: BenchReferences

    @OptionGroup(title: "What is written") var outputs: BenchOutputs

    @OptionGroup var process: BenchProcess

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 10000000.") }
        guard scale == 0 || (10_000...1_000_000).contains(scale) else {
            throw ValidationError("--scale must be from 10000 to 1000000, or 0 to leave it out.")
        }
        guard (1...100_000).contains(runs) else { throw ValidationError("--runs must be from 1 to 100000.") }
        if selfTest, check || countsOnly || instructions || file != nil || references.areGiven || outputs.areGiven {
            throw ValidationError("--self-test goes with --runs, --only and --json alone.")
        }
        if countsOnly, references.against != nil || outputs.history != nil {
            throw ValidationError("--counts-only times nothing: leave out --against and --history.")
        }
        if countsOnly, check, references.baseline == nil, references.writeBaseline == nil {
            throw ValidationError("--counts-only --check needs a --baseline to check against.")
        }
        if file != nil, outputs.history != nil {
            throw ValidationError("--history compares runs in generated histories: leave out --file.")
        }
    }

    func run() async throws {
        if try await process.hasRun() { return }
        Interruption.begin()
        let operations = try operations()
        if selfTest { return try await testItself(operations) }
        let context = try options.session().context
        let content = try file.map { BenchStore.Content.file(try contents(of: $0, in: context)) }
        var plan = BenchRun.Plan(taskCount: tasks, operations: operations, largest: scale)
        if let content { plan.content = content }
        // What cannot be read is told before anything is measured.
        let past = try outputs.past()
        let baseline = try references.baseline.map { try BaselineFile(path: $0).read() }
        let measurement = BenchMeasurement(
            plan: plan, isComplete: only == nil, countsOnly: countsOnly, countsInstructions: instructions,
            against: references.against, extraWork: process.extraWork)
        var (report, counted) = try await Self.withTemporaryFolder { folder in
            try await measurement.run(in: folder, at: context.clock.wall)
        }
        report.findings += Gate.findings(in: report, baseline: baseline, counted: counted)
        if let path = references.writeBaseline { try BaselineFile(path: path).write(counted) }
        try outputs.write(report, after: past, asJSON: options.json)
        try judge(GateVerdict(report.findings))
    }

    private func testItself(_ operations: [Workloads.Operation]) async throws {
        let report = try await Self.withTemporaryFolder { folder in
            let progress = Progress()
            defer { progress.end() }
            return try await SelfTestRun(plan: SelfTest.Plan(operations: operations.map(\.name), runs: runs))
                .run(in: folder, progress: progress)
        }
        if options.json {
            try Output.standard.json(report)
        } else {
            try Output.standard.write(report.lines.joined(separator: "\n") + "\n")
        }
        if !report.isGood { throw CommandError.finished(.checkFailed) }
    }

    private func judge(_ verdict: GateVerdict) throws {
        guard check else { return }
        guard let code = ProgramExit(rawValue: verdict.exitCode), code != .done else { return }
        throw CommandError.finished(code)
    }

    private func operations() throws -> [Workloads.Operation] {
        guard let only else { return Operation.all }
        guard only.contains(where: { $0 != "," && $0 != " " }) else {
            throw ValidationError("--only names no operation.")
        }
        return try only.split(separator: ",").map { name in
            guard let operation = Operation.named(String(name)) else {
                throw ValidationError(
                    "No operation \(name). There are: \(Operation.all.map(\.name).joined(separator: ", ")).")
            }
            return operation
        }
    }

    private func contents(of file: String, in context: Context) throws -> TaskImport {
        let bytes = try InputFile.opening(file).contents()
        let format = try TaskFormat.detect(bytes, name: file)
        let now = context.clock.wall
        return try TaskReader.read(bytes, format: format, zone: context.zone, skipInvalid: true, now: now)
    }

    /// On a disk, for what is flushed must reach one.
    private static func withTemporaryFolder<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let folder = "\(parent)/daybook-bench-\(getpid())"
        try ScratchFolder.create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}
