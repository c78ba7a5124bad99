import Daybook
import FoundationEssentials
import LabSupport

/// Measures the service levels of a journal: performs operations under injected faults and crashes, and counts.
///
/// The work is divided among many stores, each in its own world, since a crash copies the whole store.
package struct ServiceLevelRun {
    let plan: ServiceLevelPlan
    let machine: any SimulatedMachine
    let scratch: String

    private static let operationsOfStore = 250

    /// - Parameter machine: one that can inject crashes and faults.
    package init(_ plan: ServiceLevelPlan, on machine: any SimulatedMachine, scratch: String) {
        self.plan = plan
        self.machine = machine
        self.scratch = scratch
    }

    /// Performs all operations. A store that breaks a promise is abandoned, and the next one continues.
    ///
    /// - Parameter progress: called after each store with the number of operations so far; may end the run by throwing.
    package func run(progress: (Int) throws -> Void = { _ in }) throws -> ServiceLevelReport {
        guard machine.canFail else { throw SimulationError.machineCannot("faults and power failures") }
        var report = ServiceLevelReport(plan)
        while report.operations < plan.operations {
            let seed = SeededGenerator.mix(plan.seed) &+ UInt64(report.stores)
            let root = "\(scratch)/levels-\(report.stores)"
            defer { try? FileManager.default.removeItem(atPath: root) }
            report.stores += 1
            let world = try SimulatedWorld(at: "2026-03-10 08:00", zone: "Europe/Berlin", seed: seed)
            let (machine, count, before) = (
                machine, min(Self.operationsOfStore, plan.operations - report.operations), report
            )
            do {
                report = try world.run {
                    try await ServiceLevelStore(before, seed: seed, in: world, on: machine, at: root).run(count)
                }
            } catch SimulationError.stuck {
                // The run is then incomplete, and has failed.
                report.note("\(SimulationError.stuck)")
                return report
            } catch {
                try ScratchFull.check(scratch)
                throw error
            }
            try progress(report.operations)
        }
        return report
    }
}
