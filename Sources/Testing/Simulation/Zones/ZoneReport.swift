import Daybook

/// How much was checked, and what was wrong.
public struct ZoneReport: Sendable, Equatable {
    /// No more findings than this are kept; ``findingCount`` goes on.
    public static let keptFindings = 100

    /// Names of zones, aliases included.
    public internal(set) var zones = 0
    /// Days of these zones whose start was checked.
    public internal(set) var days = 0
    /// Changes of the offset from UTC.
    public internal(set) var transitions = 0
    /// Instants whose day was asked for.
    public internal(set) var instants = 0
    /// Rows of the hard cases.
    public internal(set) var hardCases = 0
    /// Rows of the hard cases that are true of later zone data only.
    public internal(set) var skippedHardCases = 0
    /// Zones whose views were asked for: one of those that have the same days.
    public internal(set) var distinctZones = 0
    /// Completions in the store.
    public internal(set) var completions = 0
    /// Today views.
    public internal(set) var views = 0
    /// Counts of days, weeks and months.
    public internal(set) var counts = 0
    /// How many things were wrong.
    public private(set) var findingCount = 0
    /// The first of them.
    public private(set) var findings: [ZoneFinding] = []

    /// Whether nothing was wrong.
    public var isClean: Bool { findingCount == 0 }

    mutating func add(_ finding: ZoneFinding) {
        findingCount += 1
        if findings.count < ZoneReport.keptFindings { findings.append(finding) }
    }

    /// Adds a finding when the two differ.
    mutating func expect<Value: Equatable & CustomStringConvertible>(
        _ subject: ZoneFinding.Subject, _ expected: Value, _ found: Value, zone: Zone, day: Day?
    ) {
        if expected == found { return }
        // When everything is wrong, millions of texts that nobody sees would take their time.
        guard findings.count < ZoneReport.keptFindings else { return findingCount += 1 }
        add(ZoneFinding(zone: zone.identifier, day: day, what: subject, "\(expected)", "\(found)"))
    }

    /// Adds another part of the same check.
    mutating func add(_ other: ZoneReport) {
        zones += other.zones
        days += other.days
        transitions += other.transitions
        instants += other.instants
        hardCases += other.hardCases
        skippedHardCases += other.skippedHardCases
        distinctZones += other.distinctZones
        completions += other.completions
        views += other.views
        counts += other.counts
        findingCount += other.findingCount
        findings += other.findings.prefix(ZoneReport.keptFindings - findings.count)
    }
}
