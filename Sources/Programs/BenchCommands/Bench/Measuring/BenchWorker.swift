import ArgumentParser
import CommandSupport
import Daybook
import Dispatch
import FoundationEssentials
import Processes
import Threading
import Workloads

/// The worker process of a comparison. It runs operations in its own store and measures the time itself, so that
/// communication with the parent process does not count.
struct BenchWorker {
    /// The first line of output.
    struct Greeting: Codable {
        /// The version of the protocol. The parent process must support it.
        let worker: Int
        /// The version of the program.
        let version: String
        /// The names of the supported operations.
        let operations: [String]
    }

    /// The protocol: each request is a line with an operation's name, a number of runs and, in the self-test, a
    /// slowdown in percent. Each response is a line with the nanoseconds of each run.
    static let protocolNumber = 1

    /// The folder of the store.
    let folder: String

    /// Handles requests until the input ends.
    func serve() async throws {
        let sampler = try OperationSampler(at: folder)
        defer { sampler.close() }
        let greeting = Greeting(
            worker: Self.protocolNumber, version: LibraryVersion.current, operations: Operation.all.map(\.name))
        try say(Array(try JSONEncoder().encode(greeting)))
        var lines = LineReader(.standard)
        while let asked = try lines.next() {
            for line in asked {
                let times = try await answer(line, from: sampler)
                try say(Array(times.map { "\($0)" }.joined(separator: " ").utf8))
            }
        }
    }

    /// Runs an operation the given number of times and returns, for tools that observe a whole process. The main thread
    /// blocks instead of returning to Swift's runtime, which valgrind before 2023 does not support.
    func run(_ operation: Workloads.Operation, rounds: Int) throws {
        let folder = folder
        let failure = ForkSafeMutex<(any Error)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let sampler = try OperationSampler(at: folder)
                defer { sampler.close() }
                _ = try await sampler.sample(operation, runs: rounds)
            } catch {
                failure.withLock { $0 = error }
            }
            isDone.signal()
        }
        isDone.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func answer(_ asked: LineReader.Numbered, from sampler: OperationSampler) async throws -> [Int64] {
        guard case .text(let text) = asked.line else {
            throw CommandError.usage("Line \(asked.number) is not a valid request.")
        }
        let words = text.split(separator: " ")
        guard (2...3).contains(words.count), let runs = Int(words[1]), runs >= 0,
            let percent = words.count == 3 ? Int(words[2]) : 0, percent >= 0,
            let operation = Operation.named(String(words[0]))
        else { throw CommandError.usage("Line \(asked.number) is not a valid request.") }
        return try await sampler.sample(operation, runs: runs, slowedBy: percent)
    }

    private func say(_ line: [UInt8]) throws {
        try Output.standard.write(line + [0x0A])
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
