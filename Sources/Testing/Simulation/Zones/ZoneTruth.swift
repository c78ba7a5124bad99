import Daybook
import FoundationEssentials

/// What another program found out about the zones: what the check compares with.
public struct ZoneTruth: Sendable {
    /// The starts of all days of a zone, as a digest.
    public struct Digest: Sendable {
        /// The zone's name.
        public let zone: String
        /// How many days of 1970 to 2037 exist there.
        public let dayCount: Int
        /// SHA-256 over the lines `YYYY-MM-DD,<start in epoch seconds>` of these days.
        public let hexadecimal: String
    }

    /// The version of the zone data that this is the truth about, such as `2025b`.
    public let version: String
    /// The digest of every zone.
    public private(set) var digests: [Digest]
    /// Single instants at which zones are odd.
    public let hardCases: [HardCase]
    /// Reads `digests-<version>.csv` and `hard-cases.csv`.
    ///
    /// - Parameter version: that of the machine's own zone data, unless a test says otherwise.
    public init(folder: String, version: String? = Zone.dataVersion) throws(ZoneTruthError) {
        guard let version else { throw .unknownVersion }
        let path = "\(folder)/digests-\(version).csv"
        let hardCases = try CommaSeparatedFile(at: "\(folder)/hard-cases.csv")
        guard FileManager.default.fileExists(atPath: path) else { throw .noDigests(version: version, path: path) }
        try self.init(version: version, digests: CommaSeparatedFile(at: path), hardCases: hardCases)
    }

    init(version: String, digests: CommaSeparatedFile, hardCases: CommaSeparatedFile) throws(ZoneTruthError) {
        self.version = version
        self.digests = try digests.rows.map { row throws(ZoneTruthError) in
            Digest(
                zone: try row.text("zone"), dayCount: try row.value("lines") { Int($0) },
                hexadecimal: try row.text("sha256"))
        }
        self.hardCases = try hardCases.rows.map { row throws(ZoneTruthError) in try HardCase(row) }
    }

    /// The same truth with the days of some zones only. The hard cases stay: they take no time.
    public func restricted(to zones: [String]) throws(ZoneTruthError) -> ZoneTruth {
        let known = Set(digests.map(\.zone))
        if let missing = zones.first(where: { !known.contains($0) }) { throw .zoneWithoutTruth(missing) }
        var truth = self
        truth.digests.removeAll { !zones.contains($0.zone) }
        return truth
    }
}
