import CivilTime
import Testing

@testable import Records

/// Work in the background beside writers of the same store.
@Suite struct BackgroundTurnsTests {
    /// A minute of virtual time in which others write at some interval, and the work whenever it is its turn.
    private struct Minute {
        var writes: UInt64 = 0
        var turns: UInt64 = 0
        var longestWait: Int64 = 0

        init(interval: Int64) {
            var policy = TurnPolicy()
            var now: Int64 = 0
            var transaction: UInt64 = 10
            var nextWrite: Int64 = 0
            func advance(to time: Int64) -> UInt64 {
                var count: UInt64 = 0
                while nextWrite <= time {
                    count += 1
                    nextWrite += interval
                }
                now = max(now, time)
                return count
            }
            while now < 60_000_000 {
                let asked = MonotonicTime(microseconds: now)
                while let time = policy.wait(transaction, now: MonotonicTime(microseconds: now), asked: asked) {
                    #expect(time.microseconds > now)
                    let count = advance(to: time.microseconds)
                    transaction += count
                    writes += count
                }
                longestWait = max(longestWait, now - asked.microseconds)
                turns += 1
                transaction += 1
                policy.end(transaction, now: MonotonicTime(microseconds: now))
                // The work prepares its next transaction.
                let count = advance(to: now + 500)
                transaction += count
                writes += count
            }
        }
    }

    @Test(
        "Where others write without a break, less than 1 % of their writes meet work in the background",
        arguments: [
            100, 250, 1000, 4000,
        ])
    func share(interval: Int64) {
        let minute = Minute(interval: interval)
        #expect(minute.turns * 100 < minute.writes, "\(minute)")
        // And it goes on.
        #expect(minute.turns >= 55)
    }

    @Test(
        "No transaction of work in the background waits for more than a second",
        arguments: [
            1, 1000, 10_000, 49_000, 50_000, 51_000, 1_000_000, 1_000_001,
        ])
    func limit(interval: Int64) {
        #expect(Minute(interval: interval).longestWait <= TurnPolicy.limit)
    }

    @Test("In a store where nobody else writes, work in the background waits for nothing")
    func alone() {
        var policy = TurnPolicy()
        for number in UInt64(0)..<1000 {
            let now = MonotonicTime(microseconds: Int64(number))
            #expect(policy.wait(10 + number, now: now, asked: now) == nil)
            policy.end(11 + number, now: now)
        }
    }

    @Test("After one write of another, work in the background waits until nobody has written for a while")
    func quiet() {
        var policy = TurnPolicy()
        let start = MonotonicTime(microseconds: 0)
        #expect(policy.wait(10, now: start, asked: start) == nil)
        policy.end(11, now: start)
        let later = MonotonicTime(microseconds: 7_000_000)
        let time = policy.wait(12, now: later, asked: later)
        #expect(time == later.advanced(byMicroseconds: TurnPolicy.quiet))
        #expect(time.flatMap { policy.wait(12, now: $0, asked: later) } == nil)
    }

    @Test("A transaction beside one of work in the background is seen as that of another writer")
    func beside() {
        var policy = TurnPolicy()
        let start = MonotonicTime(microseconds: 0)
        #expect(policy.wait(10, now: start, asked: start) == nil)
        policy.end(12, now: start)
        #expect(policy.wait(12, now: start, asked: start) != nil)
    }

    @Test("Work in the background runs in a store that others have written to, when its clock has moved on")
    func store() async throws {
        let test = try TestStore()
        let turns = BackgroundTurns(in: test.store)
        #expect(try await turns.take { 1 } == 1)
        try await test.put(Reading(1))
        let second = Task { try await turns.take { 2 } }
        while test.clock.sleeperCount == 0 { await Task.yield() }
        test.clock.advance(byMicroseconds: TurnPolicy.quiet)
        #expect(try await second.value == 2)
    }
}
