import CivilTime

/// Finds the zones that a file names.
final class CalendarZones {
    /// A file with more names than this is not made by people with calendars.
    private static let limit = 1_000

    /// What was found before; looking for a name that no zone has takes long.
    private var found: [String: Zone?] = [:]

    /// The zone of a `TZID`: an IANA name, or one with a prefix (`/freeassociation.sourceforge.net/Europe/Berlin`).
    func zone(_ identifier: String) -> Zone? {
        if let zone = found[identifier] { return zone }
        guard found.count < Self.limit else { return nil }
        let zone = Self.lookUp(identifier)
        found[identifier] = .some(zone)
        return zone
    }

    /// Takes what a VTIMEZONE says of itself: that a name of its own means an IANA zone.
    func define(_ identifier: String, as location: String) {
        if zone(identifier) == nil, let zone = zone(location) { found[identifier] = .some(zone) }
    }

    private static func lookUp(_ identifier: String) -> Zone? {
        guard identifier.utf8.count <= 200 else { return nil }
        if !identifier.hasPrefix("/"), let zone = try? Zone(identifier) { return zone }
        let parts = identifier.split(separator: "/")
        guard identifier.contains("/") else { return nil }
        // America/Argentina/Buenos_Aires has three parts, most have two.
        for count in [3, 2] where parts.count >= count {
            if let zone = try? Zone(parts.suffix(count).joined(separator: "/")) { return zone }
        }
        return nil
    }
}
