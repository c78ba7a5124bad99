import CivilTime
import Daybook
import Foundation
import Synchronization
import TestSupport
import Testing
import Threading

@testable import Simulation

private struct Refused: Error, Equatable {}

@Suite struct SimulatedWorldTests {
    private func world(at start: String = "2026-03-10 22:00", seed: UInt64 = 1) throws -> SimulatedWorld {
        try SimulatedWorld(at: start, zone: "Europe/Istanbul", seed: seed)
    }

    /// A world with a short timeout.
    private func impatientWorld() throws -> SimulatedWorld {
        try SimulatedWorld(
            at: .midnight, zone: "UTC", seed: 1, weekStart: .monday,
            executor: SimulatedExecutor(patience: .milliseconds(1000)))
    }

    /// Opens a temporary store.
    private func withStore<Result: Sendable>(
        in world: SimulatedWorld, _ body: @escaping @Sendable (DaybookStore) async throws -> Result
    ) throws -> Result {
        let folder = TemporaryFolder()
        return try world.run {
            let daybook = try DaybookStore.open(at: folder.path, context: world.context)
            defer { daybook.close() }
            return try await body(daybook)
        }
    }

    // MARK: Running

    @Test("run returns the work's result and rethrows its error")
    func results() throws {
        let world = try world()
        #expect(try world.run { 7 } == 7)
        #expect(throws: Refused()) { try world.run { throw Refused() } }
        #expect(try world.run { 8 } == 8)
    }

