import Glibc

/// The clocks of the machine, in microseconds. For `SystemClock` alone: everything else is given its time.
package enum MachineClock {
    /// The time of day since 1970 in UTC, which somebody may set.
    @inlinable package static var wall: Int64 { microseconds(CLOCK_REALTIME) }

    /// The time since the machine started, including sleep.
    @inlinable package static var sinceStart: Int64 {
        microseconds(CLOCK_BOOTTIME)
    }

    @usableFromInline static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // It fails only for clocks that the kernel does not have, and it has these.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
