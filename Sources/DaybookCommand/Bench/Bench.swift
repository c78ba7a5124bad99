import ArgumentParser
import Daybook
import FoundationEssentials
import Glibc
import KeyValue
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
        let progress = Progress()
        let run = BenchRun(in: folder, plan, progress: progress.show, memory: Self.memory(of:))
        var report = try await run.run(
            machine: Machine(processor: "", cores: 1, memory: 0, kernel: "", disk: ""),
            date: context.clock.wall.description, program: LibraryVersion.current)
        let template = folder + "/template"
        try await BenchStore.make(at: template, .history(taskCount: 1000, seed: 1))
        let counting = CountRun(folder: folder, template: template)
        for operation in plan.operations where operation.isCounted {
            progress.show("counting: " + operation.title)
            report.counts.append(try await counting.count(operation))
        }
        if only == nil {
            let commands = WholeCommands(store: run.path)
            report.budgets += try WholeCommands.all.map { try commands.measure($0) }
        }
        progress.end()
        if options.json {
            try Output.standard.json { BudgetTable(report: report).write(to: &$0) }
        } else {
            try Output.standard.write(BudgetTable(report: report).text)
        }
        if check, !report.budgets.allSatisfy(\.holds) { throw CommandError.finished(.checkFailed) }
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
