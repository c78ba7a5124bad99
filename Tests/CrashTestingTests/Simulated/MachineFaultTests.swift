import CivilTime
import Daybook
import Foundation
import Simulation
import TestSupport
import Testing

@testable import CrashTesting

/// A machine, the folder it watches, and a store in it that survives crashes.
final class MachineStore {
    let machine = RecordedMachine()
    let clock = SettableClock(Instant(secondsSince1970: 1_770_800_400))
    private let folder: LabFolder
    private var lives = 0
    private var contexts: UInt64 = 0
    /// The folder that holds the store now.
    private(set) var watched: String

    init() throws {
        folder = try LabFolder()
        watched = "\(folder.path)/0"
        try Self.make(watched)
        try machine.begin(watching: watched)
    }

    deinit {
        machine.end()
    }

    /// Each with other random numbers, so that no id repeats.
    var context: Context {
        contexts += 1
        return Context(
            clock: clock, random: SeededRandomSource(seed: contexts), currentZone: { .utc }, weekStart: .monday)
    }

    var path: String { "\(watched)/home/store" }

    func open() throws -> DaybookStore { try Self.open(path, context) }

    static func open(_ path: String, _ context: Context, retries: RetryPolicy = .standard) throws -> DaybookStore {
        var options = StoreOptions.direct
        options.retries = retries
        return try DaybookStore.open(at: path, context: context, options: options)
    }

    /// Returns the range of calls that a piece of work makes.
    func calls(of work: () async throws -> Void, isolation: isolated (any Actor)? = #isolation) async rethrows
        -> Range<Int>
    {
        let before = machine.callCount
        try await work()
        return before..<machine.callCount
    }

    /// Creates an empty folder outside the watched one.
    func freshFolder() throws -> String {
        lives += 1
        let fresh = "\(folder.path)/\(lives)"
        try Self.make(fresh)
        return fresh
    }

    /// Continues with what a crash has left in a folder.
    func restart(in folder: String) throws {
        watched = folder
        try machine.begin(watching: folder)
    }

    static func make(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
}

/// Returns the tasks of a store after verifying it.
func texts(of daybook: DaybookStore) throws -> [String] {
    guard try daybook.verify().isClean else { return ["not clean"] }
    return try daybook.tasks.inbox().map(\.text)
}

extension WithDiskLog {
    @Suite(.timeLimit(.minutes(15))) struct MachineFaultTests {
        @Test(
            "Each attempt of a write meets one failing call, so that up to three are retried silently [S-41]",
            arguments: Fault.allCases, 0...4)
        func retries(fault: Fault, count: Int) async throws {
            let world = try MachineStore()
            let daybook = try world.open()
            try await daybook.tasks.create("before")
            world.machine.setFault(fault, writes: count)
            let calls = await world.calls {
                let saved = Task { () async -> String? in
                    do {
                        // More than LMDB writes in one call.
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

            // A crash during that leaves the state before or after as well.
            for choice in TestBudget.range(6, long: 40) {
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

        @Test("A cleared fault has no effect")
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
