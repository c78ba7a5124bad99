#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The machine's clock. This is the only place in the project that asks the operating system for the time.
public struct SystemClock: TimeSource {
    /// The machine's clock.
    public init() {}

    /// The system's time of day. Cost: some 30 nanoseconds, no system call.
    public var wall: Instant {
        Instant(microsecondsSince1970: SystemClock.microseconds(CLOCK_REALTIME))
    }

    /// Time since the machine started, with the time that it slept.
    public var monotonic: MonotonicTime {
        #if canImport(Darwin)
            // Darwin's CLOCK_MONOTONIC counts sleep; Linux keeps that in a clock of its own.
            MonotonicTime(microseconds: SystemClock.microseconds(CLOCK_MONOTONIC))
        #else
            MonotonicTime(microseconds: SystemClock.microseconds(CLOCK_BOOTTIME))
        #endif
    }

    /// Returns when the system's wall clock has left the range, by running or by waking from sleep past its end, or when
    /// it was set, forward or back.
    ///
    /// One kernel timer; nothing runs while it waits. A wait for more than a year may return early. On Darwin a setting
    /// is noticed only when it puts the clock past the end.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(while range: Range<Instant>) async throws {
        try Task.checkCancellation()
        let now = wall
        guard range.contains(now) else { return }
        let oneYear = now.advanced(bySeconds: Int64(366 * CalendarMath.secondsPerDay))
        try await WallAlarm().wait(while: range.lowerBound..<min(range.upperBound, oneYear))
    }

    /// Returns when the machine's running clock reaches the time. One kernel timer; nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until time: MonotonicTime) async throws {
        let remaining = time.microseconds(since: monotonic)
        try await Task.sleep(for: Duration.microseconds(max(0, remaining)), clock: .continuous)
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // It fails only for a clock that the kernel does not have, and these it has.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
