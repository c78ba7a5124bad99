/// The one source of time. A store takes it from its ``Context``, so that a test, a `--now` option or a simulator can
/// put another in its place.
public protocol TimeSource: Sendable {
    /// The time of day in the world, as the machine knows it; it can be set, so it can go back.
    var wall: Instant { get }

    /// A time that never goes back and keeps running while the machine sleeps; for measuring.
    var monotonic: MonotonicTime { get }

    /// Returns when the wall clock may have left the range: it ran past the end, or it was set, forward or back. The
    /// caller looks again. Nothing runs while it waits. A setting since the caller looked is not missed when the range
    /// begins with what it saw.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(while range: Range<Instant>) async throws

    /// Returns when the monotonic clock has reached the time, whatever happens to the wall clock: for back-offs.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until time: MonotonicTime) async throws
}

extension TimeSource {
    /// Returns when the wall clock may have reached the instant, also because the clock was set: the caller checks
    /// again. Nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Instant) async throws {
        try await sleep(while: Instant(microsecondsSince1970: .min)..<instant)
    }
}
