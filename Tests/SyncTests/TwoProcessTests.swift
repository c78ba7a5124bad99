import CivilTime
import Foundation
import Injection
import LabSupport
import Records
import TestSupport
import Testing

@testable import Sync
@testable import Tasks

/// L-SY2, L-NFR6: two processes of one device sync the same store. Each is killed and stopped between any two calls of sending and
/// applying, and in the middle of them: nothing that was reported as saved is lost, and nothing is sent forever.
@Suite(.serialized) struct TwoProcessTests {
    @Test(arguments: TestBudget.range(6, long: 300))
    func killedAndStoppedProcessesOfOneDeviceLoseNothing(seed: UInt64) async throws {
        #expect(try await TwoProcesses.problems(seed: seed) == [])
    }

    @Test func changesThatAreSettledWhenTheyAreSentAreFoundToBeLost() async throws {
        for seed in UInt64(0)..<20 {
            if try await !TwoProcesses.problems(seed: seed, breaking: .settlesWhenSent).isEmpty { return }
        }
        Issue.record("20 seeds do not show it")
    }
}

/// Two processes of a device, and another device.
private final class TwoProcesses {
    private let hub = TestHub()
    private let other: TestDevice
    private let device: TestDevice
    private var processes: [SyncingProcess] = []
    private var dice: SeededGenerator
    private var spawned: UInt64
    /// What processes that have ended had reported.
    private var created: [UUID] = []

    private let point: InjectionPoint?

    static func problems(seed: UInt64, breaking point: InjectionPoint? = nil) async throws -> [String] {
        let run = try await TwoProcesses(seed: seed, breaking: point)
        try await run.play(steps: 60)
        return try await run.check()
    }

    private init(seed: UInt64, breaking point: InjectionPoint?) async throws {
        self.point = point
        let start = try Instant("2026-02-11T10:00:00Z")
        dice = SeededGenerator(seed: seed)
        spawned = seed * 1000 + 10
        hub.state.withLock { $0.now = start.microsecondsSince1970 }
        device = try TestDevice(1, at: start)
        other = try TestDevice(2, at: start)
        for device in [device, other] { try await device.begin() }
        device.store.close()
        for _ in 0..<2 { processes.append(try spawn()) }
    }

    private func spawn() throws -> SyncingProcess {
        spawned += 1
        return try SyncingProcess(on: device.folder.path + "/store", seed: spawned, breaking: point)
    }

    private func roll(_ bound: Int) -> Int { dice.below(bound) }

    private var now: Int64 { hub.state.withLock { $0.now } }

    private func pass(_ microseconds: Int) {
        hub.state.withLock { $0.now += Int64(microseconds) }
        other.clock.advance(byMicroseconds: Int64(microseconds))
    }

    // MARK: Steps

    private func play(steps: Int) async throws {
        for _ in 0..<steps {
            pass(1 + roll(400_000))
            if roll(100) < 10 {
                try other.write(.create) { _ = try $0.create("Bread") }
                #expect(try await other.sync(hub) == .settled)
            }
            try await step(roll(2))
        }
    }

    private func step(_ place: Int) async throws {
        let process = processes[place]
        if process.isStopped {
            if roll(100) < 40 { process.setStopped(false) }
            return
        }
        switch process.state {
        case .waits: try await tell(roll(2) == 0 ? "change \(now)" : "sync \(now)", to: place)
        case .asks(let question):
            switch roll(100) {
            case 0..<60: try await tell(try await reply(to: question), to: place)
            case 60..<75:
                // The answer is lost.
                if roll(2) == 0 { _ = try await reply(to: question) }
                try await tell("refusal unavailable", to: place)
            case 75..<87:
                if roll(2) == 0 { _ = try await reply(to: question) }
                try end(place)
            default: process.setStopped(true)
            }
        case .works: Issue.record("a process was not listened to")
        }
    }

    /// Tells a process something, and kills or stops it in the middle of that, or waits until it is done.
    private func tell(_ line: String, to place: Int) async throws {
        let process = processes[place]
        try process.tell(line)
        switch roll(100) {
        case 0..<12: try end(place)
        case 12..<30:
            // Whatever it holds now, the other one waits for it, and no longer than it takes.
            process.setStopped(true)
            let second = processes[1 - place]
            let isFree = second.state == .waits && !second.isStopped
            if isFree { try second.tell("change \(now)") }
            process.setStopped(false)
            process.listen()
            if isFree { second.listen() }
        default: process.listen()
        }
    }

    private func end(_ place: Int) throws {
        processes[place].kill()
        created += processes[place].created
        processes[place] = try spawn()
    }

    /// The hub's answer to a process.
    private func reply(to question: String) async throws -> String {
        let words = question.split(separator: " ").map(String.init)
        let bytes = [UInt8](hexadecimal: words[1])
        hub.device.withLock { $0 = 1 }
        do {
            guard words[0] == "sync" else {
                return "answer \(try await hub.records(RecordsRequest(decoding: bytes)).encoded.hexadecimal)"
            }
            return "answer \(try await hub.sync(SyncRequest(decoding: bytes)).encoded.hexadecimal)"
        } catch let refusal as SyncRefusal {
            return "refusal \(refusal.code)"
        }
    }

    // MARK: What must be true

    /// What is wrong once both processes are left alone.
    private func check() async throws -> [String] {
        var problems: [String] = []
        func require(_ isTrue: Bool, _ problem: String) {
            if !isTrue { problems.append(problem) }
        }
        for process in processes where process.isStopped { process.setStopped(false) }
        // Each twice, since the other one may have sent something after it.
        for process in processes + processes {
            try await finish(process)
            try process.tell("sync \(now)")
            process.listen()
            try await finish(process)
            require(process.ending == "settled", "a process ended with \(process.ending)")
        }
        for process in processes {
            try process.tell("status")
            let status = process.listen()
            require(status == "0 same 0", "pending, digest, full pulls: \(status)")
            created += process.created
        }
        require(!created.isEmpty, "nothing was created")
        let ending = try await other.sync(hub)
        require(ending == .settled, "the other device ended with \(ending)")
        require(try other.replica.status().digest == .same, "the other device differs from the hub")
        let tasks = try other.store.read { Set(try $0[TaskItem.self].page(limit: 1000).map(\.id)) }
        require(tasks.isSuperset(of: created), "\(Set(created).subtracting(tasks).count) tasks are lost")
        require(hub.units.mapValues(\.unit.key) == hub.fold.mapValues(\.key), "the hub has lost what it had accepted")
        for process in processes { process.kill() }
        try device.reopen()
        require(try device.content() == other.content(), "the devices differ")
        problems += try device.store.verify().problems
        return problems
    }

    /// Answers a process until it asks no more.
    private func finish(_ process: SyncingProcess) async throws {
        while case .asks(let question) = process.state {
            try process.tell(try await reply(to: question))
            process.listen()
        }
    }
}
