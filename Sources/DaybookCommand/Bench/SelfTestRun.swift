import Daybook
import FoundationEssentials
import Workloads

/// This program against itself: `daybook bench --self-test`.
struct SelfTestRun {
    /// How often, and what.
    let plan: SelfTest.Plan
    /// What the stores are filled with.
    let content: BenchStore.Content
    /// Counts this program with more work in it than there should be; nil to leave that out.
    let countsWithInjection: SelfTest.Counting?

    /// Does it in stores below a folder that exists.
    func run(in folder: String, progress: Progress) async throws -> SelfTestReport {
        let store = "\(folder)/compared"
        progress.show("filling a store")
        try await BenchStore.make(at: store, content)
        defer { try? FileManager.default.removeItem(atPath: store) }
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
            countsWithInjection: countsWithInjection,
            say: { text in
                progress.end()
                Output.tell(text)
            },
            progress: progress.show)
    }
}
