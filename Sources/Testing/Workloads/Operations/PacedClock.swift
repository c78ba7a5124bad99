import Daybook

/// A clock whose wall time stands at one moment, so that views and days are the same in each run, and whose monotonic time is the
/// machine's: for work that sizes its steps by the time that they take, such as an import. With a clock that stands still altogether
/// such work takes every step for free, and its measurement says nothing.
struct PacedClock: TimeSource {
    let wall: Instant
    /// What the monotonic time is taken from.
    var pace: any TimeSource = SystemClock()

    var monotonic: MonotonicTime { pace.monotonic }

    /// The wall time does not leave the range: returns when it is not in it, or when the task is cancelled.
    func sleep(while range: Range<Instant>) async throws {
        while range.contains(wall) {
            try await pace.sleep(until: monotonic.advanced(byMicroseconds: 60_000_000))
        }
    }

    func sleep(until time: MonotonicTime) async throws { try await pace.sleep(until: time) }
}
