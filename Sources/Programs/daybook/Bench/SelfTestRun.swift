import Daybook
import FoundationEssentials
import Workloads

/// This program against itself: `daybook bench --self-test`.
struct SelfTestRun {
    /// How often, and what.
    let plan: SelfTest.Plan

    /// Does it in stores below a folder on a disk, and compares in memory, where that can be had.
    func run(in folder: String, progress: Progress) async throws -> SelfTestReport {
        let memory = ScratchFolder.inMemory(for: "compared")
        try ScratchFolder.make(memory)
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
                Output.tell(text)
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
