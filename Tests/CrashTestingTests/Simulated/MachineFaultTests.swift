#if os(Linux)
    import CivilTime
    import Daybook
    import Simulation
    import Testing

    @testable import CrashTesting

    extension WithDiskLog {
        @Suite(.timeLimit(.minutes(10))) struct MachineFaultTests {
            @Test(
                "S-41: each try of a write meets one failing call, so that up to three are not noticed",
                arguments: Fault.allCases, 0...4)
            func retries(fault: Fault, count: Int) async throws {
                let world = try MachineStore()
                let daybook = try world.open()
                try await daybook.tasks.create("before")
                world.machine.setFault(fault, writes: count)
                let calls = await world.calls {
                    let saved = Task { () async -> String? in
                        do {
                            // More than LMDB writes by one call.
                            try await daybook.write { transaction in
                                for number in 0..<40 { try transaction.tasks.create("task \(number)") }
                            }
                            return nil
                        } catch {
                            return (error as? RecordsError)?.code ?? "\(error)"
                        }
                    }
                    for wait in [500_000, 1_000_000, 1_500_000].prefix(count) as ArraySlice<Int64> {
                        while world.clock.sleeperCount == 0 { await Task.yield() }
                        world.clock.advance(byMicroseconds: wait)
                    }
                    let code = fault == .fullDisk ? "disk-full" : "busy"
                    #expect(await saved.value == (count <= 3 ? nil : code))
                }
                #expect(world.clock.monotonic.microseconds == [0, 500_000, 1_500_000, 3_000_000, 3_000_000][count])
                #expect(world.machine.faultsHit == count)
                let expected = ["before"] + (count <= 3 ? (0..<40).map { "task \($0)" } : [])
                try #expect(texts(of: daybook) == expected)

                // A crash in the middle of that leaves the state before or after as well.
                for choice in 0..<40 as Range<UInt64> {
                    let fresh = try world.freshFolder()
                    let words = try world.machine.leave(
                        Crash.allCases[Int(choice) % 2], within: calls, choice: choice, in: fresh)
                    let left = try MachineStore.open("\(fresh)/home/store", world.context)
                    let found = try texts(of: left)
                    #expect(found == ["before"] || found == expected, "\(words)")
                    left.close()
                }
                try await daybook.tasks.create("after")
                try #expect(texts(of: daybook) == expected + ["after"])
                daybook.close()
            }

            @Test("A fault that is taken back strikes no more")
            func cleared() async throws {
                let world = try MachineStore()
                let daybook = try MachineStore.open(world.path, world.context, retries: .none)
                for fault in Fault.allCases {
                    world.machine.setFault(fault, writes: 5)
                    for _ in 0..<2 { await #expect(throws: TaskError.self) { try await daybook.tasks.create("lost") } }
                    world.machine.setFault(nil, writes: 0)
                    try await daybook.tasks.create("kept")
                    #expect(world.machine.faultsHit == 2)
                }
                try #expect(texts(of: daybook) == ["kept", "kept"])
                daybook.close()
            }
        }
    }
#endif
