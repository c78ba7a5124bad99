import Daybook
import Exchange
import FoundationEssentials

/// The independent results that the check compares with.
public struct ZoneTruth: Sendable {
    /// A digest of the starts of all days of a zone.
    public struct Digest: Sendable {
        /// The zone's name.
        public let zone: String
        /// The number of days from 1970 to 2037 that exist there.
        public let dayCount: Int
        /// SHA-256 over the lines `YYYY-MM-DD,<start in epoch seconds>` of these days.
        public let hexadecimal: String
    }

    /// The version of the zone data that the results are based on, such as `2025b`.
    public let version: String
    /// The digests of all zones.
    public private(set) var digests: [Digest]
    /// Instants at which zones are irregular.
    public let hardCases: [HardCase]
    /// Reads `digests-<version>.csv` and `hard-cases.csv`.
    ///
    /// - Parameter version: the version of the machine's zone data, except in tests.
    public init(folder: String, version: String? = Zone.dataVersion) throws(ZoneTruthError) {
        guard let version else { throw .unknownVersion }
        let path = "\(folder)/digests-\(version).csv"
        let hardCases = try CSVTable(at: "\(folder)/hard-cases.csv")
        guard FileManager.default.fileExists(atPath: path) else { throw .noDigests(version: version, path: path) }
        try self.init(version: version, digests: CSVTable(at: path), hardCases: hardCases)
    }

    init(version: String, digests: CSVTable, hardCases: CSVTable) throws(ZoneTruthError) {
        self.version = version
        self.digests = try digests.rows.map { row throws(ZoneTruthError) in
            Digest(
                zone: try row.text("zone"), dayCount: try row.value("lines") { Int($0) },
                hexadecimal: try row.text("sha256"))
        }
        self.hardCases = try hardCases.rows.map { row throws(ZoneTruthError) in try HardCase(row) }
    }

    /// Returns the results for some zones only. The hard cases remain, since they take no time.
    public func restricted(to zones: [String]) throws(ZoneTruthError) -> ZoneTruth {
        let known = Set(digests.map(\.zone))
        if let missing = zones.first(where: { !known.contains($0) }) { throw .zoneWithoutTruth(missing) }
        var truth = self
        truth.digests.removeAll { !zones.contains($0.zone) }
        return truth
    }
}

/// An instant at which a zone is irregular, and the correct results for it.
public struct HardCase: Sendable {
    /// The version of the zone data that the table is based on.
    private static let version = "2026f"

    /// The zone's name.
    public let zone: String
    /// What is irregular.
    public let description: String
    /// The instant.
    public let instant: Instant
    /// The date that the wall clock shows.
    public let wallDay: Day
    /// The first instant with that date.
    public let start: Instant
    /// The first instant with the next existing date.
    public let end: Instant
    /// Seconds ahead of UTC.
    public let offsetSeconds: Int
    /// Whether the row also holds in Debian's zone data of version 2025b.
    public let isOfEveryVersion: Bool

    init(_ row: CSVTable.Row) throws(ZoneTruthError) {
        zone = try row.text("zone")
        description = try row.text("description")
        instant = try row.value("instant_utc") { try Instant($0) }
        wallDay = try row.value("local_date") { try Day($0) }
        start = try row.value("start_of_day_utc") { try Instant($0) }
        end = try row.value("next_day_start_utc") { try Instant($0) }
        offsetSeconds = try row.value("utc_offset_at_instant") { Int($0) }
        isOfEveryVersion = try row.value("same_in_debian_2025b") { ["0": false, "1": true][$0] }
    }

    /// Adds every difference from the zone.
    ///
    /// - Parameter version: of the zone data; the case is skipped if it only holds in later data.
    func check(version: String, into report: inout ZoneReport) {
        guard isOfEveryVersion || version >= HardCase.version else { return report.skippedHardCases += 1 }
        report.hardCases += 1
        let found: Zone
        do {
            found = try Zone(zone)
        } catch {
            return report.add(ZoneFinding(zone: zone, day: wallDay, what: .unusableZone, "a zone", "\(error)"))
        }
        func expect<Value: Equatable & CustomStringConvertible>(
            _ what: ZoneFinding.Subject, _ expected: Value, _ value: Value
        ) {
            report.expect(what, expected, value, zone: found, day: wallDay)
        }
        expect(.existence, true, found.exists(wallDay))
        expect(.startOfDay, start, found.start(of: wallDay))
        expect(.endOfDay, end, found.end(of: wallDay))
        expect(.offset, offsetSeconds, found.offsetSeconds(at: instant))
        if instant < end {
            expect(.dayOfInstant, wallDay, found.day(of: instant))
        } else {
            // The clock shows the earlier date again, but the later one has begun and remains (Documentation/Time.md).
            let isExplained = description.hasPrefix("NONCONTIGUOUS") && found.day(of: instant) > wallDay
            expect(.dayThatHasBegun, true, isExplained)
        }
    }
}

/// The rows of a CSV file by column name.
struct CSVTable {
    /// The rows after the header, with line numbers from 1.
    let rows: [Row]

    struct Row {
        let line: Int
        private let fields: [String: String]
        private let file: String

        fileprivate init(line: Int, fields: [String: String], file: String) {
            self.line = line
            self.fields = fields
            self.file = file
        }

        /// Returns the converted value of a column.
        func value<Value>(_ column: String, _ make: (String) throws -> Value?) throws(ZoneTruthError) -> Value {
            if let text = fields[column], let value = try? make(text) { return value }
            throw .malformedRow(file: file, line: line, column: column)
        }

        /// Returns the text of a column.
        func text(_ column: String) throws(ZoneTruthError) -> String {
            try value(column) { $0 }
        }
    }

    init(at path: String) throws(ZoneTruthError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .unreadableFile(path: path)
        }
        try self.init(text: text, path: path)
    }

    init(text: String, path: String) throws(ZoneTruthError) {
        do throws(FileError) {
            let parsed = try CSVRows.rows(of: text)
            let heading = parsed.first?.fields ?? []
            rows = parsed.dropFirst().map { row in
                Row(
                    line: row.line,
                    fields: Dictionary(zip(heading, row.fields), uniquingKeysWith: { first, _ in first }), file: path)
            }
        } catch {
            throw .malformedFile(path: path, reason: error.description)
        }
    }
}

/// Why the zones cannot be checked at all.
public enum ZoneTruthError: Error, Equatable, Sendable {
    /// A file is missing or unreadable.
    case unreadableFile(path: String)
    /// A file is not valid CSV.
    case malformedFile(path: String, reason: String)
    /// A row has no valid value in a column.
    case malformedRow(file: String, line: Int, column: String)
    /// There are no digests for the version of the machine's zone data.
    case noDigests(version: String, path: String)
    /// The machine's zone data has no version.
    case unknownVersion
    /// There is no digest of a requested zone.
    case zoneWithoutTruth(String)
}

extension ZoneTruthError: CustomStringConvertible {
    /// What happened, to what, and what to do next, in one line.
    public var description: String {
        switch self {
        case .unreadableFile(let path):
            "Could not read \(path). Name the folder that holds hard-cases.csv and the digests."
        case .malformedFile(let path, let reason): "\(path): \(reason)"
        case .malformedRow(let file, let line, let column):
            "\(file):\(line): the column \(column) is missing or invalid."
        case .noDigests(let version, let path):
            "This machine's zone data is of version \(version), for which there are no digests (\(path))."
        case .unknownVersion:
            "The version of this machine's zone data is unknown: tzdata.zi is missing from its zone files."
        case .zoneWithoutTruth(let zone):
            "The digests have no zone \(zone)."
        }
    }
}
