import Daybook

/// One instant at which a zone is odd, and what is true of it.
public struct HardCase: Sendable {
    /// The version of the zone data that the table was made from.
    private static let version = "2026f"

    /// The zone's name.
    public let zone: String
    /// What is odd.
    public let description: String
    /// The instant.
    public let instant: Instant
    /// The date that the wall clock shows then.
    public let wallDay: Day
    /// The first instant with that date.
    public let start: Instant
    /// The first instant with the next date that exists.
    public let end: Instant
    /// Seconds that local time is ahead of UTC.
    public let offsetSeconds: Int
    /// Whether it is true of Debian's zone data of version 2025b as well as of 2026f.
    public let isOfEveryVersion: Bool

    init(_ row: CommaSeparatedFile.Row) throws(ZoneTruthError) {
        zone = try row.text("zone")
        description = try row.text("description")
        instant = try row.value("instant_utc") { try Instant($0) }
        wallDay = try row.value("local_date") { try Day($0) }
        start = try row.value("start_of_day_utc") { try Instant($0) }
        end = try row.value("next_day_start_utc") { try Instant($0) }
        offsetSeconds = try row.value("utc_offset_at_instant") { Int($0) }
        isOfEveryVersion = try row.value("same_in_debian_2025b") { ["0": false, "1": true][$0] }
    }

    /// Adds what the zone says otherwise.
    ///
    /// - Parameter version: of the zone data; the case is skipped when it is true of later data only.
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
            // The clock shows the earlier date once more; the later one has begun and stays (rule 2).
            let isExplained = description.hasPrefix("NONCONTIGUOUS") && found.day(of: instant) > wallDay
            expect(.dayThatHasBegun, true, isExplained)
        }
    }
}
