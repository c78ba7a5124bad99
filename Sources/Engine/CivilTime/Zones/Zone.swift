import Processes
import Threading

/// An IANA time zone, with the rules that the system's zone files give it.
///
/// A local day is the half-open range of instants from its own start to the start of the next date that exists there;
/// its start is the first instant whose local date it is. So days never overlap and never have gaps, a day that has
/// begun stays begun, and lengths go from 21 to 26 hours. Where the wall clock showed the earlier date once more after
/// midnight, the later date stays.
///
/// Two zones are equal when their identifiers are. Days and instants outside years 1 to 9999 are cut off there.
public struct Zone: Sendable {
    let rules: ZoneRules

    /// Coordinated Universal Time; it needs no file.
    public static let utc = Zone(rules: ZoneRules(identifier: "UTC", fixedOffset: 0))

    init(rules: ZoneRules) {
        self.rules = rules
    }

    /// The zone of an IANA name, spelled as its file under the zone directory (`$TZDIR`, else `/usr/share/zoneinfo`);
    /// aliases such as `US/Eastern` are names like others. The first use of a name reads and parses its file (tens of
    /// microseconds); later uses find it in a process-wide cache.
    ///
    /// - Throws: ``CivilTimeError/unknownZone(_:suggestions:)`` with near names, or
    ///   ``CivilTimeError/unusableZoneFile(zone:reason:)``.
    public init(_ identifier: String) throws(CivilTimeError) {
        rules = try ZoneCache.shared.rules(identifier)
    }

    /// The IANA name, as it was given.
    public var identifier: String { rules.identifier }

    /// The local date at the instant. Cost: a search in a table, some nanoseconds.
    public func day(of instant: Instant) -> Day {
        Day(clampingDaysSince1970: rules.day(at: instant.wholeSeconds))
    }

    /// The first instant of the day. For a day that does not exist here (2011-12-30 in Apia): the start of the next that
    /// does. Cost: a search in a table, some nanoseconds.
    public func start(of day: Day) -> Instant {
        start(ofDay: Int(day.daysSince1970))
    }

    /// The instant at which the day is over: the start of the next date that exists. A day that does not exist ends
    /// where it starts.
    public func end(of day: Day) -> Instant {
        start(ofDay: Int(day.daysSince1970) + 1)
    }

    /// The instants of the days: from the start of the first to the start of the one after the last.
    public func range(of days: Range<Day>) -> Range<Instant> {
        start(of: days.lowerBound)..<start(of: days.upperBound)
    }

    /// Whether the date was ever reached here; a zone that crosses the date line skips one.
    public func exists(_ day: Day) -> Bool {
        let number = Int(day.daysSince1970)
        return rules.day(at: rules.start(ofDay: number)) == number
    }

    /// Seconds that local time is ahead of UTC at the instant; negative in the west.
    public func offsetSeconds(at instant: Instant) -> Int {
        rules.offset(at: instant.wholeSeconds)
    }

    /// The instant at which the clock shows a time of the day: where it skips that time, the first instant after the
    /// gap; where it shows it twice, the first of the two.
    ///
    /// - Parameter secondsIntoDay: the time as the clock shows it, in seconds (09:00 is 32,400, also on a day of 23
    ///   hours); cut off to 0...86,399.
    public func instant(day: Day, secondsIntoDay: Int) -> Instant {
        let time = min(max(secondsIntoDay, 0), CalendarMath.secondsPerDay - 1)
        let local = Int(day.daysSince1970) * CalendarMath.secondsPerDay + time
        return Instant(secondsSince1970: Int64(rules.firstSecond(local: local)))
    }

    /// A zone of the same name in which the offset of an instant holds at all times: for the simulator, which has to find
    /// such a fault.
    package func withFixedOffset(of instant: Instant) -> Zone {
        Zone(rules: ZoneRules(identifier: identifier, fixedOffset: offsetSeconds(at: instant)))
    }

    @inline(__always)
    private func start(ofDay day: Int) -> Instant {
        // Years 1 to 9999 are well within the range of microseconds.
        Instant(microsecondsSince1970: Int64(rules.start(ofDay: day)) &* 1_000_000)
    }
}

extension Zone: Hashable {
    /// Whether the identifiers are the same; an alias is another zone than its target.
    public static func == (left: Zone, right: Zone) -> Bool {
        left.rules === right.rules || left.identifier == right.identifier
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension Zone: CustomStringConvertible {
    /// The identifier.
    public var description: String { identifier }
}

extension Zone {
    /// The zone that the machine is set to: `$TZ`, else that of `/etc/localtime`; UTC where there is neither, and where
    /// `$TZ` is empty.
    ///
    /// `$TZ` has any of the forms that the C library reads, with or without a colon in front: a name (`Europe/Berlin`), the
    /// path of a zone file (`/usr/share/zoneinfo/Europe/Berlin`), or a POSIX rule (`CET-1CEST,M3.5.0,M10.5.0/3`). A file
    /// whose path names a zone, or that has the same contents as one of the zone directory's, has that name. The identifier
    /// of another file is the rule in its footer, and that of a rule is its text; ``init(_:)`` takes neither.
    ///
    /// Cost: about a microsecond while nothing changes; files are read only when it has.
    ///
    /// - Throws: ``CivilTimeError/unknownZone(_:suggestions:)`` when that is none of these, or
    ///   ``CivilTimeError/unusableZoneFile(zone:reason:)``.
    public static func system() throws(CivilTimeError) -> Zone {
        try SystemZone.shared.zone(CurrentProcess.variable("TZ"), localtimePath: SystemZone.localtimePath)
    }

    /// The version of the system's zone data, such as `2025b`; nil where the system does not provide it. Reads a file.
    public static var dataVersion: String? { ZoneDirectory.current.dataVersion }

    /// Every name that ``init(_:)`` takes, sorted. It opens some 600 files: for tests and completion.
    public static func allIdentifiers() -> [String] { ZoneDirectory.current.identifiers() }
}

/// The zones that this process has parsed, each once.
final class ZoneCache: Sendable {
    static let shared = ZoneCache()

    /// By path, so that another `$TZDIR` gives other zones.
    private let parsed = ForkSafeMutex<[String: ZoneRules]>(acrossForks: [:])

    func rules(_ identifier: String) throws(CivilTimeError) -> ZoneRules {
        let directory = ZoneDirectory.current
        let path = directory.path(of: identifier)
        if let rules = parsed.withLock({ $0[path] }) { return rules }
        let rules = try read(identifier, in: directory)
        return parsed.withLock { parsed in
            if let other = parsed[path] { return other }
            parsed[path] = rules
            return rules
        }
    }

    private func read(_ identifier: String, in directory: ZoneDirectory) throws(CivilTimeError) -> ZoneRules {
        guard ZoneDirectory.isName(identifier) else { throw directory.unknownZone(identifier) }
        let bytes: [UInt8]
        switch readWholeFile(directory.path(of: identifier), sizeMax: ZoneDirectory.fileSizeMax) {
        case .bytes(let contents): bytes = contents
        case .missing:
            // UTC exists even on a machine without zone files.
            if identifier == Zone.utc.identifier { return Zone.utc.rules }
            throw directory.unknownZone(identifier)
        case .unreadable(let reason): throw .unusableZoneFile(zone: identifier, reason: reason)
        }
        do {
            return ZoneRules(identifier: identifier, file: try ZoneFile(bytes))
        } catch {
            switch error {
            case .notAZoneFile: throw directory.unknownZone(identifier)
            case .damaged(let reason): throw .unusableZoneFile(zone: identifier, reason: reason)
            }
        }
    }
}
