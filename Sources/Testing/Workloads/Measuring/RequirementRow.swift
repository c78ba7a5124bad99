/// A line of `daybook bench --requirements`: something that has to hold beside other work, or over many operations.
public struct RequirementRow: Sendable, Equatable, Codable {
    /// The requirement's id.
    public let requirement: String
    /// What was measured.
    public let title: String
    /// What was measured, in nanoseconds, bytes, or as a ratio.
    public let measured: Value
    /// The highest value that is allowed; nil for one that is only reported.
    public let limit: Value?

    /// A value with its unit.
    public enum Value: Sendable, Equatable, Codable {
        /// Nanoseconds.
        case time(Int64)
        /// Bytes.
        case bytes(Int)
        /// A factor.
        case ratio(Double)

        fileprivate var number: Double {
            switch self {
            case .time(let nanoseconds): Double(nanoseconds)
            case .bytes(let count): Double(count)
            case .ratio(let factor): factor
            }
        }
    }

    /// Creates a row.
    public init(_ requirement: String, _ title: String, _ measured: Value, limit: Value? = nil) {
        self.requirement = requirement
        self.title = title
        self.measured = measured
        self.limit = limit
    }

    /// Whether the value is allowed.
    public var holds: Bool { limit.map { measured.number <= $0.number } ?? true }
}
