import CommandSupport
import Daybook
import FoundationEssentials
import Workloads

/// A comparison of two programs that run the same operations in equal stores.
struct ProgramComparison {
    /// This program.
    static let thisProgram = "/proc/self/exe"

    /// The path of the other program.
    let other: String
    /// A store that is not open.
    let store: String
    /// The rules for ending the comparison.
    var plan = PairedTrial.Plan()

    /// The other program does not have the operation.
    private struct UnknownOperation: Error {}

    /// Compares the programs in one operation. Returns nil if the other program does not have it. A slowdown must be
    /// confirmed by a second comparison. The self-test slows down this side.
    func compare(_ operation: String, slowedBy percent: Int = 0) async throws -> Comparison? {
        do {
            let first = try await compareOnce(operation, slowedBy: percent)
            return first.outcome == .worse ? try await compareOnce(operation, slowedBy: percent) : first
        } catch is UnknownOperation {
            return nil
        }
    }

    private func compareOnce(_ operation: String, slowedBy percent: Int) async throws -> Comparison {
        try await PairedTrial(plan).compare(operation) { number in
            let (this, other) = try start(isTurned: number % 2 == 1)
            let sides = PairedTrial.Sides(
                this: { try this.time(operation, runs: $0, slowedBy: percent) },
                other: { try other.time(operation, runs: $0) },
                end: {
                    this.end()
                    other.end()
                })
            guard other.greeting.operations.contains(operation) else {
                sides.end()
                throw UnknownOperation()
            }
            return sides
        }
    }

    /// Starts both programs in new copies of the store. The order of starts alternates.
    private func start(isTurned: Bool) throws -> (this: WorkerProcess, other: WorkerProcess) {
        let first = try start(isTurned ? other : Self.thisProgram, in: "\(store)-first")
        let second = try start(isTurned ? Self.thisProgram : other, in: "\(store)-second")
        return isTurned ? (second, first) : (first, second)
    }

    private func start(_ program: String, in folder: String) throws -> WorkerProcess {
        try ScratchFolder.copy(store, to: folder)
        return try WorkerProcess(program, in: folder)
    }
}

/// A comparison of this program with another build: `daybook bench --against PROGRAM`.
struct AgainstRun {
    /// The result of the comparison.
    struct Result {
        /// One comparison for each operation that both programs have.
        var comparisons: [Comparison] = []
        /// The operations that the other program does not have.
        var leftOut: [String] = []
    }

    /// The other program.
    let program: String
    /// The operations to compare.
    let operations: [Workloads.Operation]
    /// The content of the stores.
    let content: BenchStore.Content

    /// Compares the programs in stores below an existing folder, preferably in memory: disk noise would hide slowdowns,
    /// and flushes and written bytes are counted exactly elsewhere.
    func run(in folder: String, progress: (String) throws -> Void) async throws -> Result {
        let store = "\(folder)/compared"
        try progress("comparing: filling the store")
        try await BenchStore.make(at: store, content)
        defer { try? FileManager.default.removeItem(atPath: store) }
        let programs = ProgramComparison(other: program, store: store)
        var result = Result()
        for operation in operations {
            try progress("comparing: \(operation.title)")
            if let comparison = try await programs.compare(operation.name) {
                result.comparisons.append(comparison)
            } else {
                result.leftOut.append(operation.name)
            }
        }
        return result
    }
}

/// A comparison of this program with itself: `daybook bench --self-test`.
struct SelfTestRun {
    /// The trials to run.
    let plan: SelfTest.Plan

    /// Counts in stores below a folder on a disk, and compares in memory if possible.
    func run(in folder: String, progress: Progress) async throws -> SelfTestReport {
        let memory = ScratchFolder.inMemory(for: "compared")
        try ScratchFolder.create(memory)
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let store = "\(memory)/compared"
        progress.show("filling the store")
        try await BenchStore.make(at: store, .history(taskCount: 1000, seed: 1))
        let counting = try await CountRun(in: folder)
        let programs = ProgramComparison(other: ProgramComparison.thisProgram, store: store)
        let clock = SystemClock()
        let start = clock.monotonic
        let test = SelfTest(plan) { Double(clock.monotonic.microseconds(since: start)) / 1e6 }
        return try await test.run(
            trial: { operation, percent in
                guard let comparison = try await programs.compare(operation, slowedBy: percent) else {
                    throw CommandError.usage("Unknown operation \(operation).")
                }
                return comparison
            },
            countsWithInjection: { extra in try await Self.counts(by: counting, with: extra) },
            say: { text in
                progress.end()
                Output.report(text)
            },
            progress: progress.show)
    }

    /// Counts changes only: queries write nothing.
    private static func counts(by counting: CountRun, with extra: SelfTest.ExtraWork?) async throws -> [ExactCounts] {
        var counts: [ExactCounts] = []
        for operation in Operation.all where operation.isChange {
            counts.append(try await counting.count(operation, extra?.options ?? StoreOptions()))
        }
        return counts
    }
}
