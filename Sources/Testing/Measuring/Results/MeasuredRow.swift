import LabSupport

/// A row of a table of measurements: what was measured, the target, and the result.
public struct MeasuredRow: Sendable, Equatable, Codable {
    /// The name of a size in any report and in the gate's findings; nil for other rows.
    public var name: String?
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
        /// A factor with its interval, of which the median counts.
        case paired(PairedRatio)
        /// Words.
        case text(String)

        /// The value as a number; not a number for words.
        package var number: Double {
            switch self {
            case .time(let nanoseconds): Double(nanoseconds)
            case .bytes(let count): Double(count)
            case .ratio(let factor): factor
            case .paired(let ratio): ratio.median
            case .text: .nan
            }
        }

        /// The bytes of a size; 0 for anything else.
        package var byteCount: Int { if case .bytes(let count) = self { count } else { 0 } }

        /// The value for people.
        public var text: String {
            switch self {
            case .time(let nanoseconds): Figures.time(nanoseconds)
            case .bytes(let count): Figures.bytes(count)
            case .ratio(let factor): Figures.ratio(factor)
            case .paired(let ratio): Figures.interval(ratio.median, ratio.low, ratio.high)
            case .text(let words): words
            }
        }
    }

    /// Creates a row of a requirement, if any, which is met by a value up to the limit.
    public init(_ requirement: String?, _ title: String, _ measured: Value, limit: Value? = nil) {
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

    /// The row of a table in Markdown, whose columns are what, target, measured, and the verdict.
    public var markdown: String {
        let what = (requirement.map { "\($0): " } ?? "") + title
        let verdict = holds.map { $0 ? "met" : "**missed**" } ?? "-"
        return "| \(what) | \(limit?.text ?? "-") | \(measured.text) | \(verdict) |"
    }
}

/// The sizes that are measured, by their names, in any report.
public enum MeasuredSize: String, CaseIterable, Sendable {
    /// A store on the disk.
    case disk
    /// A snapshot of it.
    case snapshot
    /// The resident memory of a process, the store's mapped pages included.
    case residentMemory = "memory-resident"
    /// The memory that a process wrote itself.
    case privateMemory = "memory-private"

    /// The id of the requirement that sets the budget; nil for one that is the project's own.
    public var requirement: String? {
        switch self {
        case .disk: "C-NFR11"
        case .snapshot: "S-32"
        case .residentMemory: "C-NFR9"
        case .privateMemory: nil
        }
    }

    /// Creates the row of a measured size.
    package func row(_ title: String, _ bytes: Int, budget: Int) -> MeasuredRow {
        var row = MeasuredRow(requirement, title, .bytes(bytes), limit: .bytes(budget))
        row.name = rawValue
        return row
    }
}

extension [MeasuredRow] {
    /// The rows as a table in Markdown.
    public var markdown: String {
        "| what | target | measured | |\n| --- | --- | --- | --- |\n" + map { $0.markdown + "\n" }.joined()
    }

    /// The rows that miss their target.
    public var missed: [MeasuredRow] { filter { $0.holds == false } }
}
