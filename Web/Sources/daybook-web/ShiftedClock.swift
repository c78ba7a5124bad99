import Daybook

/// The system's clock, moved so that it began at another instant: midnight can be seen without waiting for it.
struct ShiftedClock: TimeSource {
    private let clock = SystemClock()
    private let shift: Int64

    init(beginningAt instant: Instant) { shift = instant.microseconds(since: SystemClock().wall) }

    var wall: Instant { clock.wall.advanced(byMicroseconds: shift) }

    var monotonic: MonotonicTime { clock.monotonic }

    func sleep(while range: Range<Instant>) async throws {
        let (from, to) = (range.lowerBound, range.upperBound)
        try await clock.sleep(
            while: from.advanced(byMicroseconds: -shift)..<to.advanced(byMicroseconds: -shift))
    }

    func sleep(until time: MonotonicTime) async throws { try await clock.sleep(until: time) }
}
