extension Zone {
    /// The zone that the machine is set to: `$TZ` (`Europe/Berlin` or `:Europe/Berlin`), else the zone that
    /// `/etc/localtime` links to or is a copy of; UTC where there is neither, and where `$TZ` is empty.
    ///
    /// Cost: about a microsecond while nothing changes; files are read only when it has.
    ///
    /// - Throws: ``CivilTimeError/unknownZone(_:suggestions:)`` when that names no zone (a POSIX rule in `$TZ`, for
    ///   one), or ``CivilTimeError/unusableZoneFile(zone:reason:)``.
    public static func system() throws(CivilTimeError) -> Zone {
        try SystemZone.shared.zone(
            SystemZone.Source(environmentVariable("TZ"), localtimePath: SystemZone.localtimePath))
    }

    /// The version of the system's zone data, such as `2025b`; nil where the system does not say. Reads a file.
    public static var dataVersion: String? { ZoneDirectory.current.dataVersion }

    /// Every name that ``init(_:)`` takes, sorted. It opens some 600 files: for tests and completion.
    public static func allIdentifiers() -> [String] { ZoneDirectory.current.identifiers() }
}
