import CivilTime
import Daybook
import DiskRecording
import Foundation
import Simulation
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// Each test forks in a separate process, where no thread of another test can hold a lock.
    @Suite(.timeLimit(.minutes(15))) struct SecondProcessTests {
        @Test("A second process writes to a store that is open here, and its calls are recorded")
        func elsewhere() async {
            await #expect(processExitsWith: .success) {
                let world = try MachineStore()
                let daybook = try world.open()
                let store = try RecordStore(at: world.path, schema: TaskList.schema, context: world.context)
                let signal = try store.commitSignal()
                var expected: [String] = []
                for number in 0..<TestBudget.count(6, long: 20) {
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

        @Test("A second process that dies or ends without an answer is a descriptive error")
        func deaths() async {
            await #expect(processExitsWith: .success) {
                let machine = RecordedMachine()
                #expect(throws: CrashLabError.noAnswer("was killed by signal 9")) {
                    _ = try machine.runElsewhere { kill(getpid(), SIGKILL) == 0 ? "" : "" }
                }
                #expect(throws: CrashLabError.noAnswer("ended with code 3")) {
                    _ = try machine.runElsewhere { _exit(3) }
                }
                #expect(throws: CrashLabError.noAnswer("exceeded its time limit")) {
                    _ = try SecondProcess.run(timeLimitMicroseconds: 50_000) { while true { pause() } }
                }
                let long = String(repeating: "long ", count: 100_000)
                try #expect(machine.runElsewhere { long } == long)
                try #expect(machine.runElsewhere { "" } == "")
            }
        }
    }
}

@Suite struct CallingThreadTests {
    @Test("Work that waits for other threads continues on the calling thread")
    func waiting() throws {
        let caller = pthread_self()
        let sum = try CallingThread.run {
            var sum = 0
            for number in 1...50 {
                sum += await withCheckedContinuation { continuation in
                    // Answers immediately or from another thread, before or after the work has begun to wait.
                    if number % 2 == 0 {
                        continuation.resume(returning: number)
                    } else {
                        Thread { continuation.resume(returning: number) }.start()
                    }
                }
                #expect(pthread_equal(pthread_self(), caller) != 0)
            }
            return sum
        }
        #expect(sum == 1275)
    }

    @Test("Errors of the work are rethrown")
    func failing() {
        #expect(throws: CrashLabError.peerProcessFailed) {
            try CallingThread.run { () async throws -> Void in throw CrashLabError.peerProcessFailed }
        }
    }
}
