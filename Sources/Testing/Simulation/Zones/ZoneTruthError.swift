/// Why the zones cannot be checked at all. A zone that is wrong is not an error but a finding.
public enum ZoneTruthError: Error, Equatable, Sendable {
    /// A file of the truth is missing or cannot be read.
    case unreadableFile(path: String)
    /// A row of a file does not say what its column promises.
    case malformedRow(file: String, line: Int, column: String)
    /// There are no digests for the version of the machine's zone data.
    case noDigests(version: String, path: String)
    /// The machine does not say which version its zone data is of.
    case unknownVersion
    /// There are no digests of a zone that was asked for.
    case zoneWithoutTruth(String)
}

extension ZoneTruthError: CustomStringConvertible {
    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .unreadableFile(let path):
            "Could not read \(path). Name the folder that holds hard-cases.csv and the digests."
        case .malformedRow(let file, let line, let column):
            "\(file):\(line): the column \(column) is missing or makes no sense."
        case .noDigests(let version, let path):
            "This machine's zone data is of version \(version), for which there are no digests (\(path))."
        case .unknownVersion:
            "This machine does not say which version its zone data is of: tzdata.zi is missing from its zone files."
        case .zoneWithoutTruth(let zone):
            "The digests have no zone \(zone)."
        }
    }
}
