import DeviceSimulation
import Injection
import TestSupport
import Testing

/// L-SY1 to L-SY3, L-NFR3, L-NFR6 to L-NFR8: whatever several devices do, and whatever happens to them, their messages and their
/// hub, they end up with the same.
@Suite struct ConvergenceTests {
    @Test(arguments: TestBudget.range(8, long: 200))
    func devicesEndUpWithTheSameRecords(seed: UInt64) async throws {
        let report = try await SyncSimulation(seed: seed).run(steps: TestBudget.count(150, long: 500))
        #expect(report.problems == [], "\(report.history.suffix(20).joined(separator: "\n"))")
    }

    /// J-MT6: so do journals and links, once journals take part.
    @Test(arguments: TestBudget.range(8, long: 1000))
    func devicesEndUpWithTheSameJournals(seed: UInt64) async throws {
        let problems = try await RandomSync.problems(seed: seed)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    /// A rule that is broken on purpose shows within 100 seeds.
    @Test(arguments: InjectionPoint.ofSync)
    func brokenRuleIsFound(point: InjectionPoint) async throws {
        for seed in UInt64(0)..<100 {
            if try await !SyncSimulation(seed: seed, breaking: point).run(steps: 150).problems.isEmpty { return }
        }
        Issue.record("100 seeds do not show \(point)")
    }

    @Test func equalSeedsAreEqualRuns() async throws {
        let first = try await SyncSimulation(seed: 7).run(steps: 100)
        let second = try await SyncSimulation(seed: 7).run(steps: 100)
        #expect(first.digest == second.digest)
        #expect(first.history == second.history)
        #expect(try await SyncSimulation(seed: 8).run(steps: 100).digest != first.digest)
    }
}