    @Test("Work that waits for something that never happens ends with an error")
    func stuck() throws {
        let world = try impatientWorld()
        #expect(throws: SimulationError.stuck) {
            try world.run {
                let (never, continuation) = AsyncStream<Int>.makeStream()
                for await _ in never {}
                continuation.finish()
            }
        }
    }

    @Test("Waiting for the monotonic clock advances it, and sleeping by the wall clock does not")
    func waits() throws {
        let world = try impatientWorld()
        let clock = world.clock
        let start = clock.wall
        #expect(throws: SimulationError.stuck) {
            try world.run { try await clock.sleep(while: start..<start.advanced(bySeconds: 60)) }
        }
        #expect(clock.wall == start)
        try world.run { try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 500_000)) }
        #expect(clock.wall.microseconds(since: start) == 500_000)
    }

    // MARK: Time

    /// Sleeps repeatedly for the given time, and records when it wakes up.
    private func sleeper(every minutes: Int64, in world: SimulatedWorld) -> Shared<[Int64]> {
        let woken = Shared<[Int64]>([])
        let clock = world.clock
        let start = clock.wall
        world.start {
            var next = start
            do {
                while true {
                    next = next.advanced(bySeconds: 60 * minutes)
                    try await clock.sleep(while: .init(uncheckedBounds: (Instant(microsecondsSince1970: .min), next)))
                    woken.change { $0.append(clock.wall.microseconds(since: start) / 60_000_000) }
                }
            } catch {
                // The end of the test.
            }
        }
        return woken
    }

    @Test("advance stops at every moment that a task sleeps for")
    func advance() throws {
        let world = try world()
        try world.run {
            let (seven, ten) = (sleeper(every: 7, in: world), sleeper(every: 10, in: world))
            await world.settle()
            await world.advance(by: .minutes(30))
            #expect(seven.value == [7, 14, 21, 28])
            #expect(ten.value == [10, 20, 30])
            #expect(world.clock.monotonic == MonotonicTime(microseconds: 1_800_000_000))
        }
    }

    @Test("advance(to:) accepts local times, ignores past ones and rejects malformed ones")
    func advanceTo() throws {
        let world = try world()
        try world.run {
            try await world.advance(to: "midnight")
            #expect("\(world.clock.wall)" == "2026-03-10T21:00:00Z")
            try await world.advance(to: "08:30")
            #expect("\(world.clock.wall)" == "2026-03-11T05:30:00Z")
            try await world.advance(to: "2026-03-11 08:00")
            #expect("\(world.clock.wall)" == "2026-03-11T05:30:00Z")
            await #expect(throws: SimulationError.malformedTime("noon")) { try await world.advance(to: "noon") }
        }
    }

    @Test("A jump sets the wall clock and advances the monotonic clock only on request, never backward")
    func jump() throws {
        let world = try world()
        let start = world.clock.wall
        try world.run {
            await world.jump(to: start.advanced(bySeconds: -3_600))
            #expect(world.clock.wall.microseconds(since: start) == -3_600_000_000)
            #expect(world.clock.monotonic == MonotonicTime(microseconds: 0))
            await world.jump(to: start, monotonicBy: .seconds(5))
            #expect(world.clock.wall == start)
            #expect(world.clock.monotonic == MonotonicTime(microseconds: 5_000_000))
            await world.jump(to: start, monotonicBy: .seconds(-5))
            #expect(world.clock.monotonic == MonotonicTime(microseconds: 5_000_000))
        }
    }

    // MARK: Travel and sleep

    @Test("A sleeping machine changes its zone when it wakes up")
    func travel() throws {
        let world = try world()
        try world.run {
            try await world.travel(to: "Asia/Tokyo")
            #expect(world.context.zone.identifier == "Asia/Tokyo")
            world.sleep()
            try await world.travel(to: "America/New_York")
            #expect(world.context.zone.identifier == "Asia/Tokyo")
            await world.wake()
            #expect(world.context.zone.identifier == "America/New_York")
            await #expect(throws: CivilTimeError.self) { try await world.travel(to: "Europe/Atlantis") }
            #expect(world.context.zone.identifier == "America/New_York")
        }
    }

    @Test("A sleeping machine wakes no task until it wakes up")
    func sleep() throws {
        let world = try world()
        try world.run {
            let woken = sleeper(every: 10, in: world)
            await world.settle()
            world.sleep()
            await world.advance(by: .minutes(25))
            #expect(world.isAsleep && woken.value.isEmpty)
            await world.wake()
            #expect(!world.isAsleep && woken.value == [25, 25])
        }
    }

    /// Keeps the thread that wants to run a job on it until it is let go.
    private final class HeldExecutor: TaskExecutor {
        let isHeld = Atomic(false)
        private let gate = DispatchSemaphore(value: 0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if isHeld.load(ordering: .acquiring) {
                isHeld.store(false, ordering: .releasing)
                gate.wait()
            }
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        func letGo() { gate.signal() }
    }

    @Test("A world settles only when a signal has woken everyone who waits for it")
    func halfRaisedSignal() {
        let signal = Signal()
        let held = HeldExecutor()
        let executor = SimulatedExecutor()
        let order = Shared<[String]>([])
        let first = Task(executorPreference: held) { try? await signal.wait(past: 0) }
        while signal.waiterCount < 1 { sched_yield() }
        let second = Task(executorPreference: executor) {
            try? await signal.wait(past: 0)
            order.change { $0.append("woken") }
        }
        _ = executor.run(until: { signal.waiterCount == 2 }, whenStuck: { false })
        held.isHeld.store(true, ordering: .releasing)
        Thread.detachNewThread { signal.raise() }
        // The thread is between the two tasks now.
        while held.isHeld.load(ordering: .acquiring) { sched_yield() }
        let settling = Task(executorPreference: executor) {
            _ = await executor.settle { true }
            order.change { $0.append("settled") }
        }
        var looks = 0
        let hasEnded = executor.run(
            until: {
                looks += 1
                if looks == 100 { held.letGo() }
                return looks >= 100 && order.value.count == 2
            }, whenStuck: { looks < 100 })
        #expect(hasEnded)
        #expect(order.value == ["woken", "settled"])
        _ = (first, second, settling)
    }

    // MARK: Stores

    @Test("Ids depend on the seed only")
    func seeds() throws {
        func ids(seed: UInt64) throws -> [UUID] {
            try withStore(in: try world(seed: seed)) { daybook in
                [try await daybook.tasks.create("A").id, try await daybook.tasks.create("B").id]
            }
        }
        let first = try ids(seed: 1)
        #expect(try ids(seed: 1) == first)
        #expect(Set(try ids(seed: 2)).isDisjoint(with: first))
    }

    @Test("A follower receives every commit and midnight once and in order")
    func follow() throws {
        let world = try world()
        try withStore(in: world) { daybook in
            let today = world.follow(daybook.tasks.changes(in: .today))
            let feed = world.follow(daybook.tasks.changes(after: 0))
            #expect(try await today.next().tasks.isEmpty)
            try await daybook.tasks.create("A", in: .today)
            #expect(try await today.next().tasks.map(\.text) == ["A"])
            try await world.advance(to: "midnight")
            #expect(today.take().map(\.tasks.isEmpty) == [true])
            #expect(today.take().isEmpty)
            try await daybook.tasks.create("B")
            #expect(try await [feed.next().sequence, feed.next().sequence] == [1, 2])
        }
    }

    @Test("A follower that receives nothing throws instead of waiting forever")
    func silence() throws {
        let world = try impatientWorld()
        try withStore(in: world) { daybook in
            let today = world.follow(daybook.tasks.changes(in: .today))
            _ = try await today.next()
            try await daybook.tasks.create("Not of today")
            await #expect(throws: SimulationError.stuck) { try await today.next() }
        }
    }

    @Test("A follower of a closed store throws the reason")
    func closed() throws {
        let world = try world()
        try withStore(in: world) { daybook in
            let today = world.follow(daybook.tasks.changes(in: .today))
            _ = try await today.next()
            daybook.close()
            await #expect(throws: RecordsError.engine(.closed)) { try await today.next() }
        }
    }
}
