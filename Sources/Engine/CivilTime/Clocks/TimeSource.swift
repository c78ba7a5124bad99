/// A source of time. A store takes it from its ``Context``, so that a test, a `--now` option or a simulator can replace
/// it.
public protocol TimeSource: Sendable {
    /// The wall clock of the machine; it can be set, so it can step backward.
    var wall: Instant { get }

    /// A monotonic time that includes the time while the machine sleeps; for measuring.
    var monotonic: MonotonicTime { get }

    /// Returns when the wall clock may have left the range: it ran past the end, or it was stepped forward or backward.
    /// The caller checks again. Nothing runs while it waits. A step since the caller read the clock is not missed when
    /// the range begins with that reading.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(while range: Range<Instant>) async throws

    /// Returns when the monotonic clock has reached the time, independent of the wall clock: for back-offs.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until time: MonotonicTime) async throws
}

extension TimeSource {
    /// Returns when the wall clock may have reached the instant, also because it was stepped; the caller checks again.
    /// Nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Instant) async throws {
        try await sleep(while: Instant(microsecondsSince1970: .min)..<instant)
    }
}

/// A reading of a monotonic clock. Only differences are meaningful, and only until the machine restarts. Windows and
/// back-offs are measured with it.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Microseconds since an arbitrary moment.
    public let microseconds: Int64

    /// Creates a time from microseconds.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time a number of microseconds later (earlier when negative); saturates at the ends of `Int64`.
    public func advanced(byMicroseconds duration: Int64) -> MonotonicTime {
        MonotonicTime(microseconds: microseconds.saturatingAdd(duration))
    }

    /// The microseconds from the earlier time to this one, negative when it was later; saturates at the ends of
    /// `Int64`.
    public func microseconds(since earlier: MonotonicTime) -> Int64 {
        microseconds.saturatingSubtract(earlier.microseconds)
    }

    /// Whether the left time is earlier.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Int64 {
    /// The sum, saturated to `Int64`.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.min : Int64.max) : sum
    }

    /// The difference, saturated to `Int64`.
    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? Int64.min : Int64.max) : difference
    }

    /// The product, saturated to `Int64`.
    func saturatingMultiply(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? Int64.max : Int64.min) : product
    }
}

/// A clock whose thread can wait, for programs that do nothing else.
package protocol BlockingTimeSource: TimeSource {
    /// Blocks the thread until the monotonic clock reaches a time.
    func block(until time: MonotonicTime)
}
