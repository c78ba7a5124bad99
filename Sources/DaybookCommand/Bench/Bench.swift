import ArgumentParser
import Daybook
import FoundationEssentials
import Glibc
import Workloads

/// `daybook bench`
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times the budgets on this machine, in a temporary store, and prints the table.",
        discussion: """
            Beside each time stands what cannot be beaten here, run in turn with it: for changes one 4 KiB write and flush \
            on the same disk, for views plain LMDB in C reading the same bytes. The temporary stores are made in $TMPDIR, \
            else /tmp, and removed at the end.

            Examples:
              daybook bench
              daybook bench --tasks 100000 --check
              daybook bench --file tasks.json --json
            """)

    @Option(help: ArgumentHelp("How many tasks the store has.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("Measures with the tasks of a file instead.", valueName: "file"), completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Measures some operations only, by name, separated by commas.", valueName: "names"))
    var only: String?

    @Option(help: ArgumentHelp("The largest store of the scale table; 0 leaves it out.", valueName: "n"))
    var scale = 1_000_000

    @Flag(help: "Exits with 1 when a budget is broken.")
    var check = false

    @Option(
        help: ArgumentHelp("Compares with another build of this program, in turn with it.", valueName: "program"),
        completion: .file())
    var against: String?

    @Flag(help: "Shows how often the comparison is wrong, and which slowdowns it finds.")
    var selfTest = false

    @Option(help: ArgumentHelp("How often --self-test compares this program with itself.", valueName: "n"))
    var runs = 200

    @Option(help: .hidden) var worker: String?
    @Option(help: .hidden) var run: String?
    @Option(help: .hidden) var rounds = 1

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 10000000.") }
        guard (0...1_000_000).contains(scale) else { throw ValidationError("--scale must be from 0 to 1000000.") }
    }

    func run() async throws {
        if let worker {
            let process = BenchWorker(folder: worker)
            guard let run else { return try await process.serve() }
            guard let operation = Operation.named(run) else { throw ValidationError("No operation \(run).") }
            return try await process.run(operation, rounds: rounds)
        }
        if selfTest { return try await testItself() }
        if let against { return try await compare(with: against) }
        let context = try options.session().context
        var plan = BenchRun.Plan(taskCount: tasks, operations: try operations(), largest: scale)
        if let file { plan.content = .file(try contents(of: file, in: context)) }
        let folder = try Self.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let progress = Progress()
        let report = try await BenchRun(in: folder, plan, progress: progress.show).run(
            machine: Machine(processor: "", cores: 1, memory: 0, kernel: "", disk: ""),
            date: context.clock.wall.description, program: LibraryVersion.current)
        progress.end()
        if options.json {
            try Output.standard.json { BudgetTable(report: report).write(to: &$0) }
        } else {
            try Output.standard.write(BudgetTable(report: report).text)
        }
        if check, !report.budgets.allSatisfy(\.holds) { throw CommandError.finished(.checkFailed) }
    }

    // For helper "gate" only: the lead wires these.
    private func testItself() async throws {
        let folder = try Self.comparisonFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let plan = SelfTest.Plan(operations: try operations().map(\.name), runs: runs)
        let progress = Progress()
        let report = try await SelfTestRun(
            plan: plan, content: .history(taskCount: tasks, seed: 1), countsWithInjection: nil
        ).run(in: folder, progress: progress)
        progress.end()
        try Output.standard.write(report.lines.joined(separator: "\n") + "\n")
        if !report.isGood { throw CommandError.finished(.checkFailed) }
    }

    private func compare(with program: String) async throws {
        let folder = try Self.comparisonFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let progress = Progress()
        let run = AgainstRun(
            program: program, operations: try operations(), content: .history(taskCount: tasks, seed: 1))
        let result = try await run.run(in: folder, progress: progress.show)
        progress.end()
        for comparison in result.comparisons {
            let ratio = comparison.ratio
            try Output.standard.write(
                "\(comparison.operation) \(ratio.median) [\(ratio.low), \(ratio.high)] \(ratio.pairs) \(comparison.outcome)\n"
            )
        }
        if !result.leftOut.isEmpty { Output.tell("Left out: \(result.leftOut.joined(separator: ", ")).") }
    }

    /// In memory, where that can be had.
    private static func comparisonFolder() throws -> String {
        let folder = ScratchFolder.path(for: "bench")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        Interruption.begin()
        return folder
    }

    private func operations() throws -> [Workloads.Operation] {
        guard let only else { return Operation.all }
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

    private static func temporaryFolder() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let folder = "\(parent)/daybook-bench-\(getpid())"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError.unusable(
                "A temporary folder could not be made in \(parent). Set TMPDIR to another place.")
        }
        return folder
    }
}
