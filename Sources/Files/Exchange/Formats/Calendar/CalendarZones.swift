import CivilTime

/// Finds the zones that a file names.
final class CalendarZones {
    /// A file with more names than this is not made by people with calendars.
    private static let limit = 1_000

    private var found: [String: Zone?] = [:]
    /// Every name that there is: to ask for one that is not there takes longer than to list them all.
    private static let identifiers = Set(Zone.allIdentifiers())

    /// The zone of a `TZID`: an IANA name, or one with a prefix (`/freeassociation.sourceforge.net/Europe/Berlin`).
    func zone(_ identifier: String) -> Zone? {
        if let zone = found[identifier] { return zone }
        guard found.count < Self.limit else { return nil }
        let zone = lookUp(identifier)
        found[identifier] = .some(zone)
        return zone
    }

    /// Takes what a VTIMEZONE says of itself: that a name of its own means an IANA zone.
    func define(_ identifier: String, as location: String) {
        if zone(identifier) == nil, let zone = zone(location) { found[identifier] = .some(zone) }
    }

    private func lookUp(_ identifier: String) -> Zone? {
        guard identifier.utf8.count <= 200 else { return nil }
        let parts = identifier.split(separator: "/")
        // The whole; then America/Argentina/Buenos_Aires has three parts, most have two.
        let names =
            [identifier]
            + [3, 2].filter { parts.count > $0 || identifier.hasPrefix("/") && parts.count == $0 }
            .map { parts.suffix($0).joined(separator: "/") }
        let name = names.first { Self.identifiers.contains($0) || $0 == Zone.utc.identifier }
        return name.flatMap { try? Zone($0) }
    }
}
