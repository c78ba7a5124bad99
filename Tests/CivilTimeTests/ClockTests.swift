import Testing

@testable import CivilTime

@Suite(.timeLimit(.minutes(10))) struct ClockTests {
    private let start = Instant(secondsSince1970: 1_000)

    /// Lets the other tasks run until so many of them wait.
    private func waitUntil(_ count: Int, sleepIn clock: SettableClock) async {
        while clock.sleeperCount < count { await Task.yield() }
    }

    @Test func aSettableClockStandsStillUntilItIsAdvanced() {
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

    @Test func sleepersWakeWhenTheirInstantHasCome() async throws {
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

    @Test func everySleeperLooksAgainWhenTheClockIsSet() async throws {
        let clock = SettableClock(start)
        let sleeper = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        await waitUntil(1, sleepIn: clock)
        clock.setWall(Instant(secondsSince1970: 1))
        try await sleeper.value
    }

    @Test func whoSleepsByTheMonotonicClockIsWokenByAdvancesOnly() async throws {
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

    @Test func theSystemClockSleepsUntilAMonotonicTime() async throws {
        let clock = SystemClock()
        let time = clock.monotonic.advanced(byMicroseconds: 20_000)
        try await clock.sleep(until: time)
        #expect(clock.monotonic >= time)
        let far = Task { try await clock.sleep(until: MonotonicTime(microseconds: .max)) }
        await Task.yield()
        far.cancel()
        await #expect(throws: CancellationError.self) { try await far.value }
    }

    @Test func whatIsPastIsNotWaitedFor() async throws {
        try await SettableClock(start).sleep(until: start)
        try await SystemClock().sleep(until: start)
        try await SettableClock(start).sleep(until: MonotonicTime(microseconds: 0))
        try await SystemClock().sleep(until: MonotonicTime(microseconds: .min))
    }

    @Test func aCancelledSleeperThrows() async {
        let settable = SettableClock(start)
        for clock in [settable, SystemClock()] as [any CivilTime.Clock] {
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

    @Test func theSystemClockWakesAtTheInstantAndNotBefore() async throws {
        let clock = SystemClock()
        let began = clock.monotonic
        let instant = clock.wall.advanced(byMicroseconds: 50_000)
        try await clock.sleep(until: instant)
        #expect(clock.wall >= instant)
        #expect(clock.monotonic.microseconds(since: began) >= 49_000)
    }

    @Test func theSystemClockAcceptsAnyInstant() async {
        let task = Task { try await SystemClock().sleep(until: Instant(microsecondsSince1970: Int64.max)) }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func manySleepersAndCancellationsLeaveNothingBehind() async {
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
}
