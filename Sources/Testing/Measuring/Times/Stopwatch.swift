/// Real time, for measurements.
public enum Stopwatch {
    /// Returns how long a closure took in nanoseconds.
    public static func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
        try ContinuousClock().measure(body).nanoseconds
    }

    /// Busy-waits and returns for how long, which is slightly longer than requested: a planted slowdown.
    package static func spin(for nanoseconds: Int64) -> Int64 {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let elapsed = start.duration(to: clock.now).nanoseconds
            if elapsed >= nanoseconds { return elapsed }
        }
    }

    /// Busy-waits for so many percent of a time, and returns for how long; 0 for none.
    package static func slowdown(of nanoseconds: Int64, percent: Int) -> Int64 {
        percent > 0 ? spin(for: nanoseconds * Int64(percent) / 100) : 0
    }

    /// Returns how long a closure took in nanoseconds, suspensions included.
    package static func nanosecondsAwaiting(_ body: () async throws -> Void) async rethrows -> Int64 {
        try await ContinuousClock().measure(body).nanoseconds
    }
}
