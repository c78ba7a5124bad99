import Daybook

/// What was checked, and the findings.
public struct ZoneReport: Sendable, Equatable {
    /// The maximum number of findings kept; ``findingCount`` counts all.
    public static let keptFindings = 100

    /// Names of zones, aliases included.
    public internal(set) var zones = 0
    /// Days of these zones whose start was compared.
    public internal(set) var days = 0
    /// Changes of the offset from UTC.
    public internal(set) var transitions = 0
    /// Instants whose local day was compared.
    public internal(set) var instants = 0
    /// Rows of the hard cases.
    public internal(set) var hardCases = 0
    /// Rows of the hard cases that only hold in later zone data.
    public internal(set) var skippedHardCases = 0
    /// Zones whose views were compared: one of those with equal days.
    public internal(set) var distinctZones = 0
    /// Completions in the store.
    public internal(set) var completions = 0
    /// Today views.
    public internal(set) var views = 0
    /// Counts of days, weeks and months.
    public internal(set) var counts = 0
    /// The number of differences.
    public private(set) var findingCount = 0
    /// The first differences.
    public private(set) var findings: [ZoneFinding] = []

    /// Whether there was no difference.
    public var isClean: Bool { findingCount == 0 }

    mutating func add(_ finding: ZoneFinding) {
        findingCount += 1
        if findings.count < ZoneReport.keptFindings { findings.append(finding) }
    }

    /// Adds a finding if the two values differ.
    mutating func expect<Value: Equatable & CustomStringConvertible>(
        _ subject: ZoneFinding.Subject, _ expected: Value, _ found: Value, zone: Zone, day: Day?
    ) {
        if expected == found { return }
        // Avoids formatting millions of findings that are not kept.
        guard findings.count < ZoneReport.keptFindings else { return findingCount += 1 }
        add(ZoneFinding(zone: zone.identifier, day: day, what: subject, "\(expected)", "\(found)"))
    }

    /// Adds the report of another part.
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

/// A difference between Daybook and the independent results.
public struct ZoneFinding: Sendable, Equatable, CustomStringConvertible {
    /// What was compared, in words.
    public enum Subject: String, Sendable {
        case unusableZone = "the zone itself"
        case dayCount = "number of days"
        case digest = "digest of all starts of days"
        case existence = "whether the date exists"
        case startOfDay = "start of day"
        case endOfDay = "end of day"
        case offset = "offset from UTC"
        case dayOfInstant = "day of instant"
        case dayThatHasBegun = "a day that has begun stays begun"
        case today = "day of the Today view"
        case todayTasks = "tasks of the Today view"
        case todayEnd = "end of the Today view"
        case dayTotal = "completions of the day"
        case previousMonthTotal = "completions of the month before"
        case statistics = "completions of today, the week, the month, the month before"
        case store = "the store"
    }

    /// The zone's name.
    public let zone: String
    /// The day; nil if the finding is about the whole zone.
    public let day: Day?
    /// What was compared.
    public let subject: Subject
    /// The independent result.
    public let expected: String
    /// Daybook's result.
    public let found: String

    init(zone: String, day: Day?, what subject: Subject, _ expected: String, _ found: String) {
        self.zone = zone
        self.day = day
        self.subject = subject
        self.expected = expected
        self.found = found
    }

    /// The finding in one line.
    public var description: String {
        let place = day.map { "\(zone) \($0)" } ?? zone
        return "\(place): \(subject.rawValue): expected \(expected), found \(found)"
    }
}
