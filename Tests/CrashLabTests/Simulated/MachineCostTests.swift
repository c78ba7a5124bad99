#if os(Linux)
    import CivilTime
    import Daybook
    import Foundation
    import Simulation
    import Testing

    @testable import CrashLab

    extension WithDiskLog {
        @Suite(.timeLimit(.minutes(10))) struct MachineCostTests {
            @Test(.enabled(if: ProcessInfo.processInfo.environment["MACHINE_COST"] != nil))
            func cost() async throws {
                let clock = ContinuousClock()
                let world = try MachineStore()
                let daybook = try world.open()
                func measure(_ name: String, _ count: Int, _ work: () async throws -> Void) async rethrows {
                    let start = clock.now
                    for _ in 0..<count { try await work() }
                    let total = clock.now - start
                    print("COST \(name): \(total / count) each of \(count)")
                }
                try await measure("recorded commit", 1000) { try await daybook.tasks.create("x") }
                await measure("first callCount", 1) { print("COST calls \(world.machine.callCount)") }
                await measure("callCount", 1000) { _ = world.machine.callCount }
                try await measure("recorded commit + callCount", 1000) {
                    try await daybook.tasks.create("x")
                    _ = world.machine.callCount
                }
                let calls = try await world.calls { try await daybook.tasks.create("last") }
                print("COST calls \(calls), data \(daybook.path)")
                for crash in Crash.allCases {
                    var choice: UInt64 = 0
                    try await measure("leave \(crash)", 1) {
                        _ = try world.machine.leave(crash, within: calls, choice: choice, in: world.freshFolder())
                    }
                    try await measure("leave \(crash)", 20) {
                        choice += 1
                        _ = try world.machine.leave(crash, within: calls, choice: choice, in: world.freshFolder())
                    }
                }
                var answer = ""
                try await measure("runElsewhere, nothing", 10) { answer = try world.machine.runElsewhere { "" } }
                let path = world.path
                let context = world.context
                try await measure("runElsewhere, one write", 10) {
                    answer = try world.machine.runElsewhere {
                        do {
                            let own = try MachineStore.open(path, context)
                            _ = try own.write { try $0.tasks.create("elsewhere") }
                            own.close()
                            return "written"
                        } catch { return "\(error)" }
                    }
                }
                print("COST \(answer)")
                daybook.close()
                let fresh = try world.freshFolder()
                _ = try world.machine.leave(.process, within: 0..<0, choice: 0, in: fresh)
                try await measure("begin", 1) { try world.goOn(in: fresh) }
                world.machine.end()
                let again = try world.open()
                try await measure("unrecorded commit", 1000) { try await again.tasks.create("x") }
                again.close()
            }
        }
    }
#endif
