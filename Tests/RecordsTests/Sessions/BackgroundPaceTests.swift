import CivilTime
import Testing

@testable import Records

/// Work in the background that lets writers go first. All time is virtual.
@Suite struct BackgroundPaceTests {
    /// Work of some virtual length, in steps, beside a writer.
    private final class Run {
        var now: Int64 = 0
        var transaction: UInt64 = 10
        var slept: Int64 = 0
        var sharedSteps = 0
        var longestStretch: Int64 = 0

        /// - Parameters:
        ///   - interval: how many microseconds are between two transactions of others; nil for none.
        ///   - step: how many microseconds a step takes.
        init(length: Int64, interval: Int64?, step: Int64, until last: Int64 = .max) {
            var stretch: Int64 = 0
            let pace = BackgroundPace(
                lastTransaction: { self.transaction }, now: { MonotonicTime(microseconds: self.now) },
                sleep: {
                    stretch = 0
                    self.slept += $0
                    self.advance($0, interval, until: last)
                })
            for _ in 0..<(length / step) {
                advance(step, interval, until: last)
                stretch += step
                pace.step()
                if pace.isShared {
                    sharedSteps += 1
                    longestStretch = max(longestStretch, stretch)
                } else {
                    stretch = 0
                }
            }
        }

        private func advance(_ duration: Int64, _ interval: Int64?, until last: Int64) {
            let before = now
            now += duration
            if let interval { transaction += UInt64(min(now, last) / interval - min(before, last) / interval) }
        }
    }

    @Test("Where nobody writes, work in the background never pauses, and uses all threads that it can")
    func alone() {
        let run = Run(length: 5_000_000, interval: nil, step: 10)
        #expect(run.slept == 0)
        #expect(run.sharedSteps == 0)
    }

    @Test(
        "Beside writers, work pauses after a millisecond, and half as long as it has worked",
        arguments: [300, 4_000, 1_000_000, 1_900_000] as [Int64], [4, 20] as [Int64])
    func shared(interval: Int64, step: Int64) {
        let run = Run(length: 8_000_000, interval: interval, step: step)
        #expect(run.slept > 2_000_000)
        #expect(run.slept <= 4_000_000)
        // A look at the clock every 32 steps.
        #expect(run.longestStretch <= PacePolicy.slice + 32 * step)
    }

    @Test("Steps that cannot be interrupted are followed by short pauses")
    func longSteps() {
        let run = Run(length: 8_000_000, interval: 4_000, step: 2_000)
        #expect(run.slept > 0)
        #expect(run.slept <= 8_000_000 / (32 * 2_000) * PacePolicy.longest)
    }

    @Test("After the last write, work goes on without pauses")
    func over() {
        let run = Run(length: 60_000_000, interval: 4_000, step: 20, until: 1_000_000)
        #expect(run.slept > 500_000)
        #expect(run.slept <= 1_600_000)
    }

    @Test("A clock that stands still makes no pauses")
    func standingClock() {
        var transaction: UInt64 = 1
        var slept = 0
        let pace = BackgroundPace(
            lastTransaction: {
                transaction += 1
                return transaction
            }, now: { MonotonicTime(microseconds: 5) }, sleep: { _ in slept += 1 })
        for _ in 0..<10_000 { pace.step() }
        #expect(slept == 0)
    }

    @Test("Commits to a store are seen, by this process or another")
    func store() async throws {
        let test = try TestStore()
        let pace = BackgroundPace(in: test.store)
        for _ in 0..<64 { pace.step() }
        #expect(!pace.isShared)
        try await test.put(Reading(1))
        for _ in 0..<64 { pace.step() }
        #expect(pace.isShared)
    }
}
