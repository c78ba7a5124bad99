import LabSupport

/// A row of a table of measurements: what was measured, the target, and the result.
public struct MeasuredRow: Sendable, Equatable, Codable {
    /// The id of the requirement that sets the target; nil for one that is the project's own.
    public let requirement: String?
    /// What was measured.
    public let title: String
    /// The result.
    public let measured: Value
    /// The target, as the highest value that is allowed or in words; nil for a result that is only reported.
    public let limit: Value?
    /// Whether the target is met; nil if there is none.
    public let holds: Bool?

    /// A value with its unit.
    public enum Value: Sendable, Equatable, Codable {
        /// Nanoseconds.
        case time(Int64)
        /// Bytes.
        case bytes(Int)
        /// A factor.
        case ratio(Double)
        /// Words.
        case text(String)

        fileprivate var number: Double {
            switch self {
            case .time(let nanoseconds): Double(nanoseconds)
            case .bytes(let count): Double(count)
            case .ratio(let factor): factor
            case .text: .nan
            }
        }

        /// The value for people.
        public var text: String {
            switch self {
            case .time(let nanoseconds): Figures.time(nanoseconds)
            case .bytes(let count): Figures.bytes(count)
            case .ratio(let factor): Figures.ratio(factor)
            case .text(let words): words
            }
        }
    }

    /// Creates a row of a requirement, which is met by a value up to the limit.
    public init(_ requirement: String, _ title: String, _ measured: Value, limit: Value? = nil) {
        self.requirement = requirement
        self.title = title
        self.measured = measured
        self.limit = limit
        holds = limit.map { measured.number <= $0.number }
    }

    /// Creates a row whose target is stated in words.
    public init(_ title: String, target: String, measured: String, holds: Bool?) {
        requirement = nil
        self.title = title
        self.measured = .text(measured)
        limit = .text(target)
        self.holds = holds
    }
}

extension [MeasuredRow] {
    /// The rows as a table in Markdown.
    public var markdown: String {
        "| what | target | measured | |\n| --- | --- | --- | --- |\n"
            + map { row in
                let verdict = row.holds.map { $0 ? "met" : "**missed**" } ?? "-"
                return "| \(row.title) | \(row.limit?.text ?? "-") | \(row.measured.text) | \(verdict) |\n"
            }.joined()
    }

    /// The rows that miss their target.
    public var missed: [MeasuredRow] { filter { $0.holds == false } }
}
