/// What the gate says of all findings together.
public enum GateVerdict: Int32, Sendable, Codable {
    /// Nothing was found.
    case holds = 0
    /// Something is worse than it may be.
    case worse = 1
    /// Nothing is known to be worse, but something could not be measured well enough.
    case inconclusive = 3

    /// The verdict on findings.
    public init(_ findings: [GateFinding]) {
        if findings.contains(where: { $0.verdict == .worse }) {
            self = .worse
        } else {
            self = findings.isEmpty ? .holds : .inconclusive
        }
    }

    /// How the program exits. Scripts rely on these numbers.
    public var exitCode: Int32 { rawValue }
}
