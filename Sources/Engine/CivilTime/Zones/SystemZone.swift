import Threading

/// The machine's zone, looked up at each call but parsed only when it has changed.
final class SystemZone: Sendable {
    /// Everything that determines the zone; cheap to read.
    struct Source: Equatable {
        let variable: String?
        let directory: String
        let localtimePath: String
        let target: String?
        /// Only for a copy; a link is identified by its target.
        let stamp: [Int]?

        init(_ variable: String?, localtimePath: String) {
            self.variable = variable
            self.localtimePath = localtimePath
            directory = ZoneDirectory.current.path
            target = variable == nil ? linkTarget(localtimePath) : nil
            stamp = variable == nil && target == nil ? fileStamp(localtimePath) : nil
        }
    }

    static let shared = SystemZone()

    static let localtimePath = "/etc/localtime"

    private let known = ForkSafeMutex<(source: Source, zone: Zone)?>(acrossForks: nil)

    func zone(_ source: Source) throws(CivilTimeError) -> Zone {
        if let zone = known.withLock({ $0?.source == source ? $0?.zone : nil }) { return zone }
        let zone = try SystemZone.lookUp(source)
        known.withLock { $0 = (source, zone) }
        return zone
    }

    private static func lookUp(_ source: Source) throws(CivilTimeError) -> Zone {
        if let variable = source.variable {
            let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
            return name.isEmpty ? .utc : try Zone(identifier(ofPath: name) ?? name)
        }
        if let target = source.target {
            return try Zone(identifier(ofPath: target) ?? target)
        }
        guard source.stamp != nil, let name = identifier(ofCopy: source.localtimePath) else { return .utc }
        return try Zone(name)
    }

    /// `Europe/Berlin` from `/usr/share/zoneinfo/Europe/Berlin`, also in another folder with the same name or in the
    /// current zone directory.
    private static func identifier(ofPath path: String) -> String? {
        let directory = ZoneDirectory.current.path + "/"
        var name: Substring
        if path.hasPrefix(directory) {
            name = path.dropFirst(directory.count)
        } else {
            let parts = path.split(separator: "/")
            guard let folder = parts.lastIndex(where: { $0 == "zoneinfo" }) else { return nil }
            name = Substring(parts[(folder + 1)...].joined(separator: "/"))
        }
        // Debian has the same zones again here.
        if name.hasPrefix("posix/") { name = name.dropFirst("posix/".count) }
        return String(name)
    }

    /// The name of the zone whose file has the same contents: some systems copy it instead of linking to it.
    private static func identifier(ofCopy path: String) -> String? {
        let directory = ZoneDirectory.current
        func contents(_ path: String) -> [UInt8]? {
            guard case .bytes(let bytes) = readWholeFile(path, sizeMax: ZoneDirectory.fileSizeMax) else { return nil }
            return bytes
        }
        guard let copy = contents(path) else { return nil }
        if let named = contents("/etc/timezone") {
            // Debian stores the name here; it is often outdated, so it counts only when it matches.
            let name = String(decoding: named.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if ZoneDirectory.isName(name), contents(directory.path(of: name)) == copy { return name }
        }
        return directory.identifiers().first { contents(directory.path(of: $0)) == copy }
    }
}
