import Foundation
import Processes
import Testing

@testable import CivilTime

@Suite(.timeLimit(.minutes(15))) struct ClockTests {
    private let start = Instant(secondsSince1970: 1_000)

    /// Yields until the given number of tasks wait.
    private func waitUntil(_ count: Int, sleepIn clock: SettableClock) async {
        while clock.sleeperCount < count { await Task.yield() }
    }

    @Test("A settable clock does not move until it is advanced")
    func aSettableClockStandsStillUntilItIsAdvanced() {
        let clock = SettableClock(start, monotonic: MonotonicTime(microseconds: 5))
        #expect(clock.wall == start)
        clock.advance(byMicroseconds: 10)
        #expect(clock.wall == start.advanced(byMicroseconds: 10))
        #expect(clock.monotonic.microseconds == 15)
        clock.advance(byMicroseconds: -10)
        #expect(clock.monotonic.microseconds == 15)
        clock.setWall(Instant(secondsSince1970: 1))
        #expect(clock.wall == Instant(secondsSince1970: 1))
        #expect(clock.monotonic.microseconds == 15)
    }

    @Test("Sleepers wake at their instant")
    func sleepersWakeWhenTheirInstantHasCome() async throws {
        let clock = SettableClock(start)
        let early = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        let late = Task { try await clock.sleep(until: start.advanced(bySeconds: 20)) }
        await waitUntil(2, sleepIn: clock)
        clock.advance(byMicroseconds: 9_999_999)
        #expect(clock.sleeperCount == 2)
        clock.advance(byMicroseconds: 1)
        try await early.value
        #expect(clock.sleeperCount == 1)
        clock.advance(byMicroseconds: 10_000_000)
        try await late.value
        #expect(clock.sleeperCount == 0)
    }

    @Test("Every sleeper wakes when the clock is stepped")
    func everySleeperLooksAgainWhenTheClockIsSet() async throws {
        let clock = SettableClock(start)
        let sleeper = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        await waitUntil(1, sleepIn: clock)
        clock.setWall(Instant(secondsSince1970: 1))
        try await sleeper.value
    }

    @Test("Sleepers of the monotonic clock are woken only by advances")
    func whoSleepsByTheMonotonicClockIsWokenByAdvancesOnly() async throws {
        let clock = SettableClock(start, monotonic: MonotonicTime(microseconds: 5))
        let sleeper = Task { try await clock.sleep(until: MonotonicTime(microseconds: 15)) }
        await waitUntil(1, sleepIn: clock)
        clock.setWall(start.advanced(bySeconds: 1_000))
        clock.setWall(Instant(secondsSince1970: 1))
        clock.advance(byMicroseconds: 9)
        #expect(clock.sleeperCount == 1)
        clock.advance(byMicroseconds: 1)
        try await sleeper.value
        #expect(clock.sleeperCount == 0)
    }

    @Test("The system clock sleeps until a monotonic time")
    func theSystemClockSleepsUntilAMonotonicTime() async throws {
        let clock = SystemClock()
        let time = clock.monotonic.advanced(byMicroseconds: 20_000)
        try await clock.sleep(until: time)
        #expect(clock.monotonic >= time)
        let far = Task { try await clock.sleep(until: MonotonicTime(microseconds: .max)) }
        await Task.yield()
        far.cancel()
        await #expect(throws: CancellationError.self) { try await far.value }
    }

    @Test("Waiting for a past time returns at once")
    func whatIsPastIsNotWaitedFor() async throws {
        try await SettableClock(start).sleep(until: start)
        try await SystemClock().sleep(until: start)
        try await SettableClock(start).sleep(until: MonotonicTime(microseconds: 0))
        try await SystemClock().sleep(until: MonotonicTime(microseconds: .min))
    }

    @Test("A cancelled sleeper throws")
    func aCancelledSleeperThrows() async {
        let settable = SettableClock(start)
        for clock in [settable, SystemClock()] as [any CivilTime.TimeSource] {
            let far = clock.wall.advanced(bySeconds: 1_000_000)
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await clock.sleep(until: far)
            }
            await #expect(throws: CancellationError.self) { try await before.value }
            let during = Task { try await clock.sleep(until: far) }
            await Task.yield()
            during.cancel()
            await #expect(throws: CancellationError.self) { try await during.value }
        }
        #expect(settable.sleeperCount == 0)
    }

    @Test("The system clock wakes at the instant and not before")
    func theSystemClockWakesAtTheInstantAndNotBefore() async throws {
        let clock = SystemClock()
        let began = clock.monotonic
        let instant = clock.wall.advanced(byMicroseconds: 50_000)
        try await clock.sleep(until: instant)
        #expect(clock.wall >= instant)
        #expect(clock.monotonic.microseconds(since: began) >= 49_000)
    }

    @Test("The system clock accepts any instant")
    func theSystemClockAcceptsAnyInstant() async {
        let task = Task { try await SystemClock().sleep(until: Instant(microsecondsSince1970: Int64.max)) }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Many sleepers and cancellations leave nothing behind")
    func manySleepersAndCancellationsLeaveNothingBehind() async {
        let clock = SettableClock(start)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let task = Task { try await clock.sleep(until: start.advanced(bySeconds: Int64(number % 50))) }
                    if number.isMultiple(of: 3) { task.cancel() }
                    _ = await task.result
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    clock.advance(byMicroseconds: 1_000_000)
                    await Task.yield()
                }
            }
        }
        #expect(clock.sleeperCount == 0)
    }

    // MARK: Support for the simulator

    @Test("A jump moves both clocks and wakes once")
    func aJumpMovesBothClocksAndWakesOnce() async throws {
        let clock = SettableClock(start)
        let wall = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        let monotonic = Task { try await clock.sleep(until: MonotonicTime(microseconds: 5)) }
        let patient = Task { try await clock.sleep(until: MonotonicTime(microseconds: 6)) }
        await waitUntil(3, sleepIn: clock)
        clock.jump(to: Instant(secondsSince1970: 1), advancingMonotonicBy: 5)
        try await wall.value
        try await monotonic.value
        #expect(clock.wall == Instant(secondsSince1970: 1))
        #expect(clock.monotonic.microseconds == 5)
        #expect(clock.sleeperCount == 1)
        // Sleepers of the monotonic clock do not count.
        #expect(clock.wakeCount == 1)
        clock.jump(to: start, advancingMonotonicBy: -100)
        #expect(clock.monotonic.microseconds == 5)
        clock.advance(byMicroseconds: 1)
        try await patient.value
    }

    @Test("A settable clock reports the time until the next wake")
    func itTellsHowLongItIsUntilTheNextWake() async throws {
        let clock = SettableClock(start)
        #expect(clock.timeToNextWake == nil)
        #expect(!clock.hasMonotonicSleepers)
        let wall = Task { try await clock.sleep(until: start.advanced(byMicroseconds: 30)) }
        await waitUntil(1, sleepIn: clock)
        #expect(clock.timeToNextWake == 30)
        #expect(!clock.hasMonotonicSleepers)
        let monotonic = Task { try await clock.sleep(until: MonotonicTime(microseconds: 20)) }
        await waitUntil(2, sleepIn: clock)
        #expect(clock.timeToNextWake == 20)
        #expect(clock.hasMonotonicSleepers)
        clock.advance(byMicroseconds: 5)
        #expect(clock.timeToNextWake == 15)
        clock.advance(byMicroseconds: 15)
        try await monotonic.value
        #expect(clock.timeToNextWake == 10)
        clock.suspend()
        clock.advance(byMicroseconds: 11)
        #expect(clock.timeToNextWake == 0)
        clock.resume()
        try await wall.value
        #expect(clock.timeToNextWake == nil)
    }

    @Test("Only woken sleepers of the wall clock are counted")
    func onlyThoseWhoSleptByTheWallClockAndWereWokenAreCounted() async throws {
        let clock = SettableClock(start)
        try await clock.sleep(until: start)
        #expect(clock.wakeCount == 0)
        let cancelled = Task { try await clock.sleep(until: start.advanced(bySeconds: 1)) }
        let woken = Task { try await clock.sleep(until: start.advanced(bySeconds: 2)) }
        await waitUntil(2, sleepIn: clock)
        cancelled.cancel()
        _ = await cancelled.result
        clock.advance(byMicroseconds: 2_000_000)
        try await woken.value
        #expect(clock.wakeCount == 1)
    }

    @Test("No task is woken while the machine sleeps")
    func noTaskIsWokenDuringSleep() async throws {
        let clock = SettableClock(start)
        let wall = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        let monotonic = Task { try await clock.sleep(until: MonotonicTime(microseconds: 10)) }
        let later = Task { try await clock.sleep(until: start.advanced(bySeconds: 1_000)) }
        await waitUntil(3, sleepIn: clock)
        clock.suspend()
        clock.advance(byMicroseconds: 10_000_000)
        #expect(clock.sleeperCount == 3)
        #expect(clock.wall == start.advanced(bySeconds: 10))
        // A task that begins to sleep now is not woken either.
        let late = Task { try await clock.sleep(until: start) }
        await waitUntil(4, sleepIn: clock)
        clock.resume()
        try await wall.value
        try await monotonic.value
        try await late.value
        #expect(clock.sleeperCount == 1)
        #expect(clock.wakeCount == 2)
        // The clock was stepped while the machine slept: all sleepers of the wall clock check again, and no others.
        let patient = Task { try await clock.sleep(until: MonotonicTime(microseconds: .max)) }
        await waitUntil(2, sleepIn: clock)
        clock.suspend()
        clock.setWall(start)
        #expect(clock.sleeperCount == 2)
        clock.resume()
        try await later.value
        #expect(clock.sleeperCount == 1)
        clock.suspend()
        clock.resume()
        #expect(clock.sleeperCount == 1)
        patient.cancel()
        await #expect(throws: CancellationError.self) { try await patient.value }
    }

    @Test("A sleep notices that the clock stepped backward before it began")
    func theStartOfTheRangeCounts() async throws {
        let clock = SettableClock(start)
        let range = start..<start.advanced(bySeconds: 10)
        clock.setWall(start.advanced(byMicroseconds: -1))
        try await clock.sleep(while: range)
        clock.setWall(start.advanced(bySeconds: 10))
        try await clock.sleep(while: range)
        #expect(clock.wakeCount == 0)
        let system = SystemClock()
        let now = system.wall
        try await system.sleep(while: now.advanced(bySeconds: 1_000)..<now.advanced(bySeconds: 2_000))
        try await system.sleep(while: now.advanced(bySeconds: -2_000)..<now.advanced(bySeconds: -1_000))
    }

    // MARK: The system clock

    #if os(Linux)
        @Test("A sleep leaves no file open")
        func aSleepLeavesNoOpenFileBehind() async throws {
            let clock = SystemClock()
            for number in 0..<300 {
                let end = number.isMultiple(of: 2) ? clock.wall.advanced(byMicroseconds: 100) : Self.farAway(clock)
                let task = Task { try await clock.sleep(until: end) }
                if !number.isMultiple(of: 2) {
                    if number.isMultiple(of: 3) { await Task.yield() }
                    task.cancel()
                }
                _ = await task.result
            }
            // Dispatch closes descriptors shortly after the sleep. Other tests and Dispatch itself may have some open.
            for _ in 0..<2_000 where openFiles("timerfd") >= 30 {
                try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 1_000))
            }
            #expect(openFiles("timerfd") < 30)
        }

        private static func farAway(_ clock: SystemClock) -> Instant { clock.wall.advanced(bySeconds: 1_000_000) }

        /// Sets the machine's clock to the present time. Runs only on request, with `DAYBOOK_SETS_CLOCK=1`, as root.
        @Test(
            "A sleep on the system clock ends when the clock is stepped",
            .enabled(if: CurrentProcess.variable("DAYBOOK_SETS_CLOCK") != nil))
        func theSystemClockWakesWhenItIsSet() async throws {
            let clock = SystemClock()
            let before = openFiles("timerfd")
            let sleeper = Task { try await clock.sleep(until: Self.farAway(clock)) }
            while openFiles("timerfd") == before { await Task.yield() }
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            try #require(clock_settime(CLOCK_REALTIME, &now) == 0)
            try await sleeper.value
        }
    #endif
}
