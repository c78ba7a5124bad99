import CivilTime

/// A clock on which a wait for a monotonic time is over at once: it moves there, so that the waits can be added up.
final class SkippingClock: TimeSource {
    private let clock: SettableClock

    init(_ wall: Instant) {
        clock = SettableClock(wall)
    }

    var wall: Instant { clock.wall }
    var monotonic: MonotonicTime { clock.monotonic }

    func sleep(while range: Range<Instant>) async throws { try await clock.sleep(while: range) }

    func sleep(until time: MonotonicTime) async throws {
        try Task.checkCancellation()
        clock.advance(byMicroseconds: time.microseconds(since: clock.monotonic))
    }
}
