import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Sync

@Suite struct MergeKeyTests {
    private func stamp(_ dice: inout Dice) -> Stamp {
        Stamp(time: dice.next() >> 1, device: dice.next())
    }

    @Test func bytesReadBackAsTheSameKey() {
        var dice = Dice(1)
        for _ in 0..<2000 {
            let stamp = stamp(&dice)
            let keys: [MergeKey] = [
                .latest(stamp), .completion(epoch: UInt32(truncatingIfNeeded: dice.next()), isDone: dice.chance(50), stamp),
                .base(createdAt: Int64(bitPattern: dice.next()), stamp), .placed(in: self.stamp(&dice), stamp),
                .purge(stamp),
            ]
            for key in keys {
                #expect(MergeKey(key.bytes) == key)
                #expect(key.stamp == stamp)
            }
        }
    }

    @Test func orderOfBytesIsTheOrderOfTheRules() {
        let early = Stamp(time: 5, device: 9)
        let late = Stamp(time: 6, device: 1)
        let lateElsewhere = Stamp(time: 6, device: 2)
        #expect(MergeKey.latest(early) < .latest(late))
        #expect(MergeKey.latest(late) < .latest(lateElsewhere), "equal times are ordered by device")
        // L-SY2: an older completion wins over a newer edit of the same epoch, and the first completion stays.
        #expect(MergeKey.completion(epoch: 0, isDone: false, late) < .completion(epoch: 0, isDone: true, early))
        #expect(MergeKey.completion(epoch: 0, isDone: true, late) < .completion(epoch: 0, isDone: true, early))
        // reopening raises the epoch.
        #expect(MergeKey.completion(epoch: 0, isDone: true, early) < .completion(epoch: 1, isDone: false, late))
        #expect(MergeKey.base(createdAt: 10, early) < .base(createdAt: 9, early), "the earlier creation stays")
        #expect(MergeKey.base(createdAt: -1, early) > .base(createdAt: 1, late))
        #expect(MergeKey.placed(in: early, lateElsewhere) < .placed(in: late, early))
        #expect(MergeKey.latest(Stamp(time: 1 << 63, device: .max)) < .purge(early))
    }

    @Test func otherBytesAreNoKey() {
        for count in [0, 1, 15, 18, 20, 22, 25, 31, 33] { #expect(MergeKey([UInt8](repeating: 1, count: count)) == nil) }
        #expect(MergeKey([UInt8](repeating: 7, count: 17)) == nil)
        #expect(MergeKey([UInt8](repeating: 7, count: 21)) == nil)
    }
}

@Suite struct HybridClockTests {
    @Test func timesAscendWhateverTheWallClockDoes() {
        var dice = Dice(7)
        var clock = HybridClock()
        var last: UInt64 = 0
        for _ in 0..<10_000 {
            if dice.chance(10) { clock.receive(last &+ UInt64(dice.below(1 << 20))) }
            let now = Instant(microsecondsSince1970: Int64(bitPattern: dice.next()) >> Int64(dice.below(60)))
            let time = clock.tick(now: now)
            #expect(time > last || last == .max)
            last = time
        }
    }

    @Test func aFullCounterCarriesIntoTheMilliseconds() {
        let now = Instant(microsecondsSince1970: 1_000_000)
        var clock = HybridClock()
        for _ in 0..<70_000 { _ = clock.tick(now: now) }
        #expect(Stamp(time: clock.last, device: 0).milliseconds == 1001)
    }
}
