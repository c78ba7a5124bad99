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
