import ArgumentParser
import Daybook
import FoundationEssentials
import Glibc
import KeyValue
import Workloads

/// `daybook bench`
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times the budgets on this machine, counts what every operation does, and prints the tables.",
        discussion: """
            Beside each time stands what cannot be beaten here, run in turn with it: for changes one 4 KiB write and flush \
            on the same disk, for views plain LMDB in C reading the same bytes. The temporary stores are made in $TMPDIR, \
            else /tmp, and removed at the end; the largest takes 500 MB.

            Exits with 1 when --check finds something that is worse than it may be, with 3 when it could not measure well \
            enough to tell.

            Examples:
              daybook bench
              daybook bench --only today,create --scale 0
              daybook bench --html bench.html --history bench.history
              daybook bench --check --baseline Benchmarks/baseline.json --against ../base/daybook --markdown bench.md
            """)

    @Option(help: ArgumentHelp("How many tasks the store of the budgets has.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("Measures with the tasks of a file instead.", valueName: "file"), completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Measures some operations only: their names, with commas.", valueName: "names"))
    var only: String?

    @Option(help: ArgumentHelp("The largest store of the scale table; 0 leaves it out.", valueName: "n"))
    var scale = 1_000_000

    @Flag(help: "Exits with 1 when something is worse than it may be.")
    var check = false

    @OptionGroup(title: "What it is compared with") var references: BenchReferences

    @OptionGroup(title: "What is written") var outputs: BenchOutputs

    /// What this program starts itself with, to see what memory the work takes in a process of its own.
    @Option(help: .hidden)
    var memoryOf: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 10000000.") }
        guard (0...1_000_000).contains(scale) else { throw ValidationError("--scale must be from 0 to 1000000.") }
    }

    func run() async throws {
        if let memoryOf { return try await tellMemory(of: memoryOf) }
        let context = try options.session().context
        var plan = BenchRun.Plan(taskCount: tasks, operations: try operations(), largest: scale)
        if let file { plan.content = .file(try contents(of: file, in: context)) }
        let folder = try Self.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try await measure(plan, in: folder, at: context.clock.wall)
        try outputs.write(report, asJSON: options.json)
        if check, !report.budgets.allSatisfy(\.holds) { throw CommandError.finished(.checkFailed) }
    }

    private func measure(_ plan: BenchRun.Plan, in folder: String, at now: Instant) async throws -> BenchReport {
        let progress = Progress()
        defer { progress.end() }
        let run = BenchRun(in: folder, plan, progress: progress.show, memory: Self.memory(of:))
        var report = try await run.run(
            machine: Machine.current(for: folder), date: now.description, program: LibraryVersion.current)
        if only == nil {
            let commands = WholeCommands(store: run.path)
            report.budgets += try WholeCommands.all.map { try commands.measure($0) }
        }
        try await count(plan.operations, in: folder, into: &report, progress)
        return report
    }

    private func count(
        _ operations: [Workloads.Operation], in folder: String, into report: inout BenchReport, _ progress: Progress
    ) async throws {
        let template = folder + "/template"
        try await BenchStore.make(at: template, .history(taskCount: CountRun.taskCount, seed: 1))
        let counting = CountRun(folder: folder, template: template)
        for operation in operations where operation.isCounted {
            progress.show("counting: \(operation.title)")
            report.counts.append(try await counting.count(operation))
        }
    }

    private func tellMemory(of path: String) async throws {
        guard let memory = try await MemoryRun.run(in: path) else { return }
        try Output.standard.write(Array(try JSONEncoder().encode(memory)))
    }

    /// Measures in a process of its own; nil where the system does not tell.
    private static func memory(of path: String) throws -> MemoryRun? {
        let (ending, output) = try ChildProcess.run("/proc/self/exe", ["bench", "--memory-of", path])
        guard ending == .exited(0) else { throw CommandError.unusable("Memory could not be measured.") }
        return output.isEmpty ? nil : try JSONDecoder().decode(MemoryRun.self, from: Data(output))
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
