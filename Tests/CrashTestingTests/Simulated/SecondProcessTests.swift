#if os(Linux)
    import CivilTime
    import Daybook
    import Foundation
    import Simulation
    import Testing

    @testable import CrashTesting

    extension WithDiskLog {
        /// Each test forks in a process of its own, where no other test's thread can hold a lock at that moment.
        @Suite(.timeLimit(.minutes(5))) struct SecondProcessTests {
            @Test("A second process writes to the store that is open here, and what it does is recorded")
            func elsewhere() async {
                await #expect(processExitsWith: .success) {
                    let world = try MachineStore()
                    let daybook = try world.open()
                    let store = try RecordStore(at: world.path, schema: TaskList.schema, context: world.context)
                    let signal = try store.commitSignal()
                    var expected: [String] = []
                    for number in 0..<20 {
                        try await daybook.tasks.create("here \(number)")
                        let generation = signal.generation
                        let path = world.path
                        let context = world.context
                        var answer = ""
                        let calls = try await world.calls {
                            answer = try world.machine.runElsewhere {
                                do {
                                    let own = try MachineStore.open(path, context)
                                    _ = try own.write { try $0.tasks.create("elsewhere \(number)") }
                                    return "written"
                                } catch {
                                    return "\(error)"
                                }
                            }
                        }
                        try #require(answer == "written")
                        try await signal.wait(past: generation)
                        let before = expected + ["here \(number)"]
                        expected = before + ["elsewhere \(number)"]
                        try #expect(texts(of: daybook) == expected)
                        let fresh = try world.freshFolder()
                        _ = try world.machine.leave(.power, within: calls, choice: UInt64(number), in: fresh)
                        let left = try MachineStore.open("\(fresh)/home/store", context)
                        let found = try texts(of: left)
                        #expect(found == before || found == expected)
                        left.close()
                    }
                    store.close()
                }
            }

            @Test("A second process that dies, or ends without an answer, is an error that says so")
            func deaths() async {
                await #expect(processExitsWith: .success) {
                    let machine = RecordedMachine()
                    #expect(throws: CrashLabError.noAnswer("was ended by signal 9")) {
                        _ = try machine.runElsewhere { kill(getpid(), SIGKILL) == 0 ? "" : "" }
                    }
                    #expect(throws: CrashLabError.noAnswer("ended with code 3")) {
                        _ = try machine.runElsewhere { _exit(3) }
                    }
                    #expect(throws: CrashLabError.noAnswer("took longer than its time")) {
                        _ = try SecondProcess.run(timeLimitMilliseconds: 50) { while true { pause() } }
                    }
                    let long = String(repeating: "long ", count: 100_000)
                    try #expect(machine.runElsewhere { long } == long)
                    try #expect(machine.runElsewhere { "" } == "")
                }
            }
        }
    }
#endif
