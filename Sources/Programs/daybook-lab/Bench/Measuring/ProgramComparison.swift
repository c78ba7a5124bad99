import CommandSupport
import Daybook
import FoundationEssentials
import Workloads

/// Two programs that do the same in equal stores: a build that is to be judged, and the one that it is compared with.
struct ProgramComparison {
    /// This program.
    static let thisProgram = "/proc/self/exe"

    /// The program that this one is compared with.
    let other: String
    /// A store that nobody has open.
    let store: String
    /// When it is clear.
    var plan = PairedTrial.Plan()

    /// Another program answers, but does not know the operation.
    private struct UnknownOperation: Error {}

    /// Compares the two in one operation; nil when the other program does not know it. What looks slower has to look so
    /// twice. The self-test makes this side slower.
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

    /// Starts both in new copies of the store: what was done before leaves nothing behind. They take turns in being the
    /// first, too.
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

/// This program against another build of it: `daybook bench --against PROGRAM`.
struct AgainstRun {
    /// What came of it.
    struct Result {
        /// One for each operation that both programs know.
        var comparisons: [Comparison] = []
        /// The operations that the other program does not know.
        var leftOut: [String] = []
    }

    /// The other program.
    let program: String
    /// What both are to do.
    let operations: [Workloads.Operation]
    /// What their stores are filled with.
    let content: BenchStore.Content

    /// Compares the two in stores below a folder that exists. In memory, where that can be had, the noise of the disk does
    /// not hide what became slower; flushes and bytes written are counted, which is more than any clock can tell.
    func run(in folder: String, progress: (String) throws -> Void) async throws -> Result {
        let store = "\(folder)/compared"
        try progress("comparing: filling a store")
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

/// This program against itself: `daybook bench --self-test`.
struct SelfTestRun {
    /// How often, and what.
    let plan: SelfTest.Plan

    /// Does it in stores below a folder on a disk, and compares in memory, where that can be had.
    func run(in folder: String, progress: Progress) async throws -> SelfTestReport {
        let memory = ScratchFolder.inMemory(for: "compared")
        try ScratchFolder.create(memory)
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let store = "\(memory)/compared"
        progress.show("filling a store")
        try await BenchStore.make(at: store, .history(taskCount: 1000, seed: 1))
        let counting = try await CountRun(in: folder)
        let programs = ProgramComparison(other: ProgramComparison.thisProgram, store: store)
        let clock = SystemClock()
        let start = clock.monotonic
        let test = SelfTest(plan) { Double(clock.monotonic.microseconds(since: start)) / 1e6 }
        return try await test.run(
            trial: { operation, percent in
                guard let comparison = try await programs.compare(operation, slowedBy: percent) else {
                    throw CommandError.usage("No operation \(operation).")
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

    /// The changes only: what reads does not write more.
    private static func counts(by counting: CountRun, with extra: SelfTest.ExtraWork?) async throws -> [ExactCounts] {
        var counts: [ExactCounts] = []
        for operation in Operation.all where operation.isChange {
            counts.append(try await counting.count(operation, extra?.options ?? StoreOptions()))
        }
        return counts
    }
}
