import FileSystem
import Threading

/// The machine's zone, looked up at each call but parsed only when it has changed.
final class SystemZone: Sendable {
    /// Everything that determines the zone; cheap to read.
    struct Source: Equatable {
        /// The text of `$TZ` without the colon in front; nil where the machine's own zone counts: `$TZ` is not set, or is the
        /// path of that zone's file.
        let variable: String?
        let directory: String
        /// The zone file that these would name, whether there is one or not.
        let file: String
        let target: String?
        /// Only for a file that is no link; a link is identified by its target.
        let stamp: [Int]?

        init(_ variable: String?, localtimePath: String) {
            let text = variable.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
            self.variable = text == localtimePath ? nil : text
            directory = ZoneDirectory.current.path
            file =
                switch self.variable {
                case nil: localtimePath
                case let text? where text.hasPrefix("/"): text
                case let text?: directory + "/" + text
                }
            target = FileTree.linkTarget(file)
            stamp = target == nil ? fileStamp(file) : nil
        }

        /// Whether there is a file, or a link that may lead to one.
        var hasFile: Bool { target != nil || stamp != nil }
    }

    static let shared = SystemZone()

    static let localtimePath = "/etc/localtime"

    private typealias Answer = (source: Source, zone: Result<Zone, CivilTimeError>)

    /// The last answer for `$TZ` and the last for the machine's own zone: where the first is of no use, both are asked for.
    private let known = ForkSafeMutex<[Bool: Answer]>(acrossForks: [:])

    /// The zone of `$TZ`, or the machine's own where `variable` is nil.
    func zone(_ variable: String?, localtimePath: String) throws(CivilTimeError) -> Zone {
        try zone(Source(variable, localtimePath: localtimePath))
    }

    /// The zone of `$TZ`; the machine's own where that cannot be read, and UTC where neither can.
    func usableZone(_ variable: String?, localtimePath: String) -> Zone {
        for text in variable == nil ? [nil] : [variable, nil] {
            if let zone = try? zone(text, localtimePath: localtimePath) { return zone }
        }
        return .utc
    }

    /// Whether ``usableZone(_:localtimePath:)`` follows the machine's own zone.
    func followsLocaltime(_ variable: String?, localtimePath: String) -> Bool {
        let source = Source(variable, localtimePath: localtimePath)
        return source.variable == nil || (try? zone(source)) == nil
    }

    private func zone(_ source: Source) throws(CivilTimeError) -> Zone {
        let isVariable = source.variable != nil
        if let answer = known.withLock({ $0[isVariable] }), answer.source == source { return try answer.zone.get() }
        // A failure is kept as well: to find near names, hundreds of files are read.
        let zone = Result { () throws(CivilTimeError) in try SystemZone.lookUp(source) }
        known.withLock { $0[isVariable] = (source, zone) }
        return try zone.get()
    }

    /// In the C library's order: empty is UTC, then a file, then a rule.
    private static func lookUp(_ source: Source) throws(CivilTimeError) -> Zone {
        guard let text = source.variable else {
            return source.hasFile ? try zone(ofFile: source) : .utc
        }
        if text.isEmpty { return .utc }
        if source.hasFile || text == Zone.utc.identifier {
            return ZoneDirectory.isName(text) ? try Zone(text) : try zone(ofFile: source)
        }
        guard let rule = PosixRule(environmentText: text) else {
            // A folder's name in the path may still name a zone: it may come from another system.
            return try Zone(identifier(ofPath: text) ?? text)
        }
        return Zone(rules: ZoneRules(identifier: text, file: ZoneFile(rule: rule)))
    }

    /// The zone of a file anywhere: by its name where it is one of the zone directory's, or has the same contents as one.
    private static func zone(ofFile source: Source) throws(CivilTimeError) -> Zone {
        let directory = ZoneDirectory.current
        let name = [source.target, source.file].compactMap { $0.flatMap(identifier(ofPath:)) }.first
        let bytes: [UInt8]
        switch readWholeFile(source.file, sizeMax: ZoneDirectory.fileSizeMax) {
        case .bytes(let contents): bytes = contents
        // Perhaps a link into a zone directory that is somewhere else on this system.
        case .missing: return try Zone(name ?? source.target ?? source.file)
        case .unreadable(let reason): throw .unusableZoneFile(zone: name ?? source.file, reason: reason)
        }
        let isNamed = name.map(ZoneDirectory.isName) ?? false
        if let name, isNamed, contents(directory.path(of: name)) == bytes { return try Zone(name) }
        if !isNamed, let name = identifier(ofCopy: bytes) { return try Zone(name) }
        do {
            let file = try ZoneFile(bytes)
            // Not the path: the identifier becomes part of completed tasks, which are read on other machines.
            let identifier = (isNamed ? name : file.ruleText) ?? "local"
            return Zone(rules: ZoneRules(identifier: identifier, file: file))
        } catch {
            switch error {
            case .notAZoneFile: throw .unusableZoneFile(zone: source.file, reason: "it is not a zone file")
            case .damaged(let reason): throw .unusableZoneFile(zone: source.file, reason: reason)
            }
        }
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

    /// The name of the zone whose file has these contents: some systems copy it instead of linking to it.
    private static func identifier(ofCopy copy: [UInt8]) -> String? {
        let directory = ZoneDirectory.current
        if let named = contents("/etc/timezone") {
            // Debian stores the name here; it is often outdated, so it counts only when it matches.
            let name = String(decoding: named.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if ZoneDirectory.isName(name), contents(directory.path(of: name)) == copy { return name }
        }
        return directory.identifiers().first { contents(directory.path(of: $0)) == copy }
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard case .bytes(let bytes) = readWholeFile(path, sizeMax: ZoneDirectory.fileSizeMax) else { return nil }
        return bytes
    }
}
