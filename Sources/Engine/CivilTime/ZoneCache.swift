import Threading

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
            // A machine without zone files still knows this one.
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
