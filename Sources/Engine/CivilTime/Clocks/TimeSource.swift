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

/// A reading of a clock that never goes back and is never set. Only differences mean anything, and only within one run
/// of the machine. Windows and back-offs are measured with it.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Microseconds since a moment that the clock chose.
    public let microseconds: Int64

    /// The time of this many microseconds.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time so many microseconds later (earlier when negative); it stops at the ends of `Int64`.
    public func advanced(byMicroseconds duration: Int64) -> MonotonicTime {
        MonotonicTime(microseconds: microseconds.saturatingAdd(duration))
    }

    /// The microseconds from the earlier time to this one, negative when it was later; it stops at the ends of `Int64`.
    public func microseconds(since earlier: MonotonicTime) -> Int64 {
        microseconds.saturatingSubtract(earlier.microseconds)
    }

    /// Whether the left time is earlier.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Int64 {
    /// The sum, or the nearer end of `Int64` when it does not fit.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.min : Int64.max) : sum
    }

    /// The difference, or the nearer end of `Int64` when it does not fit.
    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? Int64.min : Int64.max) : difference
    }

    /// The product, or the nearer end of `Int64` when it does not fit.
    func saturatingMultiply(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? Int64.max : Int64.min) : product
    }
}
