import Daybook
import Foundation
import Injection
import TestSupport
import Testing

@testable import CrashTesting
@testable import Simulation

extension WithDiskLog {
    /// The service levels of journals under injected faults and crashes.
    @Suite struct ServiceLevelTests {
        private func measure(_ plan: ServiceLevelPlan) throws -> ServiceLevelReport {
            let folder = TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            return try ServiceLevelRun(plan, on: RecordedMachine(), scratch: folder.path).run()
        }

        private func share(_ level: ServiceLevel, in report: ServiceLevelReport) -> Int {
            report.counts[level]?.share ?? -1
        }

        @Test("Journals reach every service level under the stated faults [J-SLO1, J-SLO2, J-SLO3, J-SLO4, C-NFR16]")
        func levels() throws {
            let plan = ServiceLevelPlan(seed: 1, operations: TestBudget.count(1_000, long: 20_000))
            let report = try measure(plan)
            #expect(report.isGood, "\(report)")
            #expect(report.problems.isEmpty)
            #expect(report.failures > 0 && report.processCrashes > 0 && report.powerCrashes > 0)
            #expect(report.counts.values.allSatisfy { $0.total >= 50 })
        }

        @Test("The same seed gives the same report")
        func sameSeed() throws {
            let reports = try (0..<2).map { _ in try measure(ServiceLevelPlan(seed: 7, operations: 300)) }
            #expect(reports[0].counts == reports[1].counts)
            #expect(reports[0].failures == reports[1].failures)
            #expect(reports[0].powerCrashes == reports[1].powerCrashes)
        }

        @Test("Without retries, too few entries are saved and too few exports written")
        func noRetries() throws {
            var plan = ServiceLevelPlan(seed: 1, operations: 1_000)
            plan.retries = .none
            plan.exportAttempts = 1
            let report = try measure(plan)
            #expect(!report.meets(.entrySaves) && (900_000..<980_000).contains(share(.entrySaves, in: report)))
            #expect(!report.meets(.exports))
            #expect(!report.isGood && report.meets(.crashFree) && report.meets(.draftRecovery))
        }

        @Test("Drafts that are only kept in memory do not come back")
        func draftsInMemory() throws {
            var plan = ServiceLevelPlan(seed: 1, operations: 500)
            plan.keepsDraftsInMemory = true
            let report = try measure(plan)
            #expect(share(.draftRecovery, in: report) == 0)
            #expect(!report.isGood && report.meets(.crashFree))
        }

        @Test("A store that reports what it has not flushed is not crash-free")
        func acknowledgesTooEarly() throws {
            var plan = ServiceLevelPlan(seed: 1, operations: 500)
            plan.options.injectionPoint = ArmedInjectionPoints(.neverFlushes)
            let report = try measure(plan)
            #expect(!report.meets(.crashFree) && !report.problems.isEmpty)
        }

        @Test("A run in which something is not measured has failed")
        func nothingMeasured() throws {
            let report = try measure(ServiceLevelPlan(seed: 1, operations: 1))
            #expect(report.counts[.crashFree]?.share == 1_000_000)
            #expect(!report.isGood)
        }
    }
}
