import ArgumentParser
import FoundationEssentials
import KeyValue
import Workloads

/// What this program starts itself with, to have something measured in a process of its own.
struct BenchProcess: ParsableArguments {
    /// Runs operations in the store of a folder, as it is asked to.
    @Option(help: .hidden) var worker: String?
    /// With `worker`: the one operation that it runs, and how often.
    @Option(help: .hidden) var run: String?
    @Option(help: .hidden) var rounds = 1
    /// What every change does too much of, for those who want to see the gate find something.
    @Option(help: .hidden) var extraWork: SelfTest.ExtraWork?
    /// Tells what memory the work takes in the store of a folder.
    @Option(help: .hidden) var memoryOf: String?

    /// Whether this process was started for that, and has done it.
    func hasRun() async throws -> Bool {
        if let memoryOf {
            guard let memory = try await MemoryRun.run(in: memoryOf) else { return true }
            try Output.standard.write(Array(try JSONEncoder().encode(memory)))
            return true
        }
        guard let worker else { return false }
        let process = BenchWorker(folder: worker)
        if let operation = run.flatMap(Operation.named) {
            try process.run(operation, rounds: rounds)
        } else {
            try await process.serve()
        }
        return true
    }

    /// What `--memory-of` tells; nil where the system does not.
    static func memory(of path: String) throws -> MemoryRun? {
        let (ending, output) = try ChildProcess.run(ProgramComparison.thisProgram, ["bench", "--memory-of", path])
        try Interruption.check()
        guard ending == .exited(0) else { throw CommandError.unusable("Memory could not be measured.") }
        return output.isEmpty ? nil : try JSONDecoder().decode(MemoryRun.self, from: Data(output))
    }
}
