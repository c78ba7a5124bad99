import CrashLab
import Daybook
import FoundationEssentials
import Workloads

/// Everything that one run of `daybook bench` measures: times in the library, whole processes, exact counts, and another
/// program.
struct BenchMeasurement {
    let plan: BenchRun.Plan
    /// Whether every operation is measured.
    let isComplete: Bool
    let countsInstructions: Bool
    /// The program to compare with.
    let against: String?

    func run(in folder: String, at now: Instant) async throws -> (report: BenchReport, counted: CountedRun) {
        let progress = Progress()
        defer { progress.end() }
        let run = BenchRun(in: folder, plan, progress: progress.show, memory: BenchProcess.memory(of:))
        var report = try await run.run(
            machine: Machine.current(for: folder), date: now.description, program: LibraryVersion.current)
        if isComplete {
            let commands = WholeCommands(store: run.path)
            for command in WholeCommands.all {
                progress.show(command.title)
                report.budgets.append(try commands.measure(command))
            }
        }
        let counted = try await count(in: folder, progress)
        report.counts = counted.counts
        if let against {
            try await compare(with: against, in: ScratchFolder.path(for: "bench"), into: &report, progress)
        }
        return (report, counted)
    }

    private func count(in folder: String, _ progress: Progress) async throws -> CountedRun {
        let counting = try await CountRun(in: folder)
        var counted = counting.emptyRun
        counted.isComplete = isComplete
        for operation in plan.operations where operation.isCounted {
            progress.show("counting: \(operation.title)")
            var counts = try await counting.count(operation)
            if countsInstructions { counts.values[.instructions] = try counting.countInstructions(of: operation) }
            counted.counts.append(counts)
        }
        return counted
    }

    private func compare(
        with program: String, in folder: String, into report: inout BenchReport, _ progress: Progress
    ) async throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let result = try await AgainstRun(program: program, operations: plan.operations, content: plan.content).run(
            in: folder, progress: progress.show)
        report.comparisons = result.comparisons
        progress.end()
        if !result.leftOut.isEmpty {
            Output.tell("\(program) does not know, so not compared: \(result.leftOut.joined(separator: ", ")).")
        }
    }
}
