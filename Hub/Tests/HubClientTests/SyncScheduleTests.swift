import Daybook
import Testing

@testable import DaybookHubSync

/// When the next exchange is due.
@Suite struct SyncScheduleTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(microseconds: Int64(seconds * 1_000_000)) }

    private func settled(at seconds: Double) -> SyncSchedule {
        var schedule = SyncSchedule(StoreSync.Options())
        schedule.begin()
        schedule.end(.settled, at: time(seconds))
        return schedule
    }

    @Test("The first exchange is due at once, the next one after an interval [L-FR29]")
    func interval() {
        #expect(SyncSchedule(StoreSync.Options()).deadline(now: time(7)) == time(7))
        #expect(settled(at: 7).deadline(now: time(8)) == time(307))
    }

    @Test("Writes that follow one another delay an exchange by two seconds at most [L-NFR3]")
    func longestDelay() {
        var schedule = settled(at: 0)
        for second in stride(from: 10, to: 11.9, by: 0.25) { schedule.noteWrite(at: time(second)) }
        #expect(schedule.deadline(now: time(11.9)) == time(12))
        schedule.begin()
        schedule.noteWrite(at: time(12.1))
        schedule.end(.settled, at: time(12.2))
        #expect(schedule.deadline(now: time(12.2)) == time(12.6))
    }

    @Test("A back-off ends early only when a hub that was out of reach answers [L-FR31]")
    func backOff() {
        var schedule = settled(at: 0)
        schedule.end(.retry(after: 30_000_000, isUnreachable: false), at: time(1))
        schedule.noteWrite(at: time(2))
        schedule.noteAnswer(hasChanges: true)
        #expect(schedule.deadline(now: time(3)) == time(31))
        schedule.end(.retry(after: 30_000_000, isUnreachable: true), at: time(1))
        schedule.noteAnswer(hasChanges: false)
        #expect(schedule.deadline(now: time(3)) == time(3))
    }

    @Test("Nothing but a request ends the wait for a person [L-FR43]")
    func blocked() {
        var schedule = settled(at: 0)
        schedule.end(.blocked, at: time(1))
        schedule.noteWrite(at: time(2))
        schedule.noteAnswer(hasChanges: true)
        #expect(schedule.deadline(now: time(1000)) == nil)
        schedule.want()
        #expect(schedule.deadline(now: time(1000)) == time(1000))
    }
}
