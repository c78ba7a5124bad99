/// Why the bytes of a file are no baseline that can be used.
public enum BaselineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is no JSON, or not what this program writes.
    case malformed
    /// A newer program has written it.
    case newerFormat(Int)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .malformed: "It is no baseline. Write a new one with --write-baseline."
        case .newerFormat(let format):
            "It has the format \(format), which is newer than this program. Use a newer build of daybook."
        }
    }
}
