import CrashTesting
import Daybook
import FoundationEssentials
import Workloads

/// Everything that one run of `daybook bench` measures: times in the library, whole processes, exact counts, and another
/// program.
struct BenchMeasurement {
    let plan: BenchRun.Plan
    /// Whether every operation is measured.
    let isComplete: Bool
    /// Whether times are left out.
    let countsOnly: Bool
    let countsInstructions: Bool
    /// The program to compare with.
    let against: String?
    /// What the counted changes do too much of.
    let extraWork: SelfTest.ExtraWork?

    func run(in folder: String, at now: Instant) async throws -> (report: BenchReport, counted: CountedRun) {
        let progress = Progress()
        defer { progress.end() }
        // First, for the other program may turn out to be none.
        let compared = try await comparisons(progress)
        let machine = Machine.current(for: folder)
        let start = BenchReport(
            machine: machine, date: now.description, program: LibraryVersion.current, taskCount: CountRun.taskCount)
        var report = countsOnly ? start : try await time(in: folder, start, progress)
        report.comparisons = compared.comparisons
        report.findings = compared.leftOut
        let counted = try await count(in: folder, progress)
        report.counts = counted.counts
        return (report, counted)
    }

    private func time(in folder: String, _ start: BenchReport, _ progress: Progress) async throws -> BenchReport {
        let run = BenchRun(in: folder, plan, progress: progress.tell, memory: BenchProcess.memory(of:))
        var report = try await run.run(machine: start.machine, date: start.date, program: start.program)
        guard isComplete else { return report }
        let commands = WholeCommands(store: run.path)
        for command in WholeCommands.all {
            try progress.tell(command.title)
            report.budgets.append(try commands.measure(command))
        }
        return report
    }

    private func count(in folder: String, _ progress: Progress) async throws -> CountedRun {
        let counting = try await CountRun(in: folder)
        var counted = counting.emptyRun
        counted.isComplete = isComplete
        for operation in plan.operations where operation.isCounted {
            try progress.tell("counting: \(operation.title)")
            var counts = try await counting.count(operation, extraWork?.options ?? StoreOptions())
            if countsInstructions { counts.values[.instructions] = try counting.countInstructions(of: operation) }
            counted.counts.append(counts)
        }
        return counted
    }

    private func comparisons(_ progress: Progress) async throws -> (comparisons: [Comparison], leftOut: [GateFinding]) {
        guard let program = against else { return ([], []) }
        let folder = ScratchFolder.inMemory(for: "compared")
        try ScratchFolder.make(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let result = try await AgainstRun(program: program, operations: plan.operations, content: plan.content).run(
            in: folder, progress: progress.tell)
        let leftOut = result.leftOut.map { name in
            GateFinding(
                subject: name, rule: .ratio, verdict: .inconclusive,
                message:
                    "\(name): the other program does not know it, so it was not compared. Compare with a newer one.")
        }
        return (result.comparisons, leftOut)
    }
}
