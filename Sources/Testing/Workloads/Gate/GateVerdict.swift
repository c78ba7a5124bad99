/// What the gate says of all findings together.
public enum GateVerdict: String, Sendable, Codable {
    /// Nothing was found.
    case holds
    /// Something is worse than it may be.
    case worse
    /// Nothing is known to be worse, but something could not be measured well enough.
    case inconclusive

    /// The verdict on findings.
    public init(_ findings: [GateFinding]) {
        if findings.contains(where: { $0.verdict == .worse }) {
            self = .worse
        } else {
            self = findings.isEmpty ? .holds : .inconclusive
        }
    }

    /// How the program exits. Scripts rely on these numbers.
    public var exitCode: Int32 {
        switch self {
        case .holds: 0
        case .worse: 1
        case .inconclusive: 6
        }
    }
}
