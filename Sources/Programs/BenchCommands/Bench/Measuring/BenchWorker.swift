import ArgumentParser
import CommandSupport
import Daybook
import Dispatch
import FoundationEssentials
import Measuring
import PerformanceTesting
import Processes
import Threading
import Workloads

/// The worker process of a comparison, in the store of a folder.
struct BenchWorker {
    let folder: String

    /// Returns the arguments that start a worker.
    static func arguments(_ folder: String) -> [String] { ["bench", "--worker", folder] }

    /// Handles requests until the input ends.
    func serve() async throws {
        let store = try BenchStore(at: folder)
        defer { store.close() }
        let operations = Dictionary(uniqueKeysWithValues: Operation.all.map { ($0.name, $0) })
        var worker = OperationWorker(operations.keys.sorted()) { name, turn in
            try await operations[name]?.time(in: store, round: turn) ?? 0
        }
        try await worker.serve()
    }

    /// Runs an operation the given number of times and returns, for tools that observe a whole process. The main thread
    /// blocks instead of returning to Swift's runtime, which valgrind before 2023 does not support.
    func run(_ operation: Workloads.Operation, rounds: Int) throws {
        let folder = folder
        let failure = ForkSafeMutex<(any Error)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let store = try BenchStore(at: folder)
                defer { store.close() }
                for round in 0..<rounds { _ = try await operation.time(in: store, round: round) }
            } catch {
                failure.withLock { $0 = error }
            }
            isDone.signal()
        }
        isDone.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// Hidden options with which this program starts itself, to measure something in a separate process.
struct BenchProcess: ParsableArguments {
    /// Runs operations in the store of a folder on request.
    @Option(help: .hidden) var worker: String?
    /// With `worker`: runs this one operation, `rounds` times, for profilers (Documentation/Benchmarks.md).
    @Option(help: .hidden) var run: String?
    @Option(help: .hidden) var rounds = 1
    /// Extra work in every change, to show that the gate detects it.
    @Option(help: .hidden) var extraWork: SelfTest.ExtraWork?
    /// Milliseconds by which each timed run is delayed, to show that the gate detects it.
    @Option(help: .hidden) var delay = 0
    /// Prints the memory that a typical session takes in the store of a folder.
    @Option(help: .hidden) var memoryOf: String?

    /// Runs the requested measurement. Returns false if none was requested.
    func hasRun() async throws -> Bool {
        if let memoryOf {
            guard let memory = try await MemoryRun.run(in: memoryOf) else { return true }
            try Output.standard.write(Array(try JSONEncoder().encode(memory)))
            return true
        }
        guard let worker else { return false }
        let process = BenchWorker(folder: worker)
        if let operation = run.flatMap(Operation.measurable) {
            try process.run(operation, rounds: rounds)
        } else {
            try await process.serve()
        }
        return true
    }

    /// Returns the output of `--memory-of`; nil if the system does not provide the figures.
    static func memory(of path: String) throws -> MemoryRun? {
        let (ending, output) = try ChildProcess.run(ProgramComparison.thisProgram, ["bench", "--memory-of", path])
        try Interruption.check()
        guard ending == .exited(0) else { throw CommandError.unusable("The memory measurement failed.") }
        return output.isEmpty ? nil : try JSONDecoder().decode(MemoryRun.self, from: Data(output))
    }
}
