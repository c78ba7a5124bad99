import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import LabSupport
import Measuring
import PerformanceTesting
import Workloads

/// The `bench` command.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the time budgets, count the work of each operation, and print the results.",
        discussion: """
            Each time is measured interleaved with a lower bound of this machine: for changes a 4 KiB write and flush \
            on the same disk, for views plain LMDB in C reading the same bytes. Temporary stores are created in \
            $TMPDIR or /tmp and removed at the end; the largest takes 500 MB.

            With --check, the command exits with 1 if a result is worse than allowed, and with 6 if a measurement was \
            inconclusive.

            Examples:
              daybook bench
              daybook bench --only today,create --scale 0
              daybook bench --html bench.html
              daybook bench --check --baseline Benchmarks/baseline.json --against ../base/daybook --markdown bench.md
              daybook bench --counts-only --check --baseline Benchmarks/baseline.json
              daybook bench --self-test
              daybook bench --requirements --check
            """)

    @Option(help: ArgumentHelp("The number of tasks in the store for the budgets.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("Measure with the tasks of a file instead.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Measure only these operations, or requirements, separated by commas.", valueName: "names"))
    var only: String?

    @Option(help: ArgumentHelp("The largest store of the scale table; 0 for no table.", valueName: "n"))
    var scale = 1_000_000

    @Flag(help: "Also count instructions, if valgrind is installed. Takes a minute longer.")
    var instructions = false

    @Flag(help: "Count only and skip all timings. Takes some seconds.")
    var countsOnly = false

    @Flag(help: "Exit with 1 if a result is worse than allowed, with 6 if a measurement was inconclusive.")
    var check = false

    @Flag(help: "Report the gate's false alarms and the slowdowns that it detects. Takes some minutes.")
    var selfTest = false

    @Flag(help: "Measure creates beside imports, exports and statistics, and CPU time. Takes a minute or two.")
    var requirements = false

    @Option(help: ArgumentHelp("The number of comparisons of each operation in --self-test.", valueName: "n"))
    var runs = 200

    @Option(
        help: ArgumentHelp(
            "Add the results of --self-test to those in this file, and report all of them.", valueName: "file"),
        completion: .file())
    var pieces: String?

    @OptionGroup(title: "Comparison") var references: BenchReferences

    @OptionGroup(title: "Output") var outputs: BenchOutputs

    @OptionGroup var process: BenchProcess

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 10000000.") }
        guard scale == 0 || (10_000...1_000_000).contains(scale) else {
            throw ValidationError("--scale must be from 10000 to 1000000, or 0 for no scale table.")
        }
        guard (1...100_000).contains(runs) else { throw ValidationError("--runs must be from 1 to 100000.") }
        if selfTest, check || countsOnly || instructions || file != nil || references.areGiven || outputs.areGiven {
            throw ValidationError("--self-test can be combined with --runs, --only, --pieces and --json only.")
        }
        if pieces != nil, !selfTest { throw ValidationError("--pieces needs --self-test.") }
        if requirements,
            selfTest || countsOnly || instructions || file != nil || references.areGiven || outputs.html != nil
        {
            throw ValidationError(
                "--requirements can be combined with --tasks, --only, --check, --markdown and --json only.")
        }
        try references.validate(countsOnly: countsOnly, checks: check)
    }

    func run() async throws {
        if try await process.hasRun() { return }
        Interruption.begin()
        if requirements { return try await measureRequirements() }
        let operations = try operations()
        if selfTest { return try await testItself(operations) }
        let context = try options.session().context
        let content = try file.map { BenchStore.Content.file(try contents(of: $0, in: context)) }
        var plan = BenchRun.Plan(taskCount: tasks, operations: operations, largest: scale)
        if let content { plan.content = content }
        if process.delay > 0 {
            // A few runs show it.
            (plan.delay, plan.mostRounds) = (Int64(process.delay) * 1_000_000, 5)
        }
        // Report unreadable input before the measurement.
        let baseline = try references.baseline.map { try BaselineFile(path: $0).read() }
        let measurement = BenchMeasurement(
            plan: plan, isComplete: only == nil, countsOnly: countsOnly, countsInstructions: instructions,
            against: references.against, extraWork: process.extraWork)
        var (report, counted) = try await ScratchFolder.onDisk(for: "bench") { folder in
            try await ScratchFull.checking(folder) { try await measurement.run(in: folder, at: context.clock.wall) }
        }
        report.findings += Gate.findings(in: report, baseline: baseline, counted: counted)
        if let path = references.writeBaseline { try BaselineFile(path: path).write(counted) }
        try outputs.write(report, asJSON: options.json)
        if check { try GateVerdict(report.findings).check() }
    }

    private func testItself(_ operations: [Workloads.Operation]) async throws {
        // An unreadable file is reported before the trials.
        let file = pieces.map(SelfTestPieces.init(path:))
        let earlier = try file?.read()
        var report = try await ScratchFolder.onDisk(for: "bench") { folder in
            let progress = Progress()
            defer { progress.end() }
            return try await ScratchFull.checking(folder) {
                let counting = try await CountRun(in: folder)
                return try await ComparedOperations(operations, .history(taskCount: 1000, seed: 1)).testSelf(
                    runs: runs, counting: counting.changes, progress: progress)
            }
        }
        if var sum = earlier {
            sum.add(report)
            report = sum
        }
        try file?.write(report)
        try report.write(of: Operation.all.map(\.name), asJSON: options.json)
    }

    private func measureRequirements() async throws {
        let known = RequirementRun.requirements.joined()
        let wanted = (only ?? "").split(separator: ",").map(String.init)
        if let name = wanted.first(where: { !known.contains($0) }) {
            throw ValidationError("Unknown requirement \(name). Requirements: \(known.joined(separator: ", ")).")
        }
        let rows = try await ScratchFolder.onDisk(for: "bench") { folder in
            try await ScratchFull.checking(folder) {
                try await RequirementRun(in: folder, taskCount: tasks).run(only: Set(wanted))
            }
        }
        if let markdown = outputs.markdown { try outputs.write(rows.markdown, to: markdown) }
        if options.json {
            try Output.standard.json(rows)
        } else {
            try Output.standard.write(Table(rows, title: "what").text(for: Terminal.standardOutput))
        }
        if check, !rows.missed.isEmpty { throw CommandError.finished(.checkFailed) }
    }

    private func operations() throws -> [Workloads.Operation] {
        guard let only else { return Operation.all }
        guard only.contains(where: { $0 != "," && $0 != " " }) else {
            throw ValidationError("--only contains no operation.")
        }
        return try only.split(separator: ",").map { name in
            guard let operation = Operation.named(String(name)) else {
                throw ValidationError(
                    "Unknown operation \(name). Operations: \(Operation.all.map(\.name).joined(separator: ", ")).")
            }
            return operation
        }
    }

    private func contents(of file: String, in context: Context) throws -> TaskImport {
        let bytes = try InputFile.opening(file).contents()
        guard let format = try TaskFormat.detect(bytes, name: file).written else {
            throw CommandError.usage(
                "\(file) is a file of another program. Import it, and export it in one of Daybook's formats.")
        }
        let now = context.clock.wall
        return try TaskReader.read(bytes, format: format, zone: context.zone, skipInvalid: true, now: now)
    }
}
