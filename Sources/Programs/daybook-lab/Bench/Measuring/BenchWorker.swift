import ArgumentParser
import CommandSupport
import Daybook
import Dispatch
import FoundationEssentials
import KeyValue
import Threading
import Workloads

/// The side of a comparison that does the work: it runs operations in a store of its own and takes the time itself, so
/// that what lies between it and the process that asks does not count.
struct BenchWorker {
    /// The first line that it says.
    struct Greeting: Codable {
        /// The number of this way of asking. Whoever does not know it cannot ask.
        let worker: Int
        /// The version of the program.
        let version: String
        /// The names of the operations that it knows.
        let operations: [String]
    }

    /// The way of asking: lines of an operation's name, a number of runs and, in the self-test, percent of slowdown. Each is
    /// answered by a line of the nanoseconds of each run.
    static let protocolNumber = 1

    /// The folder of the store.
    let folder: String

    /// Answers until nobody asks any more.
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

    /// Runs an operation so many times and leaves: for tools that watch a whole process. The main thread waits without
    /// giving itself back to Swift's runtime, which is more than valgrind of before 2023 survives.
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
            throw CommandError.usage("Line \(asked.number) is no question.")
        }
        let words = text.split(separator: " ")
        guard (2...3).contains(words.count), let runs = Int(words[1]), runs >= 0,
            let percent = words.count == 3 ? Int(words[2]) : 0, percent >= 0,
            let operation = Operation.named(String(words[0]))
        else { throw CommandError.usage("Line \(asked.number) is no question.") }
        return try await sampler.sample(operation, runs: runs, slowedBy: percent)
    }

    private func say(_ line: [UInt8]) throws {
        try Output.standard.write(line + [0x0A])
    }
}

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
