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
            Beside each time stands what cannot be beaten here: for writes one 4 KiB write and flush on the same disk, \
            for reads one look-up. The numbers of puts, look-ups and steps are exact. The temporary store is made in \
            $TMPDIR, else /tmp, and removed at the end.

            Examples:
              daybook bench
              daybook bench --tasks 100000 --check
              daybook bench --file tasks.json --json
            """)

    @Option(help: ArgumentHelp("How many tasks the store has.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("Measures with the tasks of a file instead.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(help: "Exits with 1 when a budget is broken.")
    var check = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000_000).contains(tasks) else { throw ValidationError("--tasks must be from 1 to 10000000.") }
    }

    func run() async throws {
        let context = try options.session().context
        let content = try content(in: context)
        let folder = try Self.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try await BudgetMeasurement(in: folder, context: context).run(content)
        if options.json {
            try Output.standard.json { BudgetTable(report: report).write(to: &$0) }
        } else {
            try Output.standard.write(BudgetTable(report: report).text)
        }
        if check, !report.holds { throw CommandError.finished(.checkFailed) }
    }

    private func content(in context: Context) throws -> BudgetMeasurement.Content {
        guard let file else { return .history(taskCount: tasks, seed: 1) }
        let bytes = try InputFile.opening(file).contents()
        let format = try TaskFormat.detect(bytes, name: file)
        let now = context.clock.wall
        return .file(try TaskReader.read(bytes, format: format, zone: context.zone, skipInvalid: true, now: now))
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
